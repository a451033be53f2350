import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { openSqliteStore } from "../../../stores/_sqlite/store.ts";
import { sqliteStore } from "../../../stores/sqlite.ts";
import { RunConflictError, RunLogCorruptError, StoreFailedError } from "../../../types/mod.ts";
import { logBuilder } from "../../contract/_log_builder.ts";
import { faultyConnect, type SqliteFaults } from "../drivers/sqlite_faults.ts";

async function withDir(body: (path: string) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir();
  try {
    await body(`${dir}/runs.db`);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

function watched(path: string, faults: SqliteFaults = { open: 0 }) {
  return { faults, store: openSqliteStore(path, faultyConnect(faults)) };
}

/** Notes, for every commit and every sync by itself, how far it reached. */
function watchCommits(faults: SqliteFaults): string[] {
  const commits: string[] = [];
  let synchronous = "unset";
  faults.onStatement = (sql) => {
    synchronous = /^PRAGMA synchronous = (\w+)/.exec(sql)?.[1] ?? synchronous;
    if (sql.startsWith("PRAGMA user_version = ")) commits.push(`sync ${synchronous}`);
  };
  faults.onCommit = (commit) => {
    commits.push(synchronous);
    commit();
  };
  return commits;
}

Deno.test("sqliteStore() commits barriers FULL and outcomes NORMAL: two barriers a step", async () => {
  await withDir(async (path) => {
    const { store, faults } = watched(path);
    const commits = watchCommits(faults);
    const log = logBuilder("run");
    await store.startRun("run", log.start());
    for (let step = 0; step < 3; step++) {
      await store.writeIntent("run", log.next());
      await store.writeIntent("run", log.next());
      await store.writeOutcome("run", log.next());
    }
    await store.finishRun("run", log.finish());
    await store.releaseRun("run");
    const step = ["FULL", "FULL", "NORMAL"];
    assertEquals(commits, ["FULL", ...step, ...step, ...step, "FULL"]);
  });
});

Deno.test("sqliteStore() syncs at release only what no barrier has synced", async () => {
  await withDir(async (path) => {
    const { store, faults } = watched(path);
    const commits = watchCommits(faults);
    const log = logBuilder("run");
    await store.startRun("run", log.start());
    await store.writeOutcome("run", log.next());
    await store.releaseRun("run");
    assertEquals(commits, ["FULL", "NORMAL", "sync FULL"]);
    await store.writeOutcome("run", log.next());
    await store.writeIntent("run", log.next());
    await store.releaseRun("run");
    assertEquals(commits.slice(3), ["NORMAL", "FULL"]);
  });
});

Deno.test("sqliteStore() commits at once where one run is driven", async () => {
  await withDir(async (path) => {
    const { store, faults } = watched(path);
    const commits = watchCommits(faults);
    const log = logBuilder("run");
    await store.startRun("run", log.start());
    const written = store.writeIntent("run", log.next());
    assertEquals(commits.length, 2);
    await written;
    await store.releaseRun("run");
  });
});

Deno.test("sqliteStore() commits what 64 runs write in one turn together", async () => {
  await withDir(async (path) => {
    const { store, faults } = watched(path);
    const commits = watchCommits(faults);
    const logs = Array.from({ length: 64 }, (_, i) => logBuilder(`run-${i}`));
    await Promise.all(logs.map((log) => store.startRun(log.runId, log.start())));
    commits.length = 0;
    await Promise.all(logs.map(async (log) => {
      for (let i = 0; i < 10; i++) await store.writeIntent(log.runId, log.next());
    }));
    assertEquals(commits.length, 10);
    await Promise.all(logs.map((log) => store.writeOutcome(log.runId, log.next())));
    assertEquals(commits.at(-1), "NORMAL");
    await Promise.all(
      logs.map((log, i) =>
        i === 7
          ? store.writeIntent(log.runId, log.next())
          : store.writeOutcome(log.runId, log.next())
      ),
    );
    assertEquals(commits.slice(11), ["FULL"]);
    for (const log of logs) {
      assertEquals(await store.readRun(log.runId), log.lines);
      await store.releaseRun(log.runId);
    }
  });
});

Deno.test("sqliteStore() leaves the other writes of a commit alone where one is refused", async () => {
  await withDir(async (path) => {
    const { store } = watched(path);
    const [a, b, c] = [logBuilder("a"), logBuilder("b"), logBuilder("c")];
    for (const log of [a, b, c]) await store.startRun(log.runId, log.start());
    const stale = b.fork();
    await store.writeIntent("b", b.next());
    const results = await Promise.allSettled([
      store.writeIntent("a", a.next()),
      store.writeIntent("b", stale.next()),
      store.writeIntent("c", c.next()),
    ]);
    assertEquals(results.map((it) => it.status), ["fulfilled", "rejected", "fulfilled"]);
    for (const log of [a, b, c]) {
      assertEquals(await store.readRun(log.runId), log.lines);
      await store.releaseRun(log.runId);
    }
  });
});

Deno.test("sqliteStore() holds the database while a run is held, and lets go of it", async () => {
  await withDir(async (path) => {
    const { store, faults } = watched(path);
    assertEquals(faults.open, 0);
    const [a, b] = [logBuilder("a"), logBuilder("b")];
    await store.startRun("a", a.start());
    await store.startRun("b", b.start());
    await store.readRun("a");
    await store.listRuns();
    await store.releaseRun("a");
    assertEquals(faults.open, 1);
    await store.releaseRun("b");
    assertEquals(faults.open, 0);
    await store.readRun("a");
    await store.deleteRun("a");
    await assertRejects(() => store.writeIntent("none", logBuilder("none").start()));
    assertEquals(faults.open, 0);
    await assertRejects(() => Deno.stat(`${path}-wal`), Deno.errors.NotFound);
  });
});

Deno.test("sqliteStore() refuses the driver of a run that was removed and rebuilt with equal bytes", async () => {
  await withDir(async (path) => {
    const first = sqliteStore({ path });
    const log = logBuilder("run");
    const [start, second, third] = [log.start(), log.next(), log.next()];
    await first.startRun("run", start);
    await first.writeIntent("run", second);
    const other = sqliteStore({ path });
    await other.deleteRun("run");
    await other.startRun("run", start);
    await other.writeIntent("run", second);
    await assertRejects(() => first.writeIntent("run", third), RunConflictError);
    await other.writeIntent("run", third);
    await first.releaseRun("run");
    await other.releaseRun("run");
  });
});

Deno.test("sqliteStore() refuses a line with a NUL, which SQLite would cut off", async () => {
  await withDir(async (path) => {
    const store = sqliteStore({ path });
    const log = logBuilder("run");
    await store.startRun("run", log.start());
    await assertRejects(
      () => store.writeIntent("run", log.fork().next('"a\0b"')),
      StoreFailedError,
      "cannot carry a NUL",
    );
    assertEquals(await store.readRun("run"), log.lines);
    await store.releaseRun("run");
  });
});

Deno.test("sqliteStore() refuses to read entries that are out of place", async () => {
  await withDir(async (path) => {
    const store = sqliteStore({ path });
    const log = logBuilder("run");
    await store.startRun("run", log.start());
    await store.writeIntent("run", log.next());
    await store.releaseRun("run");
    using database = new DatabaseSync(path);
    database.exec("UPDATE entries SET seq = 7 WHERE seq = 1");
    const error = await assertRejects(() => store.readRun("run"), RunLogCorruptError);
    assertEquals(error.seq, 1);
  });
});

Deno.test("sqliteStore() refuses to go on from a last entry that was changed", async () => {
  await withDir(async (path) => {
    const store = sqliteStore({ path });
    const log = logBuilder("run");
    await store.startRun("run", log.start());
    await store.releaseRun("run");
    using database = new DatabaseSync(path);
    database.exec("UPDATE entries SET line = replace(line, 'run_started', 'run_Started')");
    await assertRejects(() => store.writeIntent("run", log.next()), RunLogCorruptError);
  });
});

Deno.test("sqliteStore() refuses settings that SQLite does not keep", async () => {
  for (const name of ["busy_timeout", "journal_mode", "synchronous"]) {
    await withDir(async (path) => {
      const { store, faults } = watched(path);
      faults.onStatement = (sql) => sql.startsWith(`PRAGMA ${name} =`) ? false : undefined;
      // A new connection has synchronous=FULL by itself: only an outcome shows that setting it does nothing.
      const log = logBuilder("run");
      const error = await assertRejects(async () => {
        await store.startRun("run", log.start());
        await store.writeOutcome("run", log.next());
      }, StoreFailedError);
      assertStringIncludes(error.message, `${name} must be`);
      assertStringIncludes(error.message, path);
      await store.releaseRun("run");
      assertEquals(faults.open, 0);
    });
  }
});

Deno.test("sqliteStore() refuses a database that cannot have a WAL", async () => {
  await assertRejects(
    () => sqliteStore({ path: ":memory:" }).startRun("run", logBuilder("run").start()),
    StoreFailedError,
    'journal_mode must be "WAL" and SQLite keeps it at "memory"',
  );
});

Deno.test("sqliteStore() refuses a SQLite older than 3.51.3, naming the Deno to use", async () => {
  await withDir(async (path) => {
    const first = logBuilder("run").start();
    for (const version of ["3.51.2", "3.50.99", "3.9.9", "2.99.99", "3.51", "unknown"]) {
      const { store, faults } = watched(path, { open: 0, version });
      const error = await assertRejects(() => store.startRun("run", first), StoreFailedError);
      assertStringIncludes(error.message, `this Deno has SQLite ${version}`);
      assertStringIncludes(error.message, "use Deno 2.9.1 or later");
      assertEquals(faults.open, 0);
    }
    const sound = watched(path).store;
    await sound.startRun("run", first);
    await sound.releaseRun("run");
    for (const version of ["3.51.3", "3.51.10", "3.52.0", "4.0.0"]) {
      const { store } = watched(path, { open: 0, version });
      assertEquals(await store.readRun("run"), [first.line]);
    }
  });
});

Deno.test("sqliteStore() says so where there is no node:sqlite", async () => {
  const store = openSqliteStore("runs.db", () => Promise.reject(new Error("use Deno 2.9.1")));
  const log = logBuilder("run");
  await assertRejects(() => store.readRun("run"), StoreFailedError, "use Deno 2.9.1");
  await assertRejects(() => store.startRun("run", log.start()), StoreFailedError, "use Deno 2.9.1");
  await assertRejects(() => store.listRuns(), StoreFailedError, "use Deno 2.9.1");
});

Deno.test("sqliteStore() refuses another program's database and one of a later version", async () => {
  const cases: readonly (readonly [string, string])[] = [
    ["CREATE TABLE theirs (x)", "another program's tables"],
    ["PRAGMA user_version = 3", "another program's tables"],
    [`PRAGMA application_id = ${0x506f4c70}; PRAGMA user_version = 2`, "have version 2"],
  ];
  for (const [sql, reason] of cases) {
    await withDir(async (path) => {
      const theirs = new DatabaseSync(path);
      theirs.exec(sql);
      theirs.close();
      const error = await assertRejects(
        () => sqliteStore({ path }).readRun("run"),
        StoreFailedError,
      );
      assertStringIncludes(error.message, reason);
      using after = new DatabaseSync(path);
      const { n } = after.prepare("SELECT count(*) AS n FROM sqlite_schema").get()!;
      assert(n === (sql.startsWith("CREATE") ? 1 : 0), "the refused database was changed");
    });
  }
});

Deno.test("sqliteStore() refuses a file that is no database, and leaves it", async () => {
  await withDir(async (path) => {
    const text = "not a database ".repeat(100);
    await Deno.writeTextFile(path, text);
    await assertRejects(() => sqliteStore({ path }).readRun("run"), StoreFailedError, path);
    assertEquals(await Deno.readTextFile(path), text);
  });
});

Deno.test("sqliteStore() reads a log of any length in its order", async () => {
  await withDir(async (path) => {
    const store = sqliteStore({ path });
    const [long, other] = [logBuilder("long"), logBuilder("other")];
    await store.startRun("long", long.start());
    await store.startRun("other", other.start());
    for (let i = 0; i < 3000; i++) {
      await Promise.all([
        store.writeOutcome("long", long.next()),
        store.writeOutcome("other", other.next()),
      ]);
    }
    assertEquals(await store.readRun("long"), long.lines);
    await store.deleteRun("long");
    assertEquals(await store.readRun("other"), other.lines);
    await store.releaseRun("long");
    await store.releaseRun("other");
    using database = new DatabaseSync(path);
    assertEquals(Number(database.prepare("SELECT count(*) AS n FROM entries").get()!.n), 3001);
  });
});

Deno.test("sqliteStore() lets the faster of two drivers in one commit go on", async () => {
  await withDir(async (path) => {
    const { store } = watched(path);
    const [log, other] = [logBuilder("run"), logBuilder("other")];
    await store.startRun("run", log.start());
    await store.startRun("other", other.start());
    const entry = log.next();
    const results = await Promise.allSettled([
      store.writeIntent("run", entry),
      store.writeIntent("run", entry),
    ]);
    assertEquals(results.map((it) => it.status), ["fulfilled", "rejected"]);
    await store.writeIntent("run", log.next());
    await store.releaseRun("run");
    await store.releaseRun("other");
  });
});

Deno.test("sqliteStore() goes on with a run that it holds, another store went on with, and it read", async () => {
  await withDir(async (path) => {
    const [first, other] = [sqliteStore({ path }), sqliteStore({ path })];
    const log = logBuilder("run");
    await first.startRun("run", log.start());
    await other.writeIntent("run", log.next());
    assertEquals(await first.readRun("run"), log.lines);
    await first.writeIntent("run", log.next());
    await assertRejects(() => other.writeIntent("run", log.fork().next()), RunConflictError);
    await first.releaseRun("run");
    await other.releaseRun("run");
  });
});
