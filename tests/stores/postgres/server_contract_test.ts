import { type Database, newSchema, postgresContract } from "./store_cases.ts";
import { serverTest } from "./server.ts";

/** The statements of the guide's one block that puts partitions in the place of a table, for a schema. */
async function partitionsIn(schema: string): Promise<string> {
  const guide = await Deno.readTextFile(new URL("../../../docs/stores.md", import.meta.url));
  const [, block] = /```sql\n(-- instead[^]*?)```/.exec(guide)!;
  return block!.replaceAll("polyloop_v1", `${schema}.polyloop_v1`);
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
  await keepsContract(async () => {
    const database = await newSchema(pool);
    await pool.query(await partitionsIn(database.schema));
    return database;
  });
});
