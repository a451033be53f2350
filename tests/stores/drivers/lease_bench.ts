import type { RunStore } from "../../../ports/mod.ts";
import { openSqliteStore } from "../../../stores/_sqlite/store.ts";
import { kvStore } from "../../../stores/kv.ts";
import { type PostgresClient, postgresStore } from "../../../stores/postgres.ts";
import type { LeaseOptions, RunCatalog } from "../../../types/mod.ts";
import { type ClientFaults, faultyClient } from "../postgres/faulty_client.ts";
import { makePglite } from "../postgres/npm_clients.ts";
import { newSchema } from "../postgres/store_cases.ts";
import { faultyKv, type KvFaults } from "./kv_faults.ts";
import { type LeaseClock, leaseClock } from "./lease_clock.ts";
import { faultyConnect, sqliteError, type SqliteFaults } from "./sqlite_faults.ts";
import { inTempFolder } from "./temp_folder.ts";

const pglite = await makePglite("the leases of postgresStore()");

/** Stores over one database, and what happens to them. */
export interface LeaseBench {
  readonly clock: LeaseClock;
  /** Opens a store over it. */
  open(leases?: LeaseOptions): RunStore & RunCatalog;
  /** Has commits fail from now on: the next one, or all. */
  fail(which: "next" | "all"): void;
  /** Lets what a timer has begun come to its end. */
  settled(): Promise<unknown>;
  /** How many commits there were. */
  commits(): number;
}

/** Runs a test over a database of each kind. */
export function leaseTest(name: string, body: (bench: LeaseBench) => Promise<void>): void {
  Deno.test(`sqliteStore() ${name}`, () =>
    inTempFolder(async (dir) => {
      const clock = leaseClock();
      const faults: SqliteFaults = { open: 0 };
      let commits = 0;
      faults.onCommit = (commit) => (commits++, commit());
      await body({
        clock,
        open: (leases) =>
          openSqliteStore(`${dir}/runs.db`, faultyConnect(faults), { ...clock, ...leases }),
        fail(which) {
          const { onCommit } = faults;
          faults.onCommit = () => {
            if (which === "next") faults.onCommit = onCommit!;
            throw sqliteError("database or disk is full", 13);
          };
        },
        settled: () => Promise.resolve(),
        commits: () => commits,
      });
    }));
  Deno.test(`kvStore() ${name}`, async () => {
    const clock = leaseClock();
    const { now, every } = clock;
    using kv = await Deno.openKv(":memory:");
    const faults: KvFaults = { commits: [] };
    await body({
      clock,
      open: (leases) => kvStore({ kv: faultyKv(kv, faults), now, every, ...leases }),
      fail(which) {
        faults.onCommit = () => {
          if (which === "next") delete faults.onCommit;
          return Promise.reject(new TypeError("disk I/O error"));
        };
      },
      // A database does one thing after the other.
      settled: () => kv.get(["after what was asked before"]),
      commits: () => faults.commits.length,
    });
  });
  Deno.test({
    name: `postgresStore() on pglite ${name}`,
    ignore: pglite === undefined,
    // The database has timers of its own.
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => await body(await pgliteBench(pglite!)),
  });
}

/** Stores over a schema of their own, in a server whose clock is the test's. */
async function pgliteBench(pglite: PostgresClient): Promise<LeaseBench> {
  const clock = leaseClock();
  const { now, every } = clock;
  const timed: PostgresClient = {
    query(text, values) {
      // One session does one thing after the other.
      pglite.query("SELECT set_config('test.now', $1, false)", [String(now())]);
      return pglite.query(text, values);
    },
  };
  const { schema } = await newSchema(pglite);
  await pglite.query(`CREATE OR REPLACE FUNCTION public.clock_timestamp() RETURNS timestamptz
    LANGUAGE sql AS $$ SELECT to_timestamp(current_setting('test.now')::float8 / 1000) $$`);
  await pglite.query("SET search_path = public, pg_catalog");
  const faults: ClientFaults = { statements: [] };
  let commits = 0;
  faults.onChange = (run) => (commits++, run());
  return {
    clock,
    open: (leases) =>
      postgresStore({ client: faultyClient(timed, faults), schema, now, every, ...leases }),
    fail(which) {
      const { onChange } = faults;
      faults.onChange = () => {
        if (which === "next") faults.onChange = onChange!;
        return Promise.reject(Object.assign(new Error("disk full"), { code: "53100" }));
      };
    },
    // A second renewal is asked for when the first one has its answer.
    async settled() {
      for (let turn = 0; turn < 3; turn++) {
        await pglite.query("SELECT 'after what was asked before'");
      }
    },
    commits: () => commits,
  };
}
