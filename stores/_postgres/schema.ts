import { InvalidRequestError } from "../../types/mod.ts";

/** The tables of a store, as statements name them. */
export interface PostgresTables {
  readonly runs: string;
  readonly entries: string;
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
  };
}

/*
 * Every write updates its run: `tail` is the token of the last entry, and whoever moves it has the next place. No index
 * is on a column that changes before the end, and pages have room left, so that such an update touches no index.
 */
/** The statement that makes the tables. One, as some clients take no more at once. */
export function schemaText({ runs, entries }: PostgresTables): string {
  return `DO $polyloop$
BEGIN
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
END
$polyloop$;
`;
}
