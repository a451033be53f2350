import { errorInfo, StoreFailedError, type StoreTask } from "../../types/mod.ts";

/** A row as a client gives it: the names of its columns and their values. */
export type PostgresRow = Readonly<Record<string, unknown>>;

/**
 * The part of a PostgreSQL client that the store uses. A `Pool` or a `Client` of `npm:pg` or of neon is one, and so is a
 * `PGlite`; for another one write the object: `{ query: async (text, values) => ({ rows: await … }) }`.
 */
export interface PostgresClient {
  /**
   * Runs one statement with the values of `$1`, `$2` …: strings and whole numbers of 32 bits. Called for several
   * statements at once. It must reject if the statement failed or nobody can say; the server's SQLSTATE, if there is
   * one, is the error's `code`. A statement is never sent twice.
   */
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly PostgresRow[] }>;
}

/** Runs a statement and gives its rows. */
export type RunStatement = (
  text: string,
  values: readonly (string | number)[],
) => Promise<readonly PostgresRow[]>;

/** How a client is asked. */
export function statementRunner(client: PostgresClient): RunStatement {
  return async (text, values) => {
    const { rows } = await client.query(text, [...values]);
    if (!Array.isArray(rows)) throw new TypeError("the client's answer has no array of rows");
    return rows;
  };
}

/** What the server calls an error, where the error is the server's word. */
function sqlState(error: unknown): string | undefined {
  const { code }: { readonly code?: unknown } = Object(error);
  // Node's codes of system errors look alike: EPIPE. No SQLSTATE begins with E.
  return typeof code === "string" && /^[0-9A-DF-Z][0-9A-Z]{4}$/.test(code) ? code : undefined;
}

/**
 * Whether an error says that its statement took no effect and will take none. A lost connection (08) does not say so,
 * nor a server that stops (57P), nor one that does not know itself (40003).
 */
export function isRolledBack(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && !/^(?:08|57P|40003)/.test(state);
}

/** There is no such table, no such schema, no such function. */
const NOT_MADE: readonly string[] = ["42P01", "3F000", "42883"];

/** What a client threw, as an error of the library. */
export function postgresFailure(task: StoreTask, cause: unknown): StoreFailedError {
  const state = sqlState(cause);
  const { message } = errorInfo(cause);
  const said = state === undefined ? message : `${message} (SQLSTATE ${state})`;
  const advice = state !== undefined && NOT_MADE.includes(state)
    ? ": run what postgresSchema() gives once, for the schema that the store has"
    : "";
  return new StoreFailedError(task, `PostgreSQL failed: ${said}${advice}`, { cause });
}
