import { assertEquals } from "@std/assert";
import { postgresStore } from "../../../stores/postgres.ts";
import { libraryRuns } from "../../bench/bench_runs.ts";
import type { PoolClient } from "./npm_clients.ts";
import { serverTest } from "./server.ts";
import { newSchema } from "./store_cases.ts";

/** How often the log of the server was brought to the disk, by what the one connection of a pool did. */
async function syncsOf(pool: PoolClient): Promise<number> {
  await pool.query("SELECT pg_stat_force_next_flush()");
  const { rows } = await pool.query("SELECT wal_sync::int AS syncs FROM pg_stat_wal");
  return Number(rows[0]?.syncs);
}

serverTest(
  "makes two durable commits a step, one at the start and one at the end",
  async (server) => {
    const pool = server.pool({ max: 1 });
    const steps = 20;
    const counts: number[] = [];
    for (let round = 0; round < 4; round++) {
      const store = postgresStore({ ...await newSchema(pool), every: () => () => {} });
      const before = await syncsOf(pool);
      await libraryRuns(store, steps);
      counts.push(await syncsOf(pool) - before);
      const [runId] = await store.listRuns();
      assertEquals((await store.readRun(runId!))?.length, 3 * steps + 1);
    }
    // The server's own processes add one now and then.
    assertEquals(Math.min(...counts), 2 * steps + 1);
  },
);
