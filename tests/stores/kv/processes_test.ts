import { assert, assertEquals } from "@std/assert";
import { kvStore } from "../../../stores/kv.ts";
import { logBuilder } from "../../contract/_log_builder.ts";
import {
  acknowledged,
  asAcknowledged,
  killAfter,
  startDriver,
} from "../drivers/database_processes.ts";

async function withKv(
  body: (path: string, open: () => Promise<Deno.Kv>) => Promise<void>,
): Promise<void> {
  const dir = await Deno.makeTempDir();
  const path = `${dir}/runs.kv`;
  try {
    await body(path, () => Deno.openKv(path));
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("kvStore() keeps what a killed process had acknowledged", async () => {
  await withKv(async (path, open) => {
    for (const n of [1, 2, 4, 17]) {
      const runId = `killed-${n}`;
      const made = await killAfter(startDriver("kv", "drive", path, runId, 100_000), n);
      using kv = await open();
      const lines = await kvStore({ leaseMs: 0, kv }).readRun(runId);
      assertEquals(asAcknowledged(lines!).slice(0, made.length), made);
      assert(lines!.length <= made.length + 1, "an entry that was never issued");
    }
  });
});

Deno.test("kvStore() lets one of four racing processes write each entry", async () => {
  await withKv(async (path, open) => {
    using kv = await open();
    const store = kvStore({ leaseMs: 0, kv });
    await store.startRun("race", logBuilder("race").start());
    const racers = [1, 2, 3, 4].map(() => startDriver("kv", "race", path, "race", 40));
    const made = (await Promise.all(racers.map(acknowledged))).flat();
    const lines = await store.readRun("race");
    assertEquals(made.length, 39);
    assertEquals(new Set(made), new Set(asAcknowledged(lines!).slice(1)));
  });
});

Deno.test("kvStore() serves four processes on one file, which lock each other out", async () => {
  await withKv(async (path, open) => {
    (await open()).close();
    const drivers = [1, 2, 3, 4].map((n) => startDriver("kv", "drive", path, `own-${n}`, 50));
    for (const made of await Promise.all(drivers.map(acknowledged))) assertEquals(made.length, 50);
    using kv = await open();
    for (const runId of await kvStore({ leaseMs: 0, kv }).listRuns()) {
      assertEquals((await kvStore({ leaseMs: 0, kv }).readRun(runId))?.length, 50);
    }
  });
});
