import { assert, assertEquals, assertRejects } from "@std/assert";
import { postgresSchema, postgresStore } from "../../../stores/postgres.ts";
import { RunConflictError, type RunStore, StoreFailedError } from "../../../mod.ts";
import { logBuilder } from "../../contract/_log_builder.ts";
import {
  acknowledged,
  asAcknowledged,
  killAfter,
  startDriver,
} from "../drivers/database_processes.ts";
import type { PoolClient } from "./npm_clients.ts";
import { type PostgresServer, serverTest } from "./server.ts";

const RACES = 200;

serverTest(`lets one of two drivers over two pools act, in ${RACES} races`, async (server) => {
  for (const leaseMs of [0, 30_000]) {
    const stores = [0, 1].map(() => postgresStore({ client: server.pool(), leaseMs }));
    for (let race = 0; race < RACES; race++) {
      const runId = `race-${leaseMs}-${race}`;
      const log = logBuilder(runId);
      await stores[0]!.startRun(runId, log.start());
      await stores[0]!.releaseRun(runId);
      const entry = log.next();
      const tries = await Promise.allSettled(stores.map((s) => s.writeIntent(runId, entry)));
      const won = tries.filter(({ status }) => status === "fulfilled").length;
      assertEquals(won, 1, `race ${race} with leases of ${leaseMs} ms`);
      assertEquals(await stores[1]!.readRun(runId), log.lines);
    }
  }
});

serverTest("keeps what a killed process had acknowledged", async (server) => {
  const store = postgresStore({ client: server.pool(), leaseMs: 0 });
  for (const n of [1, 2, 4, 17]) {
    const runId = `killed-${n}`;
    const made = await killAfter(startDriver("postgres", "drive", server.url, runId, 100_000), n);
    const lines = await store.readRun(runId);
    assertEquals(asAcknowledged(lines!).slice(0, made.length), made);
    assert(lines!.length <= made.length + 1, "an entry that was never issued");
  }
});

serverTest("lets one of four racing processes write each entry", async (server) => {
  const store = postgresStore({ client: server.pool(), leaseMs: 0 });
  await store.startRun("race", logBuilder("race").start());
  const racers = [1, 2, 3, 4].map(() => startDriver("postgres", "race", server.url, "race", 40));
  const made = (await Promise.all(racers.map(acknowledged))).flat();
  const lines = await store.readRun("race");
  assertEquals(made.length, 39);
  assertEquals(new Set(made), new Set(asAcknowledged(lines!).slice(1)));
});

/** Drives a run until a write fails; gives its lines and how many of them the last barrier has covered. */
async function driveUntilFailure(store: RunStore, runId: string, onBarrier: () => void) {
  const log = logBuilder(runId);
  let durable = 0;
  try {
    await store.startRun(runId, log.start());
    for (durable = 1;;) {
      await store.writeOutcome(runId, log.next());
      await store.writeIntent(runId, log.next());
      durable = log.lines.length;
      onBarrier();
    }
  } catch (error) {
    assert(error instanceof StoreFailedError, `${error}`);
  }
  return { log, durable };
}

serverTest("keeps every barrier when the server stops at once under load", async (server) => {
  const store = postgresStore({ client: server.pool() });
  for (let round = 0; round < 3; round++) {
    let barriers = 0;
    const loaded = Promise.withResolvers<void>();
    const driven = Array.from(
      { length: 8 },
      (_, i) =>
        driveUntilFailure(store, `load-${round}-${i}`, () => {
          if (++barriers === 200) loaded.resolve();
        }),
    );
    await loaded.promise;
    await server.stop("immediate");
    const ended = await Promise.all(driven);
    await server.start();
    for (const { log, durable } of ended) {
      const lines = await store.readRun(log.runId) ?? [];
      assert(lines.length >= durable, `${log.runId}: ${lines.length} of ${durable} entries`);
      assertEquals(lines, log.lines.slice(0, lines.length));
      const restored = logBuilder(log.runId);
      restored.start();
      while (restored.lines.length < lines.length) restored.next();
      await store.writeIntent(log.runId, restored.next());
      await store.finishRun(log.runId, restored.finish());
      await store.releaseRun(log.runId);
    }
  }
});

