import { assert, assertEquals, assertGreater } from "@std/assert";
import { type ActionExecutor, resume, type RunResult } from "../../../mod.ts";
import { verifyLog } from "../../../session/mod.ts";
import { type PostgresClient, postgresStore } from "../../../stores/postgres.ts";
import { RunConflictError, RunLockedError } from "../../../types/mod.ts";
import { agentOf, leaveOpen, requestOf } from "../../cli/made_runs.ts";
import { EXECUTED } from "../../session/world.ts";
import { leaseClock } from "../drivers/lease_clock.ts";
import { makePglite } from "./npm_clients.ts";
import { type Database, newSchema } from "./store_cases.ts";

/** At how many places it is said who of the two goes on. */
const PLACES = 8;
/** How many orders are tried; `deno task postgres` means all. */
const MOST = Deno.args.includes("--server") ? Infinity : 30;

/** One of two that drive a run: each statement of its store waits until it is let go. */
interface Driver {
  readonly outcome: Promise<PromiseSettledResult<RunResult>>;
  /** Until a statement waits. Gives `false` where none will. */
  waits(): Promise<boolean>;
  /** Lets the statement that waits go. */
  go(): void;
}

function beginDriver(
  { client, schema }: Database,
  leaseMs: number,
  runId: string,
  executor: ActionExecutor,
): Driver {
  const waiting: (() => void)[] = [];
  let arrived = Promise.withResolvers<boolean>();
  const gated: PostgresClient = {
    async query(text, values) {
      await new Promise<void>((go) => {
        waiting.push(go);
        arrived.resolve(true);
      });
      return await client.query(text, values);
    },
  };
  const store = postgresStore({ client: gated, schema, leaseMs, every: leaseClock().every });
  const agent = agentOf(store, ["do look", "do look again", "answer yes"]);
  const outcome = Promise.allSettled([resume(agent, requestOf(runId, { executor }))])
    .then(([settled]) => settled);
  return {
    outcome,
    waits: () => Promise.race([arrived.promise, outcome.then(() => false)]),
    go() {
      const next = waiting.shift();
      if (waiting.length === 0) arrived = Promise.withResolvers();
      next?.();
    },
  };
}

/** Lets two drivers go on by turns, but where the choices say who does. Gives who did at each such place. */
async function inTurns(
  drivers: readonly Driver[],
  choices: readonly number[],
): Promise<readonly number[]> {
  const made: number[] = [];
  for (;;) {
    const wait = await Promise.all(drivers.map((driver) => driver.waits()));
    const able = [0, 1].filter((i) => wait[i]);
    let [next] = able;
    if (next === undefined) return made;
    if (able.length === 2) {
      next = choices[made.length] ?? 1 - (made.at(-1) ?? 1);
      made.push(next);
    }
    drivers[next]?.go();
  }
}

const pglite = await makePglite("the orders of two drivers");

for (const leaseMs of [0, 30_000]) {
  Deno.test({
    name:
      `postgresStore() lets one of two drivers act, however their statements mix, with leases of ${leaseMs} ms`,
    ignore: pglite === undefined,
    // The database has timers of its own.
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const database = await newSchema(pglite!);
      const store = postgresStore({ ...database, leaseMs: 0 });
      const orders: (readonly number[])[] = [[]];
      const ends = new Set<string>();
      let executed = 0;
      for (let tried = 0; tried < orders.length && tried < MOST; tried++) {
        const choices = orders[tried]!;
        const runId = `run-${tried}`;
        const done: string[] = [];
        const executor: ActionExecutor = {
          execute({ actionId }) {
            done.push(actionId);
            return Promise.resolve(EXECUTED);
          },
          parameters: () => ({}),
        };
        await leaveOpen(store, runId, { executor }, 4);
        const drivers = [0, 1].map(() => beginDriver(database, leaseMs, runId, executor));
        const made = await inTurns(drivers, choices);
        const outcomes = await Promise.all(drivers.map(({ outcome }) => outcome));
        const here = `${made.join("")} with leases of ${leaseMs} ms`;
        assertEquals(new Set(done).size, done.length, `${here}: ${done}`);
        executed += done.length;
        const names = outcomes.map((it) => it.status === "fulfilled" ? "result" : it.reason.name);
        assert(names.includes("result"), `${here}: ${names}`);
        for (const it of outcomes) {
          const isTyped = it.status === "fulfilled" || it.reason instanceof RunConflictError ||
            it.reason instanceof RunLockedError;
          assert(isTyped, `${here}: ${names}`);
        }
        names.forEach((name) => ends.add(name));
        assertEquals(verifyLog((await store.readRun(runId))!).ok, true, here);
        for (let place = choices.length; place < Math.min(made.length, PLACES); place++) {
          orders.push([...made.slice(0, place), 1 - made[place]!]);
        }
      }
      assertGreater(orders.length, 8);
      assertGreater(executed, 8);
      const refusal = leaseMs === 0 ? "RunConflictError" : "RunLockedError";
      assert(ends.has(refusal), `none met a ${refusal}: ${[...ends]}`);
    },
  });
}
