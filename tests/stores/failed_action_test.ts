import { assertEquals, assertRejects } from "@std/assert";
import type { RunStore } from "../../ports/mod.ts";
import { jsonlStore } from "../../stores/jsonl.ts";
import { kvStore } from "../../stores/kv.ts";
import { sqliteStore } from "../../stores/sqlite.ts";
import { type RunCatalog, type StoreAction, StoreFailedError } from "../../types/mod.ts";
import { logBuilder } from "../contract/_log_builder.ts";
import { faultyKv } from "./drivers/kv_faults.ts";
import { inTempFolder } from "./drivers/temp_folder.ts";

type Store = RunStore & RunCatalog;

/** Stores in a place that is none. */
const BROKEN: Readonly<Record<string, (file: string) => Store>> = {
  jsonlStore: (dir) => jsonlStore({ dir }),
  sqliteStore: (path) => sqliteStore({ path }),
  kvStore() {
    const onRead = () => {
      throw new Error("it is away");
    };
    const nowhere = { get: onRead, list: onRead, atomic: onRead };
    return kvStore({ kv: faultyKv(nowhere, { commits: [], onRead }) });
  },
};

const ACTIONS: readonly (readonly [StoreAction, string | undefined, (store: Store) => unknown])[] =
  [
    ["list", undefined, (store) => store.listRuns()],
    ["read", "run", (store) => store.readRun("run")],
    ["write", "run", (store) => store.startRun("run", logBuilder("run").start())],
    ["delete", "run", (store) => store.deleteRun("run")],
  ];

for (const [name, open] of Object.entries(BROKEN)) {
  Deno.test(`${name}() says what it was doing when it failed, and of which run`, async () => {
    await inTempFolder(async (dir) => {
      const file = `${dir}/notes.txt`;
      await Deno.writeTextFile(
        file,
        "this is no store, and it is longer than a header\n".repeat(99),
      );
      for (const [action, runId, ask] of ACTIONS) {
        const asked = Promise.resolve(ask(open(file)));
        const error = await assertRejects(() => asked, StoreFailedError);
        assertEquals([error.action, error.runId], [action, runId]);
      }
    });
  });
}
