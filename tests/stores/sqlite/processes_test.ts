import { assert, assertEquals } from "@std/assert";
import { sqliteStore } from "../../../stores/sqlite.ts";
import {
  acknowledged,
  asAcknowledged,
  assertMade,
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
    const runId = "killed";
    const made = await killAfter(startDriver("sqlite", "drive", path, runId, 100_000), 4);
    const lines = await sqliteStore({ path }).readRun(runId);
    assertEquals(asAcknowledged(lines!).slice(0, made.length), made);
    assert(lines!.length <= made.length + 1, "an entry that was never issued");
  });
});

/** How many entries each process makes in a run of its own, and all of them together in one more. */
const LENGTH = 20;

Deno.test("sqliteStore() is made by four processes at once, and lets one of them write each entry of a run", async () => {
  await withDir(async (path) => {
    const drivers = [1, 2, 3, 4].map((n) =>
      startDriver("sqlite", "both", path, `own-${n}`, LENGTH)
    );
    await assertMade(sqliteStore({ path }), await Promise.all(drivers.map(acknowledged)), LENGTH);
  });
});
