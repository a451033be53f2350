import { makePglite } from "./npm_clients.ts";
import { newSchema, postgresContract } from "./store_cases.ts";

const client = await makePglite("the contract of postgresStore()");
const cases = client === undefined ? [] : postgresContract(() => newSchema(client));

for (const { name, run } of cases) {
  Deno.test({
    name: `postgresStore() on pglite ${name}`,
    // The database has timers of its own.
    sanitizeOps: false,
    sanitizeResources: false,
    fn: run,
  });
}