serverTest("says at the release that a result is gone that the server lost", async (server) => {
  const store = postgresStore({ client: server.pool() });
  const log = logBuilder("lost");
  await store.startRun("lost", log.start());
  await store.writeOutcome("lost", log.next());
  await server.stop("immediate");
  await server.start();
  const { durability } = await assertRejects(() => store.releaseRun("lost"), StoreFailedError);
  assertEquals(durability, "unknown");
  assertEquals((await store.readRun("lost"))?.length, 1);
});

serverTest("refuses to go on after results that the server lost", async (server) => {
  const store = postgresStore({ client: server.pool() });
  const log = logBuilder("gap");
  await store.startRun("gap", log.start());
  await store.writeOutcome("gap", log.next());
  await server.stop("immediate");
  await server.start();
  const write = store.writeIntent("gap", log.next());
  await assertRejects(() => write, RunConflictError, "the server has lost entries");
  assertEquals(await store.readRun("gap"), log.lines.slice(0, 1));
});

serverTest("makes a result durable by the release", async (server) => {
  const store = postgresStore({ client: server.pool() });
  const log = logBuilder("kept");
  await store.startRun("kept", log.start());
  await store.writeOutcome("kept", log.next());
  await store.releaseRun("kept");
  await server.stop("immediate");
  await server.start();
  assertEquals(await store.readRun("kept"), log.lines);
});

/** Holds the row of a run while a write of it waits for it; gives the process id of the writer's backend. */
async function whileItWaits(
  server: PostgresServer,
  write: () => Promise<void>,
  body: (admin: PoolClient, backend: number) => Promise<void>,
): Promise<PromiseSettledResult<void>> {
  const [holder, admin] = [server.pool({ max: 1 }), server.pool()];
  await holder.query("BEGIN");
  await holder.query("SELECT FROM polyloop_v1_runs FOR UPDATE");
  const [writing] = [Promise.allSettled([write()])];
  const waiting = "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
  let backend: unknown;
  while (backend === undefined) backend = (await admin.query(waiting)).rows[0]?.pid;
  await body(admin, Number(backend));
  const [result] = await writing;
  await holder.query("ROLLBACK");
  return result;
}

for (
  const [what, pool, state, durability] of [
    ["backend is terminated", {}, "57P01", "unknown"],
    ["statement times out", { statement_timeout: 500 }, "57014", "none"],
  ] as const
) {
  serverTest(`goes on after a read when a ${what}`, async (server) => {
    const store = postgresStore({ client: server.pool(pool) });
    const log = logBuilder("run");
    await store.startRun("run", log.start());
    const entry = log.next();
    const result = await whileItWaits(
      server,
      () => store.writeIntent("run", entry),
      (admin, pid) =>
        state === "57P01"
          ? admin.query("SELECT pg_terminate_backend($1::int)", [pid]).then(() => {})
          : Promise.resolve(),
    );
    const error = result.status === "rejected" ? result.reason : undefined;
    assert(error instanceof StoreFailedError && error.message.includes(state), `${error}`);
    assertEquals(error.durability, durability);
    await assertRejects(() => store.writeIntent("run", entry), StoreFailedError, "read the run");
    assertEquals(await store.readRun("run"), log.lines.slice(0, 1));
    await store.writeIntent("run", entry);
    assertEquals(await store.readRun("run"), log.lines);
  });
}

serverTest("says how to make the tables where they are not", async (server) => {
  const pool = server.pool();
  for (const schema of ["nowhere", "empty"]) {
    if (schema === "empty") await pool.query("CREATE SCHEMA empty");
    const store = postgresStore({ client: pool, schema });
    await assertRejects(() => store.listRuns(), StoreFailedError, "postgresSchema()");
    const start = () => store.startRun("run", logBuilder("run").start());
    await assertRejects(start, StoreFailedError, "postgresSchema()");
  }
  for (let time = 0; time < 2; time++) await pool.query(postgresSchema("empty"));
  assertEquals(await postgresStore({ client: pool, schema: "empty" }).listRuns(), []);
});
