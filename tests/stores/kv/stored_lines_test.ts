import { assert, assertEquals, assertRejects } from "@std/assert";
import { RunLogCorruptError, StoreFailedError } from "../../../types/mod.ts";
import { keys, LARGE, withRun } from "./kv_run.ts";

Deno.test("kvStore() keeps a line as its UTF-8 bytes, in one commit with one value", async () => {
  await withRun(async ({ faults, store, log }) => {
    const entry = log.next('"é 🌊"');
    await store.writeOutcome("run", entry);
    assertEquals(faults.commits.length, 1);
    const { bytes } = faults.commits[0]!.sets[0]!.value as { bytes: Uint8Array };
    assertEquals(bytes, new TextEncoder().encode(entry.line));
    assertEquals(faults.commits[0]!.sets.length, 1);
  });
});

Deno.test("kvStore() writes a large line as chunks first, then one small commit", async () => {
  await withRun(async ({ faults, store, log }) => {
    await store.writeIntent("run", log.next(LARGE));
    const published = faults.commits.pop()!;
    const total = 800_000 + log.lines.at(-1)!.length - LARGE.length + 2;
    const chunks = faults.commits.flatMap((it) => it.sets.map(({ value }) => value as Uint8Array));
    assertEquals(faults.commits.map((it) => it.checks.length), [0, 0]);
    assert(chunks.every((chunk) => chunk.length <= 60_000), "a chunk is too large");
    assertEquals(chunks.reduce((sum, chunk) => sum + chunk.length, 0), total);
    assertEquals(published.checks.length, 3);
    assertEquals(published.sets.length, 1);
    assertEquals((published.sets[0]!.value as { bytes: unknown }).bytes, chunks.length);
    assertEquals(await store.readRun("run"), log.lines);
  });
});

Deno.test("kvStore() keeps 60,000 bytes in one value and one more in chunks", async () => {
  await withRun(async ({ faults, store, log }) => {
    const frame = log.fork().next('""').line.length;
    await store.writeIntent("run", log.next(JSON.stringify("x".repeat(60_000 - frame))));
    assertEquals(faults.commits.length, 1);
    const longer = log.fork().next('""').line.length;
    await store.writeIntent("run", log.next(JSON.stringify("x".repeat(60_001 - longer))));
    assertEquals(faults.commits.length, 3);
    assertEquals(log.lines.slice(2).map((line) => line.length), [60_000, 60_001]);
    assertEquals(await store.readRun("run"), log.lines);
  });
});

Deno.test("kvStore() shows no entry whose chunks were not published; deleteRun() sweeps them", async () => {
  await withRun(async ({ kv, faults, store, log }) => {
    faults.onCommit = (commit, { sets }) =>
      sets[0]!.value instanceof Uint8Array ? commit() : Promise.reject(new Error("killed"));
    await assertRejects(() => store.writeIntent("run", log.fork().next(LARGE)), StoreFailedError);
    delete faults.onCommit;
    assert((await keys(kv)).some((key) => key.includes("chunk")), "no chunk was orphaned");
    assertEquals(await store.readRun("run"), log.lines);
    await store.writeIntent("run", log.next(LARGE));
    assertEquals(await store.readRun("run"), log.lines);
    assertEquals(await store.deleteRun("run"), true);
    assertEquals(await keys(kv), []);
  });
});

Deno.test("kvStore() publishes no entry one of whose chunks was not written", async () => {
  await withRun(async ({ faults, store, log }) => {
    faults.onCommit = (commit) =>
      faults.commits.length === 2 ? Promise.reject(new Error("killed")) : commit();
    const entry = log.fork().next(LARGE);
    const error = await assertRejects(() => store.writeIntent("run", entry), StoreFailedError);
    assertEquals(error.durability, "none");
    assertEquals(faults.commits.map((it) => it.checks.length), [0, 0]);
  });
});

Deno.test("kvStore() refuses to read what is not kept as an entry is", async () => {
  const faults: readonly (readonly [string, (kv: Deno.Kv, key: Deno.KvKey) => Promise<unknown>])[] =
    [
      ["not kept as an entry is", (kv, key) => kv.set(key, "junk")],
      ["not kept as an entry is", (kv, key) => kv.set(key, { token: 1, bytes: 2 })],
      ["not UTF-8", (kv, key) => kv.set(key, { token: "t", bytes: new Uint8Array([0xff]) })],
      ["chunk of it is missing", (kv, key) => kv.set(key, { token: "t", bytes: 2 })],
      ["another in its place", (kv, key) => kv.set([...key.slice(0, -1), 5], "junk")],
    ];
  for (const [reason, damage] of faults) {
    await withRun(async ({ kv, store }) => {
      const key = (await keys(kv)).find((key) => key.includes("entry") && key.at(-1) === 1)!;
      if (reason.includes("place")) await kv.delete(key);
      await damage(kv, key);
      const error = await assertRejects(() => store.readRun("run"), RunLogCorruptError, reason);
      assertEquals(error.seq, 1);
    });
  }
});

Deno.test("kvStore() refuses to read a large entry that lost a chunk", async () => {
  await withRun(async ({ kv, store, log }) => {
    await store.writeIntent("run", log.next(LARGE));
    const chunks = (await keys(kv)).filter((key) => key.includes("chunk"));
    for (const lost of [chunks[0]!, chunks.at(-1)!]) {
      const { value } = await kv.get(lost);
      await kv.delete(lost);
      await assertRejects(() => store.readRun("run"), RunLogCorruptError, "chunk");
      await kv.set(lost, value);
    }
    assertEquals(await store.readRun("run"), log.lines);
  });
});
