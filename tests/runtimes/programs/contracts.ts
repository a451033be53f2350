/**
 * Runs every contract that can be kept beyond Deno, that of the sqlite store where it is told to; prints what fails, and
 * how many cases there were.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import process from "node:process";
import type { RunStore } from "@polyloop/polyloop";
import { type ContractCase, storeContract } from "@polyloop/polyloop/contract";
import { memoryStore } from "@polyloop/polyloop/stores/memory";
import { sqliteStore } from "@polyloop/polyloop/stores/sqlite";
import type { RunCatalog } from "@polyloop/polyloop/types";
import { EVENT_SINK_CASES } from "../../adapters/contracts/event_sinks.ts";
import { INTERPRETER_CASES } from "../../adapters/contracts/interpreters.ts";
import { MODEL_CASES } from "../../adapters/contracts/models.ts";
import { REGISTRY_CASES } from "../../adapters/contracts/registry.ts";
import { type LeaseClock, leaseClock } from "../../stores/drivers/lease_clock.ts";
import { runCases } from "./run_cases.ts";

interface Place {
  readonly folder: string;
  readonly clock: LeaseClock;
}

const places = new WeakMap<RunStore, Place>();

function placeOf(store: RunStore): Place {
  const place = places.get(store);
  if (place === undefined) throw new TypeError("no store of this program");
  return place;
}

function openAt(place: Place): RunStore & RunCatalog {
  const { now, every } = place.clock;
  const store = sqliteStore({ path: `${place.folder}/runs.db`, now, every });
  places.set(store, place);
  return store;
}

const openAgain = (store: RunStore) => openAt(placeOf(store));

const SQLITE_CASES: Readonly<Record<string, readonly ContractCase[]>> = {
  "sqliteStore()": storeContract<RunStore & RunCatalog>({
    makeStore: () => openAt({ folder: mkdtempSync(`${tmpdir()}/polyloop-`), clock: leaseClock() }),
    catalog: (store) => store,
    reopen: openAgain,
    crash: openAgain,
    openBeside: openAgain,
    letLeasesEnd: (store) => placeOf(store).clock.stall(30_001),
    dispose: (store) => rmSync(placeOf(store).folder, { recursive: true, force: true }),
  }),
};

const CASES: Readonly<Record<string, readonly ContractCase[]>> = {
  "memoryStore()": storeContract({ makeStore: memoryStore, catalog: (store) => store }),
  ...(process.argv[2] === "sqlite" ? SQLITE_CASES : {}),
  ...MODEL_CASES,
  ...INTERPRETER_CASES,
  ...REGISTRY_CASES,
  ...EVENT_SINK_CASES,
};

await runCases("the contracts", CASES);
