import { assertEquals } from "@std/assert";
import { postgresStore } from "../../../stores/postgres.ts";
import { libraryRuns } from "../../bench/bench_runs.ts";
import type { PoolClient } from "./npm_clients.ts";
import { serverTest } from "./server.ts";

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
    const store = postgresStore({ client: pool, every: () => () => {} });
    const clients = "SELECT FROM pg_stat_activity WHERE backend_type = 'client backend'";
    while ((await pool.query(clients)).rows.length > 1); // what another one has done is counted when it ends
    const before = await syncsOf(pool);
    const steps = 20;
    await libraryRuns(store, steps);
    const [runId] = await store.listRuns();
    assertEquals((await store.readRun(runId!))?.length, 3 * steps + 1);
    assertEquals(await syncsOf(pool) - before, 2 * steps + 1);
  },
);
