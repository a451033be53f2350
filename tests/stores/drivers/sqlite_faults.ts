import { DatabaseSync } from "node:sqlite";
import type { ConnectSqlite, SqliteConnection } from "../../../stores/_sqlite/database.ts";

/** What a connection of {@link faultyConnect} does beside its work. */
export interface SqliteFaults {
  /** Called instead of each COMMIT of a prepared statement; `commit` is the real one. */
  onCommit?: (commit: () => void) => void;
  /** Called before every other statement with its SQL, after a close with `CLOSE`; `false` leaves it out. */
  onStatement?: (sql: string) => void | false;
  /** What SQLite says its version is. Absent: what it is. */
  version?: string;
  /** How many connections were opened and not closed. */
  open: number;
}

/** An error as `node:sqlite` throws it. */
export function sqliteError(message: string, errcode: number): Error {
  return Object.assign(new Error(message), { code: "ERR_SQLITE_ERROR", errcode });
}

/** Connects to the real SQLite, with faults put in between. */
export function faultyConnect(faults: SqliteFaults): () => Promise<ConnectSqlite> {
  return () => Promise.resolve((path: string) => connectWith(path, faults));
}

function connectWith(path: string, faults: SqliteFaults): SqliteConnection {
  const real = new DatabaseSync(path);
  faults.open++;
  return {
    get isTransaction() {
      return real.isTransaction;
    },
    exec(sql) {
      if (faults.onStatement?.(sql) !== false) real.exec(sql);
    },
    prepare(sql) {
      // Most pragmas take effect when they are prepared.
      const leftOut = /^PRAGMA \w+ = /.test(sql) && faults.onStatement?.(sql) === false;
      const statement = real.prepare(leftOut ? "SELECT 1" : sql);
      return {
        run(...values) {
          if (sql === "COMMIT" && faults.onCommit) {
            faults.onCommit(() => void statement.run());
            return { changes: 0, lastInsertRowid: 0 };
          }
          faults.onStatement?.(sql);
          return statement.run(...values);
        },
        get(...values) {
          if (sql.includes("sqlite_version") && faults.version) return { v: faults.version };
          faults.onStatement?.(sql);
          return statement.get(...values);
        },
        all(...values) {
          faults.onStatement?.(sql);
          return statement.all(...values);
        },
        iterate() {
          faults.onStatement?.(sql);
          return statement.iterate();
        },
      };
    },
    close() {
      faults.open--;
      real.close();
      faults.onStatement?.("CLOSE");
    },
  };
}
