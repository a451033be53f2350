import { newSchema, postgresContract } from "./store_cases.ts";
import { serverTest } from "./server.ts";

serverTest("keeps its contract", async (server) => {
  const pool = server.pool();
  for (const { name, run } of postgresContract(() => newSchema(pool))) {
    try {
      await run();
    } catch (cause) {
      throw new Error(name, { cause });
    }
  }
});
