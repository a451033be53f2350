import { assertEquals } from "@std/assert";
import { postgresStore } from "../../../stores/postgres.ts";
import { libraryRuns } from "../../bench/bench_runs.ts";
import { type ClientFaults, faultyClient } from "./faulty_client.ts";
import { makePglite } from "./npm_clients.ts";
import { newSchema } from "./store_cases.ts";

const pglite = await makePglite("the round trips of postgresStore()");

Deno.test({
  name: "postgresStore() makes one round trip a write, and one commit in three waits for no disk",
  ignore: pglite === undefined,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const { client, schema } = await newSchema(pglite!);
    const faults: ClientFaults = { statements: [] };
    const store = postgresStore({ client: faultyClient(client, faults), schema });
    const steps = 20;
    await libraryRuns(store, steps);
    const entries = 3 * steps + 1;
    const lazy = faults.statements.filter((text) => text.includes("is_lazy => true"));
    assertEquals([faults.statements.length, lazy.length], [entries, steps]);
  },
});
