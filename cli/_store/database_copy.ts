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
  const { ino, size, mtime } = await Deno.stat(path);
  const journal = await Deno.stat(`${path}-journal`).catch(() => null);
  return JSON.stringify([
    [ino, size, mtime?.getTime()],
    [journal?.ino, journal?.size, journal?.mtime?.getTime()],
    await firstBytes(`${path}-wal`),
  ]);
}

async function firstBytes(path: string): Promise<readonly number[]> {
  try {
    using file = await Deno.open(path);
    const bytes = new Uint8Array(WAL_HEADER_BYTES);
    return [...bytes.subarray(0, await file.read(bytes) ?? 0)];
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

async function copyIfThere(from: string, to: string): Promise<void> {
  try {
    await Deno.copyFile(from, to);
    await Deno.chmod(to, 0o600);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    await Deno.remove(to).catch(() => {});
  }
}

/** The tables that Deno KV makes of its own. */
const KV_TABLES = ["migration_state", "data_version", "kv"];

/**
 * Refuses a copy that Deno KV did not make: it takes any database and puts its tables into it.
 *
 * @throws What is wrong with it.
 */
export async function refuseForeignKv({ path }: DatabaseCopy): Promise<void> {
  const { DatabaseSync } = await import("node:sqlite").catch((cause) => {
    throw new Error(`this Deno cannot look into it: ${errorInfo(cause).message}`, { cause });
  });
  const database = new DatabaseSync(path);
  try {
    const rows = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    const names = rows.map(({ name }) => name);
    if (KV_TABLES.every((name) => names.includes(name))) return;
    throw new Error("it is not a database of Deno KV");
  } finally {
    database.close();
  }
}
