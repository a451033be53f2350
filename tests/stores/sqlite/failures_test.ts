import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { openSqliteStore } from "../../../stores/_sqlite/store.ts";
import { StoreFailedError } from "../../../types/mod.ts";
import { type LogBuilder, logBuilder } from "../../contract/_log_builder.ts";
import { leaseClock } from "../drivers/lease_clock.ts";
import { faultyConnect, sqliteError, type SqliteFaults } from "../drivers/sqlite_faults.ts";
import { expectFailure, startedAt, watched, withPath } from "./sqlite_runs.ts";

const FULL = 13;
const IOERR_FSYNC = 10 | (4 << 8);

/** A second driver's entry, put in behind the store's back. */
function putBeside(path: string, log: LogBuilder, line: string): void {
  const other = new DatabaseSync(path);
  const last = other.prepare("SELECT id, run FROM entries ORDER BY id DESC LIMIT 1").get()!;
  other.prepare("INSERT INTO entries (previous, run, seq, token, line) VALUES (?, ?, ?, ?, ?)")
    .run(last.id!, last.run!, log.lines.length - 1, "another token", line);
  other.close();
}

Deno.test("sqliteStore() finds its token after a commit that took effect and threw, and syncs", async () => {
  await withPath(async (path) => {
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
  await withPath(async (path) => {
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
  await withPath(async (path) => {
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
  await withPath(async (path) => {
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
  await withPath(async (path) => {
    const { faults, store, log } = await startedAt(path);
    await store.writeOutcome("run", log.next());
    faults.onStatement = (sql) => {
      if (sql.startsWith("PRAGMA user_version =")) throw sqliteError("disk I/O error", IOERR_FSYNC);
    };
    await expectFailure(store.releaseRun("run"), "unknown", path, "release");
    assertEquals(faults.open, 0);
    await store.releaseRun("run");
  });
});

Deno.test("sqliteStore() says unknown at the release of a run that was given up for another one's fault", async () => {
  await withPath(async (path) => {
    const { faults, store, log } = await startedAt(path);
    const other = logBuilder("other");
    await store.startRun("other", other.start());
    await store.writeOutcome("run", log.next());
    faults.onCommit = () => {
      throw sqliteError("disk I/O error", IOERR_FSYNC);
    };
    await assertRejects(() => store.writeIntent("other", other.next()), StoreFailedError);
    await expectFailure(store.releaseRun("run"), "unknown", path, "release");
    await store.releaseRun("run");
    await store.releaseRun("other");
  });
});

Deno.test("sqliteStore() has synced what it acknowledged where a lease cannot be given back", async () => {
  await withPath(async (path) => {
    const { faults, store } = watched(path, { open: 0 }, leaseClock());
    const log = logBuilder("run");
    await store.startRun("run", log.start());
    await store.writeOutcome("run", log.next());
    let syncs = 0;
    faults.onStatement = (sql) => void (sql.startsWith("PRAGMA user_version =") && syncs++);
    faults.onCommit = () => {
      throw sqliteError("disk I/O error", IOERR_FSYNC);
    };
    await store.releaseRun("run");
    assertEquals(syncs, 1);
  });
});

Deno.test("sqliteStore() leaves the other runs alone where the sync of a release finds the lock taken", async () => {
  await withPath(async (path) => {
    const { faults, store, log } = await startedAt(path);
    const other = logBuilder("other");
    await store.startRun("other", other.start());
    await store.writeOutcome("run", log.next());
    faults.onStatement = (sql) => {
      if (sql.startsWith("PRAGMA user_version =")) throw sqliteError("database is locked", 5);
    };
    await expectFailure(store.releaseRun("run"), "unknown", path, "release");
    delete faults.onStatement;
    await store.writeIntent("other", other.next());
    await store.releaseRun("other");
    assertEquals(faults.open, 0);
  });
});

Deno.test("sqliteStore() reports a write lock that another process keeps", async () => {
  await withPath(async (path) => {
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
  await withPath(async (path) => {
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
  await withPath(async (path) => {
    const { faults, store } = await startedAt(path);
    await store.releaseRun("run");
    const other = new DatabaseSync(path);
    other.exec("DROP TABLE entries");
    other.close();
    await assertRejects(
      () => store.readRun("run"),
      StoreFailedError,
      "its tables are not those that this library makes",
    );
    assertEquals(faults.open, 0);
  });
});

Deno.test("sqliteStore() takes a failed start again without a read", async () => {
  await withPath(async (path) => {
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
