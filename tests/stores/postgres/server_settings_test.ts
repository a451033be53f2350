import { assert, assertEquals, assertRejects } from "@std/assert";
import { RunConflictError, StoreFailedError } from "../../../mod.ts";
import { postgresSchema, postgresStore } from "../../../stores/postgres.ts";
import { libraryRuns } from "../../bench/bench_runs.ts";
import { startedRun } from "../../contract/_store/bench.ts";
import { serverTest } from "./server.ts";

serverTest("lets many processes make the tables at once", async (server) => {
  const pool = server.pool({ max: 16 });
  for (let round = 0; round < 10; round++) {
    await pool.query(`CREATE SCHEMA made_${round}`);
    const makes = Array.from({ length: 16 }, () => pool.query(postgresSchema(`made_${round}`)));
    await Promise.all(makes);
    await libraryRuns(postgresStore({ client: pool, schema: `made_${round}` }), 2);
  }
});

serverTest(
  "reads from a server that takes no writes, and says of a write that it is not there",
  async (server) => {
    const readOnly = server.pool({ options: "-c default_transaction_read_only=on" });
    const log = await startedRun(postgresStore({ client: server.pool(), leaseMs: 0 }), "run", 2);
    const store = postgresStore({ client: readOnly });
    assertEquals(await store.readRun("run"), log.lines);
    assertEquals(await store.listRuns({ unfinished: true, idle: true }), ["run"]);
    const write = () => store.writeIntent("run", log.next());
    const { durability } = await assertRejects(write, StoreFailedError, "SQLSTATE 25006");
    assertEquals(durability, "none");
  },
);

serverTest("lets one of two drivers act whatever the isolation of transactions", async (server) => {
  for (const isolation of ["repeatable\\ read", "serializable"]) {
    const options = `-c default_transaction_isolation=${isolation}`;
    const stores = [0, 1].map(() =>
      postgresStore({ client: server.pool({ options }), leaseMs: 0 })
    );
    for (let race = 0; race < 20; race++) {
      const log = await startedRun(stores[0]!, `${isolation.slice(0, 6)}-${race}`, 1);
      await stores[0]!.releaseRun(log.runId);
      const entry = log.next();
      const tries = await Promise.allSettled(stores.map((s) => s.writeIntent(log.runId, entry)));
      const lost = tries.flatMap((tried) => tried.status === "rejected" ? [tried.reason] : []);
      assertEquals(lost.length, 1);
      assert(lost[0] instanceof RunConflictError, `${lost[0]}`);
      assertEquals(await stores[1]!.readRun(log.runId), log.lines);
    }
  }
});

serverTest("changes no text in a database of another encoding: it refuses it", async (server) => {
  const admin = server.pool();
  for (const encoding of ["LATIN1", "SQL_ASCII"]) {
    const database = encoding.toLowerCase();
    await admin.query(`CREATE DATABASE ${database} ENCODING '${encoding}' TEMPLATE template0`);
    const pool = server.pool({ connectionString: server.url.replace(/[^/]+$/, database) });
    await pool.query(postgresSchema());
    const store = postgresStore({ client: pool });
    const log = await startedRun(store, "run", 1);
    const entry = log.next('{"text":"東京 🏠"}');
    const write = store.writeIntent("run", entry);
    if (encoding === "LATIN1") {
      const { durability } = await assertRejects(() => write, StoreFailedError, "SQLSTATE 22P05");
      assertEquals(durability, "none");
      assertEquals(await store.readRun("run"), log.lines.slice(0, 1));
    } else {
      await write;
      assertEquals(await store.readRun("run"), log.lines);
    }
  }
});
