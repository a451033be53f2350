import { AHEAD_CHARS } from "../_log/read_ahead.ts";
import type { KvDatabase } from "./database.ts";
import { entriesFrom, runsFrom, STRONG } from "./keys.ts";
import { lineInOneValue } from "./log.ts";

/** How many runs are read ahead at most. */
const RUNS = 200;

/**
 * The logs of the runs from one on, as far as each is found whole, its entries in their places and in one value each.
 * The keys of entries lie run by run, as the runs' own do. A run that was removed meanwhile, or started anew, ends them.
 */
export async function shortLogs(
  kv: KvDatabase,
  runIds: readonly string[],
  from: number,
): Promise<readonly (readonly string[])[]> {
  const ids = runIds.slice(from, from + RUNS);
  const origins = await originsOf(kv, ids);
  const logs = await logsOf(kv, ids, origins);
  const after = await originsOf(kv, ids);
  const changed = logs.findIndex((_, at) => after[at] !== origins[at]);
  return changed === -1 ? logs : logs.slice(0, changed);
}

/** The origins of runs, up to one that is not there. */
async function originsOf(kv: KvDatabase, runIds: readonly string[]): Promise<readonly string[]> {
  const origins: string[] = [];
  const options = { ...STRONG, limit: runIds.length };
  for await (const { key, value } of kv.list(runsFrom(runIds[0] ?? ""), options)) {
    if (key.at(-1) !== runIds[origins.length] || typeof value !== "string") break;
    origins.push(value);
  }
  return origins;
}

async function logsOf(
  kv: KvDatabase,
  runIds: readonly string[],
  origins: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const logs: (readonly string[])[] = [];
  let lines: string[] = [];
  let chars = 0;
  for await (const { key, value } of kv.list(entriesFrom(runIds[0] ?? ""), STRONG)) {
    const [, , , runId, origin, seq] = key;
    if (runId !== runIds[logs.length]) {
      if (lines.length === 0) return logs;
      logs.push(lines); // whole, as this entry is another run's
      lines = [];
    }
    const isNext = runId === runIds[logs.length] && origin === origins[logs.length] &&
      seq === lines.length;
    const line = isNext ? lineInOneValue(value) : null;
    if (line === null) return logs;
    chars += line.length;
    if (chars > AHEAD_CHARS) return logs;
    lines.push(line);
  }
  return lines.length === 0 ? logs : [...logs, lines];
}
