import { errorInfo } from "../../types/mod.ts";

/** A private copy of a database. */
export interface DatabaseCopy {
  /** Where it is. */
  readonly path: string;
  /** Removes it. */
  remove(): Promise<void>;
}

/** What lies beside a database file and belongs to it: commits that it does not hold yet, or what it was before. */
const JOURNALS = ["-wal", "-journal"];
/** Where a WAL says which one it is: it begins anew when all of it is in the database. */
const WAL_HEADER_BYTES = 32;
const TRIES = 20;

/**
 * Copies a database with its journals into a folder that only this user can read. SQLite, and Deno KV over it, change
 * what they open: they set a mode, make tables, take over a journal that was left, and make files beside it. A copy
 * they may change, and a database that cannot be written to can be copied.
 *
 * @throws If another process changes the database whenever it is copied.
 */
export async function copyDatabase(path: string): Promise<DatabaseCopy> {
  const folder = await Deno.makeTempDir({ prefix: "polyloop-" });
  const remove = () => Deno.remove(folder, { recursive: true }).catch(() => {});
  const copy = `${folder}/database`;
  try {
    for (let tries = 0; tries < TRIES; tries++) {
      const before = await stateOf(path);
      await Deno.copyFile(path, copy);
      for (const suffix of JOURNALS) await copyIfThere(`${path}${suffix}`, `${copy}${suffix}`);
      await Deno.chmod(copy, 0o600);
      if (before === await stateOf(path)) return { path: copy, remove };
    }
    throw new Error("another process changes it all the time: try again");
  } catch (error) {
    await remove();
    throw error;
  }
}

/** What tells that a copy is not of one moment. A WAL may have grown: what came later is left out or whole. */
async function stateOf(path: string): Promise<string> {
  const { isFile, ino, size, mtime } = await Deno.stat(path);
  if (!isFile) throw new Error("it is not a file");
  const journal = await Deno.stat(`${path}-journal`).catch(() => null);
  return JSON.stringify([
    [ino, size, mtime?.getTime()],
    [journal?.ino, journal?.size, journal?.mtime?.getTime()],
    await firstBytes(`${path}-wal`),
  ]);
}

async function firstBytes(path: string): Promise<readonly number[]> {
  try {
    if (!(await Deno.stat(path)).isFile) throw new Error(`"${path}" beside it is not a file`);
    const file = await Deno.open(path);
    const bytes = new Uint8Array(WAL_HEADER_BYTES);
    const count = await file.read(bytes).finally(() => file.close());
    return [...bytes.subarray(0, count ?? 0)];
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

async function copyIfThere(from: string, to: string): Promise<void> {
  try {
    if (!(await Deno.stat(from)).isFile) throw new Error(`"${from}" beside it is not a file`);
    await Deno.copyFile(from, to);
    await Deno.chmod(to, 0o600);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    await Deno.remove(to).catch(() => {});
  }
}

/** What Deno KV reads of a database, and ends the whole process over where it is not there or not so. */
const KV_NEEDS: readonly (readonly [sql: string, expected: unknown])[] = [
  // a view or a column that is worked out can go on without end
  ["SELECT count(*) FROM sqlite_schema WHERE type NOT IN ('table', 'index')", 0],
  ["SELECT count(*) FROM pragma_table_xinfo('kv') WHERE hidden <> 0", 0],
  ["SELECT count(*) FROM migration_state WHERE typeof(version) <> 'integer'", 0],
  ["SELECT count(*) FROM data_version WHERE typeof(version) <> 'integer'", 0],
  ["SELECT count(*) FROM data_version", 1],
  [
    `SELECT count(*) FROM kv WHERE typeof(k) <> 'blob' OR typeof(v) <> 'blob'
       OR typeof(version) <> 'integer' OR v_encoding NOT IN (1, 2, 3)`,
    0,
  ],
];

const SMALLEST_PAGE_BYTES = 512;

/** How much there is in a database: 0 before anything was put into it. */
const CONTENTS = `SELECT (SELECT count(*) FROM sqlite_schema)
  + (SELECT count(*) FROM pragma_user_version WHERE user_version <> 0)
  + (SELECT count(*) FROM pragma_application_id WHERE application_id <> 0)`;

/**
 * Refuses a file before Deno KV gets it to write to, as {@link refuseForeignKv} does. One that is not there yet, or
 * has nothing in it, is taken: Deno KV makes its tables.
 *
 * @throws What is wrong with it.
 */
export async function refuseUnfitKv(path: string): Promise<void> {
  const info = await Deno.stat(path).catch(() => null);
  if (info === null || info.size === 0) return;
  let copy: DatabaseCopy | undefined;
  try {
    // SQLite takes less than a page for nothing at all.
    if (info.size < SMALLEST_PAGE_BYTES) throw new Error("it is not a database");
    copy = await copyDatabase(path);
    await refuseForeignKv(copy, true);
  } catch (error) {
    throw new Error(`Cannot use "${path}" for runs as ${errorInfo(error).message}`, {
      cause: error,
    });
  } finally {
    await copy?.remove();
  }
}

/**
 * Refuses a copy that Deno KV did not make, as it takes any database and puts its tables into it; and one that is
 * damaged.
 *
 * @param mayBeUnmade Whether one that has nothing in it yet will do.
 * @throws What is wrong with it.
 */
export async function refuseForeignKv(
  { path }: DatabaseCopy,
  mayBeUnmade: boolean = false,
): Promise<void> {
  const { DatabaseSync } = await import("node:sqlite").catch((cause) => {
    throw new Error(`this Deno cannot look into it: ${errorInfo(cause).message}`, { cause });
  });
  const database = new DatabaseSync(path);
  try {
    const found = (sql: string) => Object.values(database.prepare(sql).get() ?? {})[0];
    const isSound = found("PRAGMA integrity_check(1)") === "ok";
    if (isSound && mayBeUnmade && found(CONTENTS) === 0) return;
    if (isSound && KV_NEEDS.every(([sql, expected]) => found(sql) === expected)) return;
    throw new Error("it is damaged, or not a database of Deno KV");
  } catch (cause) {
    const { message } = errorInfo(cause);
    if (!/^no such (table|column)/.test(message)) throw cause;
    throw new Error("it is not a database of Deno KV", { cause });
  } finally {
    database.close();
  }
}
