import { assertEquals, assertInstanceOf } from "@std/assert";
import { kvStore } from "../../../stores/kv.ts";
import type { KvDatabase } from "../../../stores/_kv/database.ts";
import { PolyLoopError } from "../../../types/mod.ts";
import { logBuilder } from "../../contract/_log_builder.ts";

const ROOT = ["polyloop", "v1"];
const RUNS = ["a", "b", "c", "d"];

/** Some runs in a database in memory, each of three entries, and their lines. */
async function withRuns(
  body: (kv: Deno.Kv, linesOf: (runId: string) => readonly string[]) => Promise<void>,
): Promise<void> {
  using kv = await Deno.openKv(":memory:");
  const store = kvStore({ leaseMs: 0, kv });
  const logs = new Map(RUNS.map((runId) => [runId, logBuilder(runId)]));
  for (const [runId, log] of logs) {
    await store.startRun(runId, log.start());
    for (let i = 0; i < 2; i++) await store.writeIntent(runId, log.next());
  }
  await body(kv, (runId) => logs.get(runId)?.lines ?? []);
}

/** What readRuns() gives of each run: its lines, and the message where they end in an error. */
async function readAll(kv: KvDatabase): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for await (const { runId, lines } of kvStore({ kv }).readRuns()) {
    const given: string[] = [];
    try {
      for await (const some of lines) given.push(...some.length === 0 ? ["nothing"] : some);
    } catch (error) {
      assertInstanceOf(error, PolyLoopError);
      given.push(error.message);
    }
    found.set(runId, given);
  }
  return found;
}

/** The key of an entry of run `b`. */
async function keyIn(kv: Deno.Kv, seq: number): Promise<Deno.KvKey> {
  const { value } = await kv.get([...ROOT, "run", "b"]);
  return [...ROOT, "entry", "b", String(value), seq];
}

const DAMAGE: Readonly<Record<string, (kv: Deno.Kv) => Promise<unknown>>> = {
  "an entry that is missing": async (kv) => kv.delete(await keyIn(kv, 1)),
  "an entry that is no entry": async (kv) => kv.set(await keyIn(kv, 1), "x"),
  "an entry that is not UTF-8": async (kv) =>
    kv.set(await keyIn(kv, 1), { token: "x", bytes: Uint8Array.of(0xff) }),
  "an entry whose chunks are missing": async (kv) =>
    kv.set(await keyIn(kv, 1), { token: "x", bytes: 3 }),
};

for (const [what, damage] of Object.entries(DAMAGE)) {
  Deno.test(`readRuns() of KV tells of ${what} where its run is read, and gives the others`, async () => {
    await withRuns(async (kv, linesOf) => {
      await damage(kv);
      const found = await readAll(kv);
      assertEquals([...found.keys()], RUNS);
      for (const runId of ["a", "c", "d"]) assertEquals(found.get(runId), linesOf(runId));
      const [first, told, ...more] = found.get("b") ?? [];
      assertEquals([first, more], [linesOf("b")[0], []]);
      assertEquals(/^Cannot read entry 1 of run "b"/.test(told ?? ""), true, told);
    });
  });
}

Deno.test("readRuns() of KV leaves out what is left of runs that were removed, or started anew", async () => {
  await withRuns(async (kv, linesOf) => {
    const left = [["a", "z", 3], ["aa", "0", 0], ["b", "0", 0], ["b", "z", 0], ["e", "z", 0]];
    for (const key of left) {
      await kv.set([...ROOT, "entry", ...key], {
        token: "x",
        bytes: new TextEncoder().encode("x"),
      });
    }
    await kv.set([...ROOT, "run", "bb"], "x");
    const expected = RUNS.map((runId) => [runId, linesOf(runId)] as const);
    assertEquals(await readAll(kv), new Map([...expected, ["bb", []]]));
  });
});

Deno.test("readRuns() of KV gives a run that is started anew while it reads ahead as it is then", async () => {
  await withRuns(async (kv, linesOf) => {
    const log = logBuilder("b");
    let isStartedAnew = false;
    const changing: KvDatabase = {
      get: (key, options) => kv.get(key, options),
      atomic: () => kv.atomic(),
      async *list(selector, options) {
        const entries = await Array.fromAsync(kv.list(selector, options));
        if (selector.prefix.includes("entry") && !isStartedAnew) {
          isStartedAnew = true;
          const store = kvStore({ leaseMs: 0, kv });
          await store.deleteRun("b");
          await store.startRun("b", log.start());
        }
        yield* entries;
      },
    };
    const found = await readAll(changing);
    assertEquals(found.get("b"), log.lines);
    for (const runId of ["a", "c", "d"]) assertEquals(found.get(runId), linesOf(runId));
  });
});
