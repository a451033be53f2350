import type { SqliteConnection } from "./database.ts";

/**
 * The ids of a run's entries, which each name the one before. `UNION`, not `UNION ALL`: in a damaged table they may form
 * a ring.
 */
export const CHAIN = `WITH RECURSIVE chain(id) AS (
    SELECT entries.id FROM runs JOIN entries ON entries.previous = -runs.id WHERE runs.run_id = ?
    UNION
    SELECT entries.id FROM chain JOIN entries ON entries.previous = chain.id
  )`;

/** What makes a log a short one: together they bound what is read of any. */
const SHORT_LOG = { entries: 50, lineBytes: 20_000 } as const;

/**
 * Prepares the statement that reads the lines of a run whose log is short and without a fault; it gives `null` for any
 * other.
 */
export function shortLogs(
  connection: SqliteConnection,
): (runId: string) => readonly string[] | null {
  const statement = connection.prepare(
    `${CHAIN} SELECT id, seq, CASE WHEN octet_length(line) <= ${SHORT_LOG.lineBytes} THEN line END AS line
     FROM chain CROSS JOIN entries USING (id) LIMIT ${SHORT_LOG.entries + 1}`,
  );
  return (runId) => {
    const found = statement.all(runId);
    const isShort = found.length > 0 && found.length <= SHORT_LOG.entries &&
      found.every(({ id, seq, line }, i) => Number(id) > 0 && Number(seq) === i && line !== null);
    return isShort ? found.map(({ line }) => String(line)) : null;
  };
}
