import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { openSqliteStore } from "../../../stores/_sqlite/store.ts";
import { sqliteStore } from "../../../stores/sqlite.ts";
import { StoreFailedError } from "../../../types/mod.ts";
import { type LogBuilder, logBuilder } from "../../contract/_log_builder.ts";
import { faultyConnect, sqliteError, type SqliteFaults } from "../drivers/sqlite_faults.ts";
import { mayMount, withSmallDisk } from "../drivers/sqlite_small_disk.ts";

const FULL = 13;
const IOERR_FSYNC = 10 | (4 << 8);

async function withDir(body: (path: string) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir();
  try {
    await body(`${dir}/runs.db`);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

/** A store with faults and a run in it that has two entries. */
async function startedAt(path: string, runId = "run") {
  const faults: SqliteFaults = { open: 0 };
  const store = openSqliteStore(path, faultyConnect(faults));
  const log = logBuilder(runId);
  await store.startRun(runId, log.start());
  await store.writeIntent(runId, log.next());
  return { faults, store, log };
}

async function expectFailure(
  write: Promise<void>,
  durability: "none" | "unknown",
  path: string,
  runId = "run",
): Promise<StoreFailedError> {
  const error = await assertRejects(() => write, StoreFailedError);
  assertEquals({ runId: error.runId, durability: error.durability }, { runId, durability });
  assertStringIncludes(error.message, path);
  return error;
}

/** A second driver's entry, put in behind the store's back. */
function putBeside(path: string, log: LogBuilder, line: string): void {
  const other = new DatabaseSync(path);
  const last = other.prepare("SELECT id, run FROM entries ORDER BY id DESC LIMIT 1").get()!;
  other.prepare("INSERT INTO entries (previous, run, seq, token, line) VALUES (?, ?, ?, ?, ?)")
    .run(last.id!, last.run!, log.lines.length - 1, "another token", line);
  other.close();
}

Deno.test("sqliteStore() finds its token after a commit that took effect and threw, and syncs", async () => {
  await withDir(async (path) => {
    const { faults, store, log } = await startedAt(path);
    faults.onCommit = (commit) => {
      delete faults.onCommit;
      commit();
      throw sqliteError("interrupted", 9);
    };
    let syncs = 0;
    faults.onStatement = (sql) => void (sql.startsWith("PRAGMA user_version =") && syncs++);
    await store.writeIntent("run", log.next());
    assertEquals(syncs, 1);
    await store.finishRun("run", log.finish());
    assertEquals(await store.readRun("run"), log.lines);
    await store.releaseRun("run");
  });
});

Deno.test("sqliteStore() does not take another driver's equal bytes for its own commit", async () => {
  await withDir(async (path) => {
    const { faults, store, log } = await startedAt(path);
    const entry = log.next();
    faults.onCommit = () => {
      throw sqliteError("database or disk is full", FULL);
    };
    faults.onStatement = (sql) => {
      if (sql.startsWith("SELECT token")) putBeside(path, log, entry.line);
    };
    await expectFailure(store.writeIntent("run", entry), "none", path);
    assertEquals((await store.readRun("run"))?.at(-1), entry.line);
    await store.releaseRun("run");
  });
});

Deno.test("sqliteStore() says unknown where it cannot look for its token", async () => {
  await withDir(async (path) => {
    const { faults, store, log } = await startedAt(path);
    faults.onCommit = () => {
      throw sqliteError("database or disk is full", FULL);
    };
    faults.onStatement = (sql) => {
      if (sql.startsWith("SELECT token")) throw sqliteError("out of memory", 7);
    };
    await expectFailure(store.writeIntent("run", log.fork().next()), "unknown", path);
    delete faults.onCommit;
    delete faults.onStatement;
    assertEquals(await store.readRun("run"), log.lines);
    await store.writeIntent("run", log.next());
    await store.releaseRun("run");
  });
});

Deno.test("sqliteStore() never tries a failed sync again, and trusts no run until it is read", async () => {
  await withDir(async (path) => {
    const { faults, store, log } = await startedAt(path);
    const other = logBuilder("other");
    await store.startRun("other", other.start());
    await store.writeOutcome("other", other.next());
    let commits = 0;
    faults.onCommit = () => {
      commits++;
      throw sqliteError("disk I/O error", IOERR_FSYNC);
    };
    await expectFailure(store.writeIntent("run", log.fork().next()), "unknown", path);
    assertEquals(commits, 1);
    delete faults.onCommit;
    for (const it of [log, other]) {
      const early = store.writeIntent(it.runId, it.fork().next());
      assertStringIncludes((await assertRejects(() => early, StoreFailedError)).message, "read");
    }
    assertEquals(faults.open, 0);
    for (const it of [log, other]) {
      assertEquals(await store.readRun(it.runId), it.lines);
      await store.writeIntent(it.runId, it.next());
      await store.releaseRun(it.runId);
    }
    assertEquals(faults.open, 0);
  });
});

Deno.test("sqliteStore() says unknown where the sync of a release fails", async () => {
  await withDir(async (path) => {
    const { faults, store, log } = await startedAt(path);
    await store.writeOutcome("run", log.next());
    faults.onStatement = (sql) => {
      if (sql.startsWith("PRAGMA user_version =")) throw sqliteError("disk I/O error", IOERR_FSYNC);
    };
    await expectFailure(store.releaseRun("run"), "unknown", path);
    assertEquals(faults.open, 0);
    await store.releaseRun("run");
  });
});

Deno.test("sqliteStore() leaves the other runs alone where the sync of a release finds the lock taken", async () => {
  await withDir(async (path) => {
    const { faults, store, log } = await startedAt(path);
    const other = logBuilder("other");
    await store.startRun("other", other.start());
    await store.writeOutcome("run", log.next());
    faults.onStatement = (sql) => {
      if (sql.startsWith("PRAGMA user_version =")) throw sqliteError("database is locked", 5);
    };
    await expectFailure(store.releaseRun("run"), "unknown", path);
    delete faults.onStatement;
    await store.writeIntent("other", other.next());
    await store.releaseRun("other");
    assertEquals(faults.open, 0);
  });
});

Deno.test("sqliteStore() reports a write lock that another process keeps", async () => {
  await withDir(async (path) => {
    const { faults, store, log } = await startedAt(path);
    faults.onStatement = (sql) => {
      if (sql === "BEGIN IMMEDIATE") throw sqliteError("database is locked", 5);
    };
    const error = await expectFailure(store.writeIntent("run", log.fork().next()), "none", path);
    assertStringIncludes(error.message, "another process has kept its write lock for 5000 ms");
    delete faults.onStatement;
    assertEquals(await store.readRun("run"), log.lines);
    await store.writeIntent("run", log.next());
    await store.releaseRun("run");
  });
});

Deno.test("sqliteStore() answers every write of a database that cannot be closed", async () => {
  await withDir(async (path) => {
    const { faults, store, log } = await startedAt(path);
    faults.onCommit = () => {
      throw sqliteError("disk I/O error", IOERR_FSYNC);
    };
    faults.onStatement = (sql) => {
      if (sql === "CLOSE") throw sqliteError("unable to close due to unfinalized statements", 5);
    };
    await expectFailure(store.writeIntent("run", log.next()), "unknown", path);
  });
});

Deno.test("sqliteStore() lets go of a database whose tables are gone", async () => {
  await withDir(async (path) => {
    const { faults, store } = await startedAt(path);
    await store.releaseRun("run");
    const other = new DatabaseSync(path);
    other.exec("DROP TABLE entries");
    other.close();
    await assertRejects(() => store.readRun("run"), StoreFailedError, "no such table: entries");
    assertEquals(faults.open, 0);
  });
});

Deno.test("sqliteStore() takes a failed start again without a read", async () => {
  await withDir(async (path) => {
    const faults: SqliteFaults = { open: 0 };
    const store = openSqliteStore(path, faultyConnect(faults));
    const log = logBuilder("run");
    const entry = log.start();
    faults.onCommit = () => {
      throw sqliteError("database or disk is full", FULL);
    };
    await expectFailure(store.startRun("run", entry), "none", path);
    assertEquals(faults.open, 0);
    delete faults.onCommit;
    await store.startRun("run", entry);
    assertEquals(await store.readRun("run"), log.lines);
    await store.releaseRun("run");
  });
});

Deno.test("sqliteStore() notices that its file was deleted", async () => {
  await withDir(async (path) => {
    const { faults, store, log } = await startedAt(path);
    await Deno.remove(path);
    const error = await expectFailure(store.writeIntent("run", log.next()), "none", path);
    assertStringIncludes(error.message, "deleted or replaced");
    assertEquals(faults.open, 0);
    await store.releaseRun("run");
  });
});

Deno.test("sqliteStore() notices that its journal was deleted", async () => {
  await withDir(async (path) => {
    const { store, log } = await startedAt(path);
    await Deno.remove(`${path}-wal`);
    const error = await expectFailure(store.writeIntent("run", log.next()), "none", path);
    assertStringIncludes(error.message, "deleted or replaced");
  });
});

Deno.test("sqliteStore() notices a deleted file at the release of an outcome", async () => {
  await withDir(async (path) => {
    const { faults, store, log } = await startedAt(path);
    await store.writeOutcome("run", log.next());
    await Deno.remove(path);
    await expectFailure(store.releaseRun("run"), "unknown", path);
    assertEquals(faults.open, 0);
  });
});

Deno.test("sqliteStore() leaves the database alone that has taken its file's place", async () => {
  await withDir(async (path) => {
    const { store, log } = await startedAt(path);
    for (const end of ["", "-wal", "-shm"]) await Deno.rename(path + end, `${path}.old${end}`);
    const theirs = await startedAt(path, "theirs");
    await expectFailure(store.writeIntent("run", log.next()), "none", path);
    await theirs.store.writeIntent("theirs", theirs.log.next());
    assertEquals(await store.readRun("theirs"), theirs.log.lines);
    assertEquals(await store.readRun("run"), null);
    await theirs.store.finishRun("theirs", theirs.log.finish());
    await theirs.store.releaseRun("theirs");
    assertEquals(await store.readRun("theirs"), theirs.log.lines);
  });
});

Deno.test("sqliteStore() reports a file that was truncated", async () => {
  await withDir(async (path) => {
    const { store, log } = await startedAt(path);
    await store.releaseRun("run");
    await Deno.truncate(path, 5000);
    const error = await assertRejects(() => store.readRun("run"), StoreFailedError);
    assertEquals(error.runId, "run");
    assertStringIncludes(error.message, path);
    await expectFailure(store.writeIntent("run", log.next()), "none", path);
  });
});

Deno.test({
  name: "sqliteStore() reports a folder that it may not write to",
  permissions: { read: true, write: false },
  async fn() {
    const path = import.meta.resolve("./runs.db").slice("file://".length);
    const write = sqliteStore({ path }).startRun("run", logBuilder("run").start());
    await expectFailure(write, "none", path);
  },
});

Deno.test({
  name: "sqliteStore() meets a full disk with a typed error, and goes on when there is room",
  ignore: !mayMount,
  async fn() {
    await withSmallDisk(400, async (dir) => {
      const path = `${dir}/runs.db`;
      const { store, log } = await startedAt(path);
      await Deno.writeFile(`${dir}/ballast`, new Uint8Array(200_000));
      let full: StoreFailedError | undefined;
      while (full === undefined) {
        const entry = log.fork().next(JSON.stringify("x".repeat(20_000)));
        try {
          await store.writeIntent("run", entry);
          log.next(JSON.stringify("x".repeat(20_000)));
        } catch (error) {
          full = error as StoreFailedError;
        }
      }
      await expectFailure(Promise.reject(full), "none", path);
      assertEquals(await store.readRun("run"), log.lines);
      await Deno.remove(`${dir}/ballast`);
      await store.writeIntent("run", log.next());
      await store.releaseRun("run");
      assertEquals(await store.readRun("run"), log.lines);
    });
  },
});

Deno.test({
  name: "sqliteStore() meets a disk that is read-only with a typed error",
  ignore: !mayMount,
  async fn() {
    await withSmallDisk(400, async (dir, remount) => {
      const path = `${dir}/runs.db`;
      const { store, log } = await startedAt(path);
      await store.releaseRun("run");
      remount("ro");
      await expectFailure(store.writeIntent("run", log.fork().next()), "none", path);
      remount("rw");
      assertEquals(await store.readRun("run"), log.lines);
    });
  },
});

Deno.test("sqliteStore() refuses a URI, by whose name it could not notice that its file was deleted", async () => {
  await withDir(async (path) => {
    for (const uri of [`file:${path}`, `file://${path}?cache=shared`]) {
      const store = sqliteStore({ path: uri });
      await expectFailure(store.startRun("run", logBuilder("run").start()), "none", "not a URI");
      assertEquals(await store.readRun("run"), null);
    }
  });
});

Deno.test("sqliteStore() makes no file to read, list or remove what is not there", async () => {
  await withDir(async (path) => {
    const store = sqliteStore({ path });
    assertEquals(await store.readRun("run"), null);
    assertEquals(await store.listRuns(), []);
    assertEquals(await store.deleteRun("run"), false);
    await assertRejects(() => Deno.stat(path), Deno.errors.NotFound);
  });
});
