import { assert, assertEquals } from "@std/assert";
import { kvStore } from "../../../stores/kv.ts";
import {
  acknowledged,
  asAcknowledged,
  assertMade,
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
    const runId = "killed";
    const made = await killAfter(startDriver("kv", "drive", path, runId, 100_000), 4);
    using kv = await open();
    const lines = await kvStore({ leaseMs: 0, kv }).readRun(runId);
    assertEquals(asAcknowledged(lines!).slice(0, made.length), made);
    assert(lines!.length <= made.length + 1, "an entry that was never issued");
  });
});

/** How many entries each process makes in a run of its own, and all of them together in one more. */
const LENGTH = 20;

Deno.test("kvStore() serves four processes on one file, and lets one of them write each entry of a run", async () => {
  await withKv(async (path, open) => {
    (await open()).close();
    const drivers = [1, 2, 3, 4].map((n) => startDriver("kv", "both", path, `own-${n}`, LENGTH));
    const made = await Promise.all(drivers.map(acknowledged));
    using kv = await open();
    const store = kvStore({ leaseMs: 0, kv });
    await assertMade(store, made, LENGTH);
  });
});
