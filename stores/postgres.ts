/**
 * A store that keeps runs in PostgreSQL: for many hosts, by the client that the program has already.
 *
 * @example
 * ```ts
 * import { type PostgresClient, postgresSchema, postgresStore } from "@polyloop/polyloop/stores/postgres";
 * import { assertEquals } from "@std/assert";
 *
 * // With `npm:pg`: new Pool({ connectionString }). This one is no server's and has no row.
 * const client: PostgresClient = { query: () => Promise.resolve({ rows: [] }) };
 * await client.query(postgresSchema()); // once, or by the project's migrations
 * const store = postgresStore({ client });
 * assertEquals(await store.readRun("demo-1"), null);
 * assertEquals(await store.listRuns({ unfinished: true }), []);
 * ```
 *
 * @module
 */
import type { RunStore } from "../ports/mod.ts";
import {
  InvalidRequestError,
  type LeaseOptions,
  type LogEntry,
  refuseUnknownFields,
  type RunCatalog,
  type StoredRun,
} from "../types/mod.ts";
import { LEASE_FIELDS } from "./_lease/leases.ts";
import { checkRunId } from "./_log/run_id.ts";
import { type PostgresClient, statementRunner } from "./_postgres/client.ts";
import { PostgresLog } from "./_postgres/log.ts";
import { PostgresRuns } from "./_postgres/runs.ts";
import { schemaText, tablesIn } from "./_postgres/schema.ts";
import { type EntryKind, postgresStatements } from "./_postgres/statements.ts";

export type { PostgresClient, PostgresRow } from "./_postgres/client.ts";

/**
 * What {@link postgresStore} needs: a client, and for how long a run is its driver's. The server's clock decides when a
 * lease ends; `now` only says that time in the words of this host's clock, for the `until` of a `RunLockedError`.
 */
export interface PostgresStoreOptions extends LeaseOptions {
  /**
   * The client: a pool, so that a connection that was lost is made again and runs do not wait for each other. The store
   * holds no connection between two calls, keeps nothing in a session, and never closes the client.
   */
  readonly client: PostgresClient;
  /**
   * The schema that has the tables: lower-case letters, digits and `_`, not a digit first, at most 63.
   * @default {"public"}
   */
  readonly schema?: string;
}

const DEFAULT_SCHEMA = "public";

/**
 * The statement that makes the tables of a store and the function that writes an entry, for PostgreSQL 12 or later; where
 * they are there it does nothing. Give it to the client once, or to the project's migrations: the store never makes them
 * by itself. Whoever drives runs may SELECT, INSERT, UPDATE and DELETE in both tables, and EXECUTE the function, as
 * everybody may by default.
 *
 * @param schema The schema, which must be there: as for {@link PostgresStoreOptions}, by default `public`.
 * @throws {InvalidRequestError} If it is no such name.
 */
export function postgresSchema(schema: string = DEFAULT_SCHEMA): string {
  return schemaText(tablesIn(schema, "schema"));
}

/**
 * Makes a store over a PostgreSQL database that has the tables of {@link postgresSchema}; the module docs show one. It
 * opens nothing, and needs no permission beside what the client needs.
 *
 * - **Round trips**: each write is one statement, and one transaction of its own; so is a release. `claimRun`, and a
 *   write of a run that was not claimed, look for the end of the log first.
 * - **Barriers** are commits under the server's own `synchronous_commit`; outcomes are commits that wait for no disk,
 *   which the next barrier of any run brings along. A server that stops at once keeps every barrier and may lose the
 *   outcomes since the last one; so may a failover to a replica that was behind lose both.
 * - **Two drivers** of a run, on one host or many, are kept apart by the run's row: each write moves its tail from the
 *   entry before to its own, and of two that try only one finds it in its place. A driver that another one has taken the
 *   run from meets a `RunConflictError`, however long it slept.
 * - **Leases** keep a run for a driver that lives: until its lease runs out, or the run is released, another store finds
 *   it taken, with a `RunLockedError` that says until when. A driver that was killed blocks its run for that long; one
 *   of the same `leaseOwner` does not wait. One statement renews the leases of all runs of a store.
 * - **Failures** are a `StoreFailedError` that names the run, with the server's SQLSTATE. No statement is sent again; a
 *   random token beside the entry tells whether one whose answer got lost took effect. Where the server has not said
 *   that it gave a statement up, the error's `durability` is `"unknown"`: read the run, which settles it.
 *
 * The isolation of its transactions must be the default one, READ COMMITTED, and the database's encoding UTF8.
 *
 * @throws {InvalidRequestError} For an option that is not as it must be, or that there is not.
 */
export function postgresStore(options: PostgresStoreOptions): RunStore & RunCatalog {
  const client = clientOption(options);
  const known = { client: true, schema: true, ...LEASE_FIELDS };
  refuseUnknownFields<PostgresStoreOptions>(options, known, { prefix: "postgresStore." });
  const { schema = DEFAULT_SCHEMA } = options;
  const statements = postgresStatements(tablesIn(schema, "postgresStore.schema"));
  const runs = new PostgresRuns(new PostgresLog(statementRunner(client), statements), options);

  async function append(kind: EntryKind, runId: string, entry: LogEntry): Promise<void> {
    checkRunId(runId);
    await runs.append(kind, runId, entry);
  }
  async function* readLines(runId: string): AsyncGenerator<readonly string[]> {
    checkRunId(runId);
    yield* runs.readLines(runId);
  }
  async function* readRuns(): AsyncGenerator<StoredRun> {
    for (const runId of await runs.list(false, false)) yield { runId, lines: readLines(runId) };
  }
  return {
    async readRun(runId) {
      checkRunId(runId);
      return await runs.read(runId);
    },
    async startRun(runId, entry) {
      checkRunId(runId);
      await runs.start(runId, entry);
    },
    writeIntent: (runId, entry) => append("intent", runId, entry),
    writeOutcome: (runId, entry) => append("outcome", runId, entry),
    finishRun: (runId, entry) => append("finish", runId, entry),
    async claimRun(runId, head) {
      checkRunId(runId);
      await runs.claim(runId, head);
    },
    async breakLease(runId) {
      checkRunId(runId);
      await runs.breakLease(runId);
    },
    releaseRun: (runId) => runs.release(runId),
    parameters: () => ({}),
    listRuns: ({ unfinished = false, idle = false } = {}) => runs.list(unfinished, idle),
    readLines,
    readRuns,
    async deleteRun(runId) {
      checkRunId(runId);
      return await runs.remove(runId);
    },
  };
}

function clientOption(options: PostgresStoreOptions): PostgresClient {
  const { client }: Partial<PostgresStoreOptions> = Object(options);
  if (typeof client?.query === "function") return client;
  const reason = "it must have a function query(text, values), as a Pool of npm:pg has";
  throw new InvalidRequestError("postgresStore.client", client, reason);
}
