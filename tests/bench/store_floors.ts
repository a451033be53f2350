import { DatabaseSync } from "node:sqlite";
import type { WriteLine } from "./bare_log.ts";

/** A bare place for the lines of one run. */
export interface FloorLog {
  readonly write: WriteLine;
  close(): void;
}

/** Writes lines to a file: a barrier is an fdatasync, and the folder is synced once, for the file's name. */
export async function bareFile(folder: string): Promise<FloorLog> {
  const file = Deno.openSync(`${folder}/floor`, { append: true, createNew: true });
  const directory = Deno.openSync(folder, { read: true });
  await directory.sync();
  directory.close();
  const encoder = new TextEncoder();
  return {
    async write(line, isBarrier) {
      file.writeSync(encoder.encode(`${line}\n`));
      if (isBarrier) await file.syncData();
    },
    close: () => file.close(),
  };
}

/** Writes lines to a table, each in a transaction of its own: a barrier is a commit with `synchronous=FULL`. */
export function bareTable(folder: string): FloorLog {
  const database = new DatabaseSync(`${folder}/floor.db`);
  database.exec("PRAGMA journal_mode = WAL");
  database.exec("CREATE TABLE entries (id INTEGER PRIMARY KEY, line TEXT NOT NULL) STRICT");
  const insert = database.prepare("INSERT INTO entries (line) VALUES (?)");
  return {
    write(line, isBarrier) {
      database.exec(`PRAGMA synchronous = ${isBarrier ? "FULL" : "NORMAL"}`);
      insert.run(line);
    },
    close: () => database.close(),
  };
}

/** Sets lines in a database of `Deno.Kv`, where every commit is a barrier. */
export async function bareKv(folder: string): Promise<FloorLog> {
  const kv = await Deno.openKv(`${folder}/kv.db`);
  const encoder = new TextEncoder();
  let seq = 0;
  return {
    async write(line) {
      await kv.set(["floor", seq++], encoder.encode(line));
    },
    close: () => kv.close(),
  };
}
