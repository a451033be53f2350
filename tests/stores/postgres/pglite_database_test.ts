import { assert, assertEquals, assertRejects } from "@std/assert";
import { RunLockedError, StoreFailedError } from "../../../mod.ts";
import { postgresSchema, postgresStore } from "../../../stores/postgres.ts";
import { logBuilder } from "../../contract/_log_builder.ts";
import { makePglite, type PgliteClient } from "./npm_clients.ts";
import { newSchema } from "./store_cases.ts";

const pglite = await makePglite("databases that others have a hand in");

function databaseTest(name: string, body: (client: PgliteClient) => Promise<void>): void {
  Deno.test({
    name: `postgresStore() ${name}`,
    ignore: pglite === undefined,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: () => body(pglite!),
  });
}

databaseTest("finds its runs when the server's clock was set back by years", async (pglite) => {
  for (const until of ["clock_timestamp() + interval '9 years'", "'infinity'", "'-infinity'"]) {
    const { client, schema } = await newSchema(pglite);
    const store = postgresStore({ client, schema });
    await store.startRun("run", logBuilder("run").start());
    await client.query(`UPDATE ${schema}.polyloop_v1_runs SET lease_until = ${until}`);
    const other = postgresStore({ client, schema });
    assertEquals(await other.listRuns(), ["run"]);
    const isOver = until === "'-infinity'";
    assertEquals(await other.listRuns({ idle: true }), isOver ? ["run"] : []);
    if (isOver) assertEquals(await other.deleteRun("run"), true);
    else await assertRejects(() => other.deleteRun("run"), RunLockedError);
  }
});

databaseTest("leaves it to the server's clock when a lease ends", async (pglite) => {
  const { client, schema } = await newSchema(pglite);
  const log = logBuilder("run");
  await postgresStore({ client, schema }).startRun("run", log.start());
  for (const now of [0, 4e12]) {
    const store = postgresStore({ client, schema, now: () => now });
    const claim = async () => await store.claimRun?.("run", log.head);
    const { until } = await assertRejects(claim, RunLockedError);
    assert(until !== undefined && until > now && until <= now + 30_000, `${until}`);
  }
});

databaseTest(
  "needs no right but those that its docs name, and no table of its own",
  async (pglite) => {
    const { client, schema } = await newSchema(pglite);
    const tables = ["runs", "entries"].map((name) => `${schema}.polyloop_v1_${name}`).join(", ");
    const role = `worker_${schema}`;
    await client.query(`CREATE ROLE ${role}`);
    await client.query(`GRANT USAGE ON SCHEMA ${schema} TO ${role}`);
    await client.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${tables} TO ${role}`);
    const log = logBuilder("run");
    try {
      await client.query(`SET ROLE ${role}`);
      await client.query(postgresSchema(schema));
      const store = postgresStore({ client, schema });
      await store.startRun("run", log.start());
      await store.writeOutcome("run", log.next());
      await store.writeIntent("run", log.next());
      await store.releaseRun("run");
      assertEquals(await store.readRun("run"), log.lines);
      assertEquals(await store.deleteRun("run"), true);
    } finally {
      await client.query("RESET ROLE");
    }
    const { rows: [left] } = await client.query(`SELECT FROM ${schema}.polyloop_v1_entries`);
    assertEquals(left, undefined);

    await client.query(`REVOKE INSERT ON ${tables} FROM ${role}`);
    try {
      await client.query(`SET ROLE ${role}`);
      const store = postgresStore({ client, schema });
      const write = () => store.startRun("run", logBuilder("run").start());
      const { durability } = await assertRejects(write, StoreFailedError, "SQLSTATE 42501");
      assertEquals(durability, "none");
    } finally {
      await client.query("RESET ROLE");
    }
  },
);

databaseTest(
  "goes on where the function is missing, once the schema was made whole",
  async (pglite) => {
    const { client, schema } = await newSchema(pglite);
    const store = postgresStore({ client, schema });
    const log = logBuilder("run");
    await store.startRun("run", log.start());
    await client.query(`DROP FUNCTION ${schema}.polyloop_v1_append`);
    const entry = log.next();
    const { durability } = await assertRejects(
      () => store.writeIntent("run", entry),
      StoreFailedError,
      "postgresSchema()",
    );
    assertEquals(durability, "none");
    await client.query(postgresSchema(schema));
    assertEquals(await store.readRun("run"), log.lines.slice(0, 1));
    await store.writeIntent("run", entry);
    assertEquals(await store.readRun("run"), log.lines);
  },
);
