/** Runs the contract of the PostgreSQL store on pglite, which the project has beside the package. */
import type { PostgresClient } from "@polyloop/polyloop/stores/postgres";
import { newSchema, postgresContract } from "../../stores/postgres/store_cases.ts";
import { runCases } from "./run_cases.ts";

const specifier = "@electric-sql/pglite";
const { PGlite }: { PGlite: { create(): Promise<PostgresClient> } } = await import(specifier);
const client = await PGlite.create();
await runCases("the PostgreSQL store on pglite", {
  "postgresStore()": postgresContract(() => newSchema(client)),
});
