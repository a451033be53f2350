import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { KvDatabase } from "../../../stores/_kv/database.ts";
import { kvStore } from "../../../stores/kv.ts";
import {
  RunConflictError,
  RunExistsError,
  RunLogCorruptError,
  StoreFailedError,
} from "../../../types/mod.ts";
import { logBuilder } from "../../contract/_log_builder.ts";
import { faultyKv, type KvFaults } from "../drivers/kv_faults.ts";

/** A store over a real database in memory, with a run in it that has two entries. */
async function withRun(
  body: (
    given: {
      kv: Deno.Kv;
      faults: KvFaults;
      store: ReturnType<typeof kvStore>;
      log: ReturnType<typeof logBuilder>;
    },
  ) => Promise<void>,
): Promise<void> {
  using kv = await Deno.openKv(":memory:");
  const faults: KvFaults = { commits: [] };
  const store = kvStore({ kv: faultyKv(kv, faults) });
  const log = logBuilder("run");
  await store.startRun("run", log.start());
  await store.writeIntent("run", log.next());
  faults.commits.length = 0;
  await body({ kv, faults, store, log });
}

/** Runs a body in a world whose timers fire at once. */
async function withoutPauses(body: () => Promise<void>): Promise<number> {
  const real = globalThis.setTimeout;
  let pauses = 0;
  const atOnce = (callback: () => void) => {
    pauses++;
    queueMicrotask(callback);
    return 0;
  };
  Object.assign(globalThis, { setTimeout: atOnce });
  try {
    await body();
  } finally {
    Object.assign(globalThis, { setTimeout: real });
  }
  return pauses;
}

async function keys(kv: Deno.Kv): Promise<Deno.KvKey[]> {
  const found: Deno.KvKey[] = [];
  for await (const { key } of kv.list({ prefix: [] })) found.push(key);
  return found;
}

const LARGE = JSON.stringify("🌊".repeat(200_000));
const locked = () => Promise.reject(new TypeError("database is locked"));

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

Deno.test("kvStore() reads with strong consistency everywhere", async () => {
  using kv = await Deno.openKv(":memory:");
  const asked: unknown[] = [];
  const watching: KvDatabase = {
    get(key, options) {
      asked.push(options.consistency);
      return kv.get(key, options);
    },
    list(selector, options) {
      asked.push(options.consistency);
      return kv.list(selector, options);
    },
    atomic: () => kv.atomic(),
  };
  const log = logBuilder("run");
  await kvStore({ kv: watching }).startRun("run", log.start());
  await kvStore({ kv: watching }).writeIntent("run", log.next(LARGE));
  const store = kvStore({ kv: watching });
  await store.readRun("run");
  await store.listRuns();
  await store.deleteRun("run");
  assert(asked.length >= 9, "the reads were not seen");
  assertEquals(new Set(asked), new Set(["strong"]));
});

Deno.test("kvStore() tries a locked database again, after a look each time", async () => {
  await withRun(async ({ faults, store, log }) => {
    const moves: string[] = [];
    let tries = 0;
    faults.onRead = () => void moves.push("look");
    faults.onCommit = (commit) => {
      moves.push("commit");
      return ++tries < 4 ? locked() : commit();
    };
    const pauses = await withoutPauses(() => store.writeIntent("run", log.next()));
    assertEquals(pauses, 3);
    assertEquals(moves, ["commit", "look", "commit", "look", "commit", "look", "commit"]);
    assertEquals(await store.readRun("run"), log.lines);
  });
});

Deno.test("kvStore() does not commit again what took effect and was called locked", async () => {
  await withRun(async ({ faults, store, log }) => {
    faults.onCommit = async (commit) => {
      await commit();
      return await locked();
    };
    await store.writeIntent("run", log.next());
    await store.writeOutcome("run", log.next());
    assertEquals(faults.commits.length, 2);
    assertEquals(await store.readRun("run"), log.lines);
  });
});

Deno.test("kvStore() takes its own commit for its own where a retry of the client failed the check", async () => {
  await withRun(async ({ faults, store, log }) => {
    faults.onCommit = async (commit) => {
      await commit();
      return { ok: false };
    };
    await store.writeIntent("run", log.next());
    assertEquals(await store.readRun("run"), log.lines);
  });
});

Deno.test("kvStore() does not take another driver's equal bytes for its own", async () => {
  await withRun(async ({ kv, faults, store, log }) => {
    const entry = log.next();
    const beside = kvStore({ kv });
    faults.onCommit = async () => {
      await beside.writeIntent("run", entry);
      return await locked();
    };
    await assertRejects(() => store.writeIntent("run", entry), RunConflictError);
    await beside.writeIntent("run", log.next());
    assertEquals(await store.readRun("run"), log.lines);
  });
});

Deno.test("kvStore() gives a database up that stays locked: nothing was written", async () => {
  await withRun(async ({ faults, store, log }) => {
    faults.onCommit = locked;
    await withoutPauses(async () => {
      const error = await assertRejects(
        () => store.writeIntent("run", log.fork().next()),
        StoreFailedError,
        "database is locked",
      );
      assertEquals([error.runId, error.durability], ["run", "none"]);
    });
    assertEquals(faults.commits.length, 60);
  });
});

Deno.test("kvStore() tries a commit once that failed for another reason, and says unknown", async () => {
  await withRun(async ({ faults, store, log }) => {
    faults.onCommit = () => Promise.reject(new TypeError("connection reset"));
    const entry = log.next();
    const error = await assertRejects(() => store.writeIntent("run", entry), StoreFailedError);
    assertEquals([error.runId, error.durability], ["run", "unknown"]);
    assertStringIncludes(error.message, "connection reset");
    assertEquals(faults.commits.length, 1);
    delete faults.onCommit;
    await assertRejects(() => store.writeIntent("run", entry), StoreFailedError, "read the run");
    await store.readRun("run");
    await store.writeIntent("run", entry);
  });
});

