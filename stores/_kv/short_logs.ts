import { AHEAD_CHARS } from "../_log/read_ahead.ts";
import type { KvDatabase } from "./database.ts";
import { EntriesAhead } from "./entries_ahead.ts";
import { runsFrom, STRONG } from "./keys.ts";
import { lineInOneValue } from "./log.ts";

/** How many runs are read ahead at most. */
const RUNS = 200;

/** A log that was read ahead, and the origin of the run that it is of. */
interface ShortLog {
  readonly origin: unknown;
  readonly lines: readonly string[];
}

/**
 * Reads the logs of the runs of a list from one on, as far as each is found whole, its entries in their places and in
 * one value each. The keys of entries lie run by run, as the runs' own do. Which run the entries are of is looked at
 * after they were read: what is left of one that was removed, or started anew, has another origin, and ends them.
 */
export function shortLogs(
  kv: KvDatabase,
  runIds: readonly string[],
): (from: number) => Promise<readonly (readonly string[])[]> {
  const entries = new EntriesAhead(kv);
  return async (from) => {
    const logs = await logsOf(entries, runIds.slice(from, from + RUNS));
    const origins = await originsOf(kv, runIds.slice(from, from + logs.length));
    const foreign = logs.findIndex(({ origin }, at) => origins[at] !== origin);
    return (foreign === -1 ? logs : logs.slice(0, foreign)).map(({ lines }) => lines);
  };
}

/** The origins of runs, up to one that is not there. */
async function originsOf(kv: KvDatabase, runIds: readonly string[]): Promise<readonly string[]> {
  const origins: string[] = [];
  const [first] = runIds;
  if (first === undefined) return origins;
  const options = { ...STRONG, limit: runIds.length };
  for await (const { key, value } of kv.list(runsFrom(first), options)) {
    if (key.at(-1) !== runIds[origins.length] || typeof value !== "string") break;
    origins.push(value);
  }
  return origins;
}

async function logsOf(
  entries: EntriesAhead,
  runIds: readonly string[],
): Promise<readonly ShortLog[]> {
  const logs: ShortLog[] = [];
  let chars = 0;
  for (const runId of runIds) {
    const lines: string[] = [];
    await entries.seek(runId);
    const origin = entries.nextOf(runId)?.key[4];
    for (let entry = entries.nextOf(runId); entry !== undefined; entry = entries.nextOf(runId)) {
      const isInPlace = entry.key[4] === origin && entry.key[5] === lines.length;
      const line = isInPlace ? lineInOneValue(entry.value) : null;
      chars += line?.length ?? 0;
      if (line === null || chars > AHEAD_CHARS) return logs;
      lines.push(line);
      await entries.advance();
    }
    if (lines.length === 0) return logs;
    logs.push({ origin, lines });
  }
  return logs;
}
