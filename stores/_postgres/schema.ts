import { InvalidRequestError } from "../../types/mod.ts";

/** The tables of a store, as statements name them. */
export interface PostgresTables {
  readonly runs: string;
  readonly entries: string;
  /** The function that writes an entry. */
  readonly append: string;
}

const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/;

/**
 * The tables in a schema. Their names carry the version of their shape.
 *
 * @throws {InvalidRequestError} If it is no name of a schema.
 */
export function tablesIn(schema: string, field: string): PostgresTables {
  if (typeof schema !== "string" || !SCHEMA.test(schema)) {
    throw new InvalidRequestError(field, schema, `a schema's name must match ${SCHEMA.source}`);
  }
  return {
    runs: `"${schema}".polyloop_v1_runs`,
    entries: `"${schema}".polyloop_v1_entries`,
    append: `"${schema}".polyloop_v1_append`,
  };
}

/*
 * Every write updates its run: `tail` is the token of the last entry, and whoever moves it has the next place: of two
 * that try, one waits for the other and then finds it moved. No index is on a column that changes before the end, and
 * pages have room left, so that such an update touches no index.
 *
 * A write is a call of a function, as the server keeps the plans of its statements: to plan them anew took it more time
 * than to run them.
 */
/**
 * The statement that makes the tables and the function. One, as some clients take no more at once; where all are there
 * it changes nothing, so that a role may run it that may make none, and of two that run it at once one waits.
 */
export function schemaText({ runs, entries, append }: PostgresTables): string {
  return `DO $polyloop$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('polyloop_v1'));
  IF to_regclass('${runs}') IS NOT NULL AND to_regclass('${entries}') IS NOT NULL
      AND to_regproc('${append}') IS NOT NULL THEN
    RETURN;
  END IF;
  CREATE TABLE IF NOT EXISTS ${runs} (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id text COLLATE "C" NOT NULL UNIQUE,
    finished boolean NOT NULL DEFAULT false,
    tail text NOT NULL,
    driver text NOT NULL,
    lease_until timestamptz
  ) WITH (fillfactor = 50);
  CREATE INDEX IF NOT EXISTS polyloop_v1_unfinished ON ${runs} (run_id) WHERE NOT finished;
  CREATE TABLE IF NOT EXISTS ${entries} (
    run bigint NOT NULL REFERENCES ${runs} ON DELETE CASCADE,
    seq integer NOT NULL,
    token text NOT NULL,
    line text NOT NULL,
    PRIMARY KEY (run, seq)
  );
  CREATE OR REPLACE FUNCTION ${append}(
    of_run bigint, old_tail text, owner text, lease_ms integer,
    place integer, new_token text, new_line text,
    takes_free boolean, ends_run boolean, is_lazy boolean
  ) RETURNS bigint LANGUAGE plpgsql AS $append$
  BEGIN
    IF is_lazy THEN
      PERFORM set_config('synchronous_commit', 'off', true);
    END IF;
    UPDATE ${runs}
      SET driver = owner, lease_until = ${leaseEnd("lease_ms")}, tail = new_token,
        finished = finished OR ends_run
      WHERE id = of_run AND tail = old_tail AND (driver = owner OR takes_free AND ${LEASE_IS_OVER});
    IF NOT FOUND THEN
      RETURN NULL;
    END IF;
    INSERT INTO ${entries} (run, seq, token, line) VALUES (of_run, place, new_token, new_line);
    RETURN of_run;
  END
  $append$;
END
$polyloop$;
`;
}

/** That nobody has a run, or no longer. */
export const LEASE_IS_OVER = "(lease_until IS NULL OR lease_until <= clock_timestamp())";

/** The end of a lease that begins now, after any wait for a lock; none where it lasts no time. */
export function leaseEnd(ms: string): string {
  return `CASE WHEN ${ms}::int > 0 THEN clock_timestamp() + ${ms}::int * interval '1 millisecond' END`;
}
