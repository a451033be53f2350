import { assert, assertEquals } from "@std/assert";
import { sqliteStore } from "../../../stores/sqlite.ts";
import { logBuilder } from "../../contract/_log_builder.ts";
import {
  acknowledged,
  asAcknowledged,
  killAfter,
  startDriver,
} from "../drivers/database_processes.ts";

async function withDir(body: (path: string) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir();
  try {
    await body(`${dir}/runs.db`);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("sqliteStore() keeps what a killed process had acknowledged", async () => {
  await withDir(async (path) => {
    for (const n of [1, 2, 4, 17]) {
      const runId = `killed-${n}`;
      const made = await killAfter(startDriver("sqlite", "drive", path, runId, 100_000), n);
      const lines = await sqliteStore({ path }).readRun(runId);
      assertEquals(asAcknowledged(lines!).slice(0, made.length), made);
      assert(lines!.length <= made.length + 1, "an entry that was never issued");
    }
  });
});

Deno.test("sqliteStore() lets one of four racing processes write each entry", async () => {
  await withDir(async (path) => {
    const store = sqliteStore({ path });
    await store.startRun("race", logBuilder("race").start());
    await store.releaseRun("race");
    const racers = [1, 2, 3, 4].map(() => startDriver("sqlite", "race", path, "race", 40));
    const made = (await Promise.all(racers.map(acknowledged))).flat();
    const lines = await store.readRun("race");
    assertEquals(made.length, 39);
    assertEquals(new Set(made), new Set(asAcknowledged(lines!).slice(1)));
  });
});

Deno.test("sqliteStore() is made by four processes at once", async () => {
  await withDir(async (path) => {
    const drivers = [1, 2, 3, 4].map((n) => startDriver("sqlite", "drive", path, `own-${n}`, 25));
    for (const made of await Promise.all(drivers.map(acknowledged))) assertEquals(made.length, 25);
    const runs = await sqliteStore({ path }).listRuns();
    assertEquals(runs, ["own-1", "own-2", "own-3", "own-4"]);
  });
});
