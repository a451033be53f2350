import { assertEquals } from "@std/assert";
import { postgresStore } from "../../../stores/postgres.ts";
import { startedRun } from "../../contract/_store/bench.ts";
import { type Database, newSchema, postgresContract } from "./store_cases.ts";
import { serverTest } from "./server.ts";

/** The blocks of SQL in the guide: how partitions are made, and how one is dropped. */
async function guideSql(): Promise<readonly string[]> {
  const guide = await Deno.readTextFile(new URL("../../../docs/stores.md", import.meta.url));
  return [...guide.matchAll(/```sql\n([^]*?)```/g)].map(([, block]) => block!);
}

async function keepsContract(makeDatabase: () => Promise<Database>): Promise<void> {
  for (const { name, run } of postgresContract(makeDatabase)) {
    try {
      await run();
    } catch (cause) {
      throw new Error(name, { cause });
    }
  }
}

serverTest("keeps its contract", async (server) => {
  const pool = server.pool();
  await keepsContract(() => newSchema(pool));
});

serverTest("keeps its contract over partitions, as the guide makes them", async (server) => {
  const pool = server.pool();
  const [make] = await guideSql();
  await keepsContract(async () => {
    const database = await newSchema(pool);
    await pool.query(make!.replaceAll("polyloop_v1", `${database.schema}.polyloop_v1`));
    return database;
  });
});

serverTest("has no run left of a partition that was dropped as the guide says", async (server) => {
  const pool = server.pool();
  const [make, drop] = await guideSql();
  await pool.query(make!);
  const store = postgresStore({ client: pool });
  await startedRun(store, "old", 3);
  await pool.query("ALTER TABLE polyloop_v1_runs ALTER id RESTART 1000001");
  const log = await startedRun(store, "new", 3);
  await pool.query(drop!);
  assertEquals(await store.listRuns(), ["new"]);
  assertEquals(await store.readRun("old"), null);
  assertEquals(await store.readRun("new"), log.lines);
});
