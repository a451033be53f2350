import { assert, assertEquals, assertRejects } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { sqliteStore } from "../../../stores/sqlite.ts";
import { RunLogCorruptError, StoreFailedError } from "../../../types/mod.ts";
import { logBuilder } from "../../contract/_log_builder.ts";
import { withPath } from "./sqlite_runs.ts";

/** Makes a run of some entries in a database, and changes the tables. */
async function damaged(path: string, sql: string): Promise<readonly string[]> {
  const store = sqliteStore({ path });
  const log = logBuilder("run");
  await store.startRun("run", log.start());
  for (let i = 0; i < 3; i++) await store.writeIntent("run", log.next());
  await store.releaseRun("run");
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
  return log.lines;
}

/** The ways in which an entry can follow itself: by an id that is the negative id of its run. */
const RINGS = {
  "of one entry": "DELETE FROM entries WHERE seq > 0; UPDATE entries SET id = -1",
  "of one entry with an empty line":
    "DELETE FROM entries WHERE seq > 0; UPDATE entries SET id = -1, line = ''",
  "of all entries": "UPDATE entries SET id = -1 WHERE seq = 3",
  "of all entries, empty": "UPDATE entries SET line = ''; UPDATE entries SET id = -1 WHERE seq = 3",
} as const;

for (const [what, sql] of Object.entries(RINGS)) {
  Deno.test(`sqliteStore() reads a ring ${what} to an end, and changes nothing`, async () => {
    await withPath(async (path) => {
      await damaged(path, sql);
      const before = Deno.readFileSync(path);
      const store = sqliteStore({ path });
      const lines = await store.readRun("run");
      assertEquals(lines?.length, what.includes("one") ? 1 : 4);
      await assertRejects(() => Array.fromAsync(store.readLines("run")), RunLogCorruptError);
      assertEquals(await store.listRuns({ unfinished: true }), ["run"]);
      assertEquals(Deno.readFileSync(path), before);
    });
  });
}

Deno.test("readLines() of SQLite finds an entry that is not in its place", async () => {
  await withPath(async (path) => {
    const lines = await damaged(path, "UPDATE entries SET seq = 7 WHERE seq = 2");
    const given: string[] = [];
    const error = await assertRejects(async () => {
      for await (const lines of sqliteStore({ path }).readLines("run")) given.push(...lines);
    }, RunLogCorruptError);
    assertEquals([given, error.seq], [lines.slice(0, 2), 2]);
  });
});

Deno.test("readLines() and readRuns() of SQLite let go of the database at their end, also where it is given up", async () => {
  await withPath(async (path) => {
    await damaged(path, "");
    const store = sqliteStore({ path });
    for await (const { lines } of store.readRuns()) {
      for await (const _ of lines) break;
      break;
    }
    await Array.fromAsync(store.readLines("run"));
    const names = [...Deno.readDirSync(path.replace(/\/[^/]*$/, ""))].map(({ name }) => name);
    assertEquals(names, ["runs.db"]);
  });
});

Deno.test("readLines() of SQLite ends in an error where the database is replaced meanwhile", async () => {
  await withPath(async (path) => {
    const store = sqliteStore({ path });
    const log = logBuilder("run");
    await store.startRun("run", log.start());
    for (let i = 0; i < 4; i++) {
      await store.writeIntent("run", log.next(JSON.stringify("x".repeat(600_000))));
    }
    await store.releaseRun("run");
    const given: string[] = [];
    await assertRejects(
      async () => {
        for await (const lines of sqliteStore({ path }).readLines("run")) {
          given.push(...lines);
          Deno.renameSync(path, `${path}.old`);
          Deno.copyFileSync(`${path}.old`, path);
        }
      },
      StoreFailedError,
      "its file was deleted or replaced meanwhile",
    );
    assertEquals(given, log.lines.slice(0, given.length));
    assertEquals(given.length < log.lines.length, true);
  });
});

const ENDLESS = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r)";
/** Changes of the tables by which a read or a write would go on without end, or do something else. */
const OTHER_TABLES = {
  "a view without end as the runs":
    `DROP TABLE runs; CREATE VIEW runs AS ${ENDLESS} SELECT i AS id, 'run' AS run_id, 0 AS finished FROM r`,
  "a view without end as the entries":
    `DROP TABLE entries; CREATE VIEW entries AS ${ENDLESS} SELECT i AS id, i - 2 AS previous, 1 AS run, i AS seq, '' AS token, '' AS line FROM r`,
  "a column that is worked out":
    "DROP TABLE entries; CREATE TABLE entries (id, previous, run, seq, token, line AS (hex(zeroblob(400000000))))",
  "a trigger": "CREATE TRIGGER t AFTER INSERT ON entries BEGIN DELETE FROM runs; END",
  "no entries": "DROP TABLE entries",
} as const;

for (const [what, sql] of Object.entries(OTHER_TABLES)) {
  Deno.test(`sqliteStore() refuses ${what}`, async () => {
    await withPath(async (path) => {
      await damaged(path, sql);
      const store = sqliteStore({ path });
      const calls = [
        () => store.listRuns(),
        () => store.readRun("run"),
        () => Array.fromAsync(store.readLines("run")),
        () => store.startRun("other", logBuilder("other").start()),
      ];
      for (const call of calls) {
        await assertRejects<StoreFailedError>(
          call,
          StoreFailedError,
          "its tables are not those that this library makes",
        );
      }
    });
  });
}

Deno.test("sqliteStore() lets be what somebody put beside its tables", async () => {
  await withPath(async (path) => {
    const lines = await damaged(
      path,
      "CREATE VIEW lines AS SELECT line FROM entries; CREATE INDEX by_seq ON entries (seq); CREATE TABLE notes (a)",
    );
    assertEquals(await sqliteStore({ path }).readRun("run"), lines);
  });
});

Deno.test("readRuns() of SQLite tells of a damaged run where it is read, and gives those around it", async () => {
  await withPath(async (path) => {
    const store = sqliteStore({ path });
    const logs = new Map(["a", "b", "c", "d"].map((runId) => [runId, logBuilder(runId)]));
    for (const [runId, log] of logs) {
      await store.startRun(runId, log.start());
      for (let i = 0; i < 3; i++) await store.writeIntent(runId, log.next());
      await store.releaseRun(runId);
    }
    const database = new DatabaseSync(path);
    database.exec("UPDATE entries SET seq = 7 WHERE seq = 2 AND run = 2");
    database.exec("UPDATE entries SET id = -3 WHERE seq = 3 AND run = 3");
    database.close();
    const read = await Array.fromAsync(store.readRuns(), async ({ runId, lines }) => {
      const given: string[] = [];
      try {
        for await (const some of lines) given.push(...some);
        return [runId, given];
      } catch (error) {
        assert(error instanceof RunLogCorruptError);
        return [runId, given, error.seq];
      }
    });
    const linesOf = (runId: string) => logs.get(runId)?.lines ?? [];
    assertEquals(read, [
      ["a", linesOf("a")],
      ["b", linesOf("b").slice(0, 2), 2],
      ["c", linesOf("c"), 4],
      ["d", linesOf("d")],
    ]);
  });
});
