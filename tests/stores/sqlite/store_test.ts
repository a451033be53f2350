import { assertEquals, assertRejects } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { sqliteStore } from "../../../stores/sqlite.ts";
import { RunConflictError, RunLogCorruptError, StoreFailedError } from "../../../types/mod.ts";
import { logBuilder } from "../../contract/_log_builder.ts";
import type { SqliteFaults } from "../drivers/sqlite_faults.ts";
import { watched, withPath } from "./sqlite_runs.ts";

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
  await withPath(async (path) => {
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
  await withPath(async (path) => {
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
  await withPath(async (path) => {
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
  await withPath(async (path) => {
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
  await withPath(async (path) => {
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
  await withPath(async (path) => {
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
  await withPath(async (path) => {
    const first = sqliteStore({ path, leaseMs: 0 });
    const log = logBuilder("run");
    const [start, second, third] = [log.start(), log.next(), log.next()];
    await first.startRun("run", start);
    await first.writeIntent("run", second);
    const other = sqliteStore({ path, leaseMs: 0 });
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
  await withPath(async (path) => {
    const store = sqliteStore({ path, leaseMs: 0 });
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
  await withPath(async (path) => {
    const store = sqliteStore({ path, leaseMs: 0 });
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
  await withPath(async (path) => {
    const store = sqliteStore({ path, leaseMs: 0 });
    const log = logBuilder("run");
    await store.startRun("run", log.start());
    await store.releaseRun("run");
    using database = new DatabaseSync(path);
    database.exec("UPDATE entries SET line = replace(line, 'run_started', 'run_Started')");
    await assertRejects(() => store.writeIntent("run", log.next()), RunLogCorruptError);
  });
});

Deno.test("sqliteStore() reads a log of any length in its order", async () => {
  await withPath(async (path) => {
    const store = sqliteStore({ path, leaseMs: 0 });
    const [long, other] = [logBuilder("long"), logBuilder("other")];
    await store.startRun("long", long.start());
    await store.startRun("other", other.start());
    for (let i = 0; i < 600; i++) {
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
    assertEquals(Number(database.prepare("SELECT count(*) AS n FROM entries").get()!.n), 601);
  });
});

Deno.test("sqliteStore() lets the faster of two drivers in one commit go on", async () => {
  await withPath(async (path) => {
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
  await withPath(async (path) => {
    const [first, other] = [sqliteStore({ path, leaseMs: 0 }), sqliteStore({ path, leaseMs: 0 })];
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
