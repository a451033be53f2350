import type { OpenSqlite } from "./commit.ts";
import { type ConnectSqlite, openSqliteDatabase } from "./database.ts";
import { sqliteLog } from "./log.ts";

/** The connection that runs share. */
export interface SharedSqlite extends OpenSqlite {
  /** Whether an outcome was committed after the last barrier. */
  unsynced: boolean;
}

/** A connection to the database at a path, which is opened when it is needed and closed when it is not. */
export class LazyConnection {
  readonly path: string;
  readonly #load: () => Promise<ConnectSqlite>;
  #loaded: ConnectSqlite | undefined;
  #open: SharedSqlite | undefined;

  /** Opens nothing yet; `load` finds the SQLite to open it with. */
  constructor(path: string, load: () => Promise<ConnectSqlite>) {
    this.path = path;
    this.#load = load;
  }

  /** It, while it is open. */
  get open(): SharedSqlite | undefined {
    return this.#open;
  }

  /** What {@link reach} needs, once it was loaded. */
  get loaded(): ConnectSqlite | undefined {
    return this.#loaded;
  }

  async load(): Promise<ConnectSqlite> {
    return this.#loaded ??= await this.#load();
  }

  /** Opens it if it is not open. */
  reach(connect: ConnectSqlite): SharedSqlite {
    if (this.#open !== undefined) return this.#open;
    const { path } = this;
    const database = openSqliteDatabase(path, connect);
    try {
      return this.#open = { path, database, log: sqliteLog(database), unsynced: false };
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** Whether the files that it was opened with are no longer where they were. */
  isLost(): boolean {
    return this.#open?.database.isInPlace() === false;
  }

  close(): void {
    const database = this.#open?.database;
    this.#open = undefined;
    try {
      database?.close();
    } catch {
      // What was acknowledged is in the database, and what was not was reported.
    }
  }
}
