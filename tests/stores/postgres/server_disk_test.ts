import { assert, assertEquals, assertRejects } from "@std/assert";
import { postgresSchema, postgresStore } from "../../../stores/postgres.ts";
import { StoreFailedError } from "../../../mod.ts";
import { frameLogLine, parseLogLine } from "../../../types/mod.ts";
import { logBuilder } from "../../contract/_log_builder.ts";
import { mayMount, withSmallDisk } from "../drivers/sqlite_small_disk.ts";
import type { PoolClient } from "./npm_clients.ts";
import { serverTest } from "./server.ts";

/** Text that no compression makes much smaller. */
function noise(length: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length / 2));
  return JSON.stringify(Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(""));
}

/** Writes to tables on a small disk until it is full, then goes on on a larger one. */
async function fillDisk(pool: PoolClient, dir: string): Promise<void> {
  await pool.query(`CREATE TABLESPACE small LOCATION '${dir}'`);
  await pool.query("CREATE SCHEMA small");
  await pool.query("SET default_tablespace = small");
  await pool.query(postgresSchema("small"));
  const store = postgresStore({ client: pool, schema: "small" });
  const log = logBuilder("run");
  await store.startRun("run", log.start());
  const failure = await assertRejects(
    async () => {
      for (;;) await store.writeIntent("run", log.next(noise(60_000)));
    },
    StoreFailedError,
    "SQLSTATE 53100",
  );
  assertEquals([failure.runId, failure.durability], ["run", "none"]);
  const kept = log.lines.slice(0, -1);
  assert(kept.length > 5, `${kept.length} entries fitted`);
  assertEquals(await store.readRun("run"), kept);

  await pool.query("ALTER TABLE small.polyloop_v1_entries SET TABLESPACE pg_default");
  const last = parseLogLine(kept.at(-1)!);
  assert(last.ok);
  const { seq, hash } = last.entry;
  await store.finishRun("run", frameLogLine(seq + 1, hash, '{"type":"run_finished"}'));
  assertEquals((await store.readRun("run"))?.slice(0, -1), kept);
}

serverTest("refuses what a full disk cannot take, and keeps the rest", async (server) => {
  if (!mayMount) return;
  await withSmallDisk(2_000, async (dir) => {
    await server.own(dir);
    try {
      await fillDisk(server.pool({ max: 1 }), dir);
    } finally {
      await server.stop("immediate");
    }
  });
});
