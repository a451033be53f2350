import { LEASE_IS_OVER, leaseEnd, type PostgresTables } from "./schema.ts";

/** What the row of a run must say for a write to be let in: that it is the store's own, or free. */
export type Fence = "held" | "free";

/** How an entry is written: an outcome need not have reached the disk, and after a finish the run is nobody's. */
export type EntryKind = "intent" | "outcome" | "finish";

/** The statements over the tables of a store; each is a transaction of its own. */
export interface PostgresStatements {
  /** `$1` run id, `$2` token, `$3` line, `$4` owner, `$5` lease in ms. Gives `run`; no row: there is such a run. */
  readonly start: string;
  /** The end of a log. `$1` run id. Gives `run`, `tail`, `driver`, `left_ms`, and `seq`, `token`, `line` of the last entry. */
  readonly last: string;
  /** `$1` run id, `$2` seq. Gives `run` and `token` of that entry. */
  readonly entry: string;
  /** `$1` owner, `$2` lease in ms, `$3` runs, with commas. Gives the `run` of each that has that owner. */
  readonly renew: string;
  /** `$1` run, `$2` tail, `$3` owner. Gives `run`; no row: the run is another's, or its log ends elsewhere. */
  readonly release: string;
  /** `$1` run id. */
  readonly breakLease: string;
  /** `$1` run id, `$2` an owner who may. Gives `run`; no row: there is none, or it is leased. */
  readonly remove: string;
  /** `$1` run id. Gives `run`, `driver`, `left_ms`. */
  readonly run: string;
  /** `$1` run id. Gives `run`, `driver` and `tail` with each entry. */
  readonly log: string;
  /** `$1` run, `$2` the first seq. Gives `tail` with each entry, as many as are read at a time. */
  readonly part: string;
  /** `$1` run, `$2` tail, `$3` owner, `$4` lease in ms. Gives `run`; no row: see {@link Fence}. */
  claim(fence: Fence): string;
  /** The same, then `$5` seq, `$6` token, `$7` line; `run` is `null` where there would be no row. */
  append(fence: Fence, kind: EntryKind): string;
  /** Gives `run_id`, `driver`, `left_ms`, sorted; for idle runs alone `$1` is the owner whose leases do not count. */
  list(unfinished: boolean, idle: boolean): string;
}

/** No row is asked for beyond so many, nor beyond so many bytes of lines, but for one that has more. */
const PART_ROWS = 1_000;
const PART_BYTES = 1_000_000;

/** What a lease has left. A server's clock may have been set back since, however far: the number must stay one. */
const LEFT_MS = `CASE WHEN ${LEASE_IS_OVER} THEN 0
    WHEN lease_until > clock_timestamp() + interval '2147483647 milliseconds' THEN 2147483647
    ELSE greatest(0, ceil(extract(epoch FROM lease_until - clock_timestamp()) * 1000))
    END::int AS left_ms`;

/** Has the commit of its statement wait for no disk: the next one that does brings it along. */
const LAZY = "lazy AS (SELECT set_config('synchronous_commit', 'off', true))";

function isFree(owner: string): string {
  return `(${LEASE_IS_OVER} OR driver = ${owner})`;
}

/** Writes the statements for the tables. */
export function postgresStatements({ runs, entries, append }: PostgresTables): PostgresStatements {
  return {
    start: `WITH run AS (INSERT INTO ${runs} (run_id, tail, driver, lease_until)
      VALUES ($1, $2, $4, ${leaseEnd("$5")}) ON CONFLICT (run_id) DO NOTHING RETURNING id)
      INSERT INTO ${entries} (run, seq, token, line) SELECT id, 0, $2, $3 FROM run
      RETURNING run::text`,
    last: `SELECT id::text AS run, tail, driver, ${LEFT_MS}, seq, token, line FROM ${runs}
      LEFT JOIN LATERAL (SELECT seq, token, line FROM ${entries}
        WHERE run = id ORDER BY seq DESC LIMIT 1) AS last ON true
      WHERE run_id = $1`,
    entry: `SELECT run::text, token FROM ${runs} JOIN ${entries} ON run = id
      WHERE run_id = $1 AND seq = $2::int`,
    renew: `WITH ${LAZY} UPDATE ${runs} SET lease_until = ${leaseEnd("$2")} FROM lazy
      WHERE driver = $1 AND NOT finished AND id = ANY (string_to_array($3, ',')::bigint[])
      RETURNING id::text AS run`,
    release: `UPDATE ${runs} SET driver = '', lease_until = NULL
      WHERE id = $1::bigint AND tail = $2 AND driver = $3 RETURNING id::text AS run`,
    breakLease: `UPDATE ${runs} SET driver = '', lease_until = NULL WHERE run_id = $1`,
    remove: `DELETE FROM ${runs} WHERE run_id = $1 AND ${isFree("$2")} RETURNING id::text AS run`,
    run: `SELECT id::text AS run, driver, ${LEFT_MS} FROM ${runs} WHERE run_id = $1`,
    log: `SELECT id::text AS run, driver, tail, seq, token, line FROM ${runs}
      LEFT JOIN ${entries} ON run = id WHERE run_id = $1 ORDER BY seq`,
    part: `SELECT tail, seq, token, line FROM ${runs} LEFT JOIN LATERAL (
        SELECT seq, token, line, sum(octet_length(line)) OVER (ORDER BY seq) - octet_length(line)
          AS bytes_before
        FROM ${entries} WHERE run = id AND seq >= $2::int ORDER BY seq LIMIT ${PART_ROWS}
      ) AS part ON bytes_before < ${PART_BYTES}
      WHERE id = $1::bigint ORDER BY seq`,
    claim: (fence) =>
      `UPDATE ${runs} SET driver = $3, lease_until = ${leaseEnd("$4")}
      WHERE id = $1::bigint AND tail = $2 AND ${fence === "held" ? "driver = $3" : isFree("$3")}
      RETURNING id::text AS run`,
    append(fence, kind) {
      const [takesFree, endsRun] = [fence === "free", kind === "finish"];
      const isLazy = !takesFree && kind === "outcome";
      return `SELECT ${append}($1::bigint, $2, $3, $4::int, $5::int, $6, $7,
        takes_free => ${takesFree}, ends_run => ${endsRun}, is_lazy => ${isLazy})::text AS run`;
    },
    list(unfinished, idle) {
      const wanted = [
        ...(unfinished ? ["NOT finished"] : []),
        ...(idle ? [isFree("$1")] : []),
      ];
      const where = wanted.length === 0 ? "" : `WHERE ${wanted.join(" AND ")}`;
      return `SELECT run_id, driver, ${LEFT_MS} FROM ${runs} ${where} ORDER BY run_id`;
    },
  };
}
