import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { kvStore } from "../../../stores/kv.ts";
import { RunConflictError, StoreFailedError } from "../../../types/mod.ts";
import { withRun } from "./kv_run.ts";

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

const locked = () => Promise.reject(new TypeError("database is locked"));

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
    const beside = kvStore({ leaseMs: 0, kv });
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