Deno.test("kvStore() says unknown where it cannot look for its token", async () => {
  await withRun(async ({ faults, store, log }) => {
    faults.onCommit = async (commit) => {
      await commit();
      throw new TypeError("connection reset");
    };
    faults.onRead = () => {
      throw new TypeError("no route to host");
    };
    const entry = log.next();
    const error = await assertRejects(() => store.writeIntent("run", entry), StoreFailedError);
    assertEquals(error.durability, "unknown");
    delete faults.onCommit;
    delete faults.onRead;
    assertEquals(await store.readRun("run"), log.lines);
  });
});

Deno.test("kvStore() reports what cannot be read, naming the run", async () => {
  await withRun(async ({ faults, store }) => {
    faults.onRead = () => {
      throw new TypeError("no route to host");
    };
    const error = await assertRejects(() => store.readRun("run"), StoreFailedError);
    assertEquals(error.runId, "run");
    await assertRejects(() => store.listRuns(), StoreFailedError, "no route to host");
    await assertRejects(() => store.deleteRun("run"), StoreFailedError, "no route to host");
  });
});

Deno.test("kvStore() reports a database that was closed", async () => {
  const kv = await Deno.openKv(":memory:");
  const store = kvStore({ kv });
  const log = logBuilder("run");
  await store.startRun("run", log.start());
  kv.close();
  await assertRejects(() => store.writeIntent("run", log.next()), StoreFailedError);
  await assertRejects(() => store.readRun("run"), StoreFailedError);
});

Deno.test("kvStore() lets one of two starts at once through", async () => {
  using kv = await Deno.openKv(":memory:");
  const stores = [kvStore({ kv }), kvStore({ kv })];
  const entry = logBuilder("run").start();
  const results = await Promise.allSettled(stores.map((store) => store.startRun("run", entry)));
  const refused = results.filter((it) => it.status === "rejected");
  assertEquals(refused.length, 1);
  assert(refused[0]!.reason instanceof RunExistsError);
});

Deno.test("kvStore() refuses the driver of a run that was removed and rebuilt with equal bytes", async () => {
  using kv = await Deno.openKv(":memory:");
  const [first, other] = [kvStore({ kv }), kvStore({ kv })];
  const log = logBuilder("run");
  const [start, second, third] = [log.start(), log.next(), log.next()];
  await first.startRun("run", start);
  await first.writeIntent("run", second);
  await other.deleteRun("run");
  await other.startRun("run", start);
  await other.writeIntent("run", second);
  await assertRejects(() => first.writeIntent("run", third), RunConflictError);
  await other.writeIntent("run", third);
});

Deno.test("kvStore() does not let two drivers in one process interleave when they write at once", async () => {
  await withRun(async ({ store, log }) => {
    const [fast, slow] = [log.next(), log.fork()];
    const results = await Promise.allSettled([
      store.writeIntent("run", fast),
      store.writeIntent("run", fast),
    ]);
    assertEquals(results.map((it) => it.status).sort(), ["fulfilled", "rejected"]);
    await store.writeIntent("run", log.next());
    await assertRejects(() => store.writeIntent("run", slow.next()), RunConflictError);
    await store.writeIntent("run", log.next());
  });
});

Deno.test("kvStore() marks a run unfinished until the commit that finishes it", async () => {
  await withRun(async ({ kv, faults, store, log }) => {
    const unfinished = async () => (await keys(kv)).filter((key) => key.includes("unfinished"));
    assertEquals((await unfinished()).length, 1);
    await store.finishRun("run", log.finish());
    assertEquals(faults.commits.length, 1);
    assertEquals(await unfinished(), []);
    assertEquals(await store.listRuns({ unfinished: true }), []);
    assertEquals(await store.listRuns(), ["run"]);
  });
});

Deno.test("kvStore() removes a long run in commits within KV's limits, and no run started since", async () => {
  await withRun(async ({ kv, faults, store, log }) => {
    for (let i = 0; i < 1200; i++) await store.writeOutcome("run", log.next());
    faults.commits.length = 0;
    let anew: Promise<void> | undefined;
    const again = logBuilder("run");
    faults.onCommit = async (commit, { deletes }) => {
      // Between the first and the second commit of the sweep another process starts the run anew.
      if (deletes.length > 2 && faults.commits.length === 3) {
        anew = kvStore({ kv }).startRun("run", again.start());
        await anew;
      }
      return await commit();
    };
    assertEquals(await store.deleteRun("run"), true);
    assert(anew !== undefined, "the sweep had one commit only");
    assertEquals(faults.commits.length, 3);
    assert(faults.commits.every((it) => it.deletes.length <= 500), "too many mutations");
    assertEquals(await store.readRun("run"), again.lines);
    delete faults.onCommit;
    await store.deleteRun("run");
    assertEquals(await keys(kv), []);
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

Deno.test("kvStore() goes on with a run that it holds, another store went on with, and it read", async () => {
  await withRun(async ({ kv, store, log }) => {
    const other = kvStore({ kv });
    await other.writeIntent("run", log.next());
    assertEquals(await store.readRun("run"), log.lines);
    await store.writeIntent("run", log.next());
    await assertRejects(() => other.writeIntent("run", log.fork().next()), RunConflictError);
  });
});
