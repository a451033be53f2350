import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { openSqliteStore } from "../../../stores/_sqlite/store.ts";
import { sqliteStore } from "../../../stores/sqlite.ts";
import { StoreFailedError } from "../../../types/mod.ts";
import { logBuilder } from "../../contract/_log_builder.ts";
import { watched, withPath } from "./sqlite_runs.ts";

Deno.test("sqliteStore() refuses settings that SQLite does not keep", async () => {
  for (const name of ["busy_timeout", "journal_mode", "synchronous"]) {
    await withPath(async (path) => {
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
  await withPath(async (path) => {
    const first = logBuilder("run").start();
    for (const version of ["3.51.2", "3.50.99", "3.9.9", "2.99.99", "3.51", "unknown"]) {
      const { store, faults } = watched(path, { open: 0, version });
      const error = await assertRejects(() => store.startRun("run", first), StoreFailedError);
      assertStringIncludes(error.message, `Deno/${Deno.version.deno} has SQLite ${version}`);
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
    await withPath(async (path) => {
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
  await withPath(async (path) => {
    const text = "not a database ".repeat(100);
    await Deno.writeTextFile(path, text);
    await assertRejects(() => sqliteStore({ path }).readRun("run"), StoreFailedError, path);
    assertEquals(await Deno.readTextFile(path), text);
  });
});

Deno.test("sqliteStore() says of tables that an earlier draft made that they are another version's, and leaves them", async () => {
  await withPath(async (path) => {
    const draft = new DatabaseSync(path);
    draft.exec(`
      CREATE TABLE runs (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        run_id TEXT NOT NULL UNIQUE,
        finished INTEGER NOT NULL DEFAULT 0
      ) STRICT;
      CREATE TABLE entries (
        id INTEGER PRIMARY KEY,
        previous INTEGER NOT NULL UNIQUE,
        run INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        token TEXT NOT NULL,
        line TEXT NOT NULL
      ) STRICT;
      PRAGMA application_id = ${0x506f4c70};
      PRAGMA user_version = 1;`);
    draft.close();
    const tables = () => {
      using database = new DatabaseSync(path);
      return database.prepare("SELECT name, sql FROM sqlite_schema").all();
    };
    const before = tables();
    const store = sqliteStore({ path });
    const calls: (() => Promise<unknown>)[] = [
      () => store.readRun("run"),
      () => store.startRun("run", logBuilder("run").start()),
      () => store.listRuns({ unfinished: true, idle: true }),
      () => store.deleteRun("run"),
    ];
    for (const call of calls) {
      const { message } = await assertRejects(call, StoreFailedError);
      assertStringIncludes(message, "a version before the first release made them");
      assertStringIncludes(message, path);
    }
    assertEquals(tables(), before);
  });
});
