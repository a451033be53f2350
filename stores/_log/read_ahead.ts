import type { StoredRun } from "../../types/mod.ts";

/** How many characters of logs are read ahead. */
export const AHEAD_CHARS = 1_000_000;

/**
 * Every run with its lines, one after the other. Of a store with very many runs most logs are short: asking for each
 * would take far longer than reading it, so many are read ahead at once.
 *
 * @param shortLogs The logs of the runs from one on, as far as they are short and whole. Whatever else there is of a run,
 * be it that it cannot be read, is told where it is read alone: an error of this call is not.
 * @param alone Reads one.
 */
export async function* readAhead(
  runIds: readonly string[],
  shortLogs: (from: number) => Promise<readonly (readonly string[])[]>,
  alone: (runId: string) => AsyncIterable<readonly string[]>,
): AsyncGenerator<StoredRun> {
  for (let next = 0; next < runIds.length;) {
    const logs = await shortLogs(next).catch(() => []);
    for (const lines of logs) yield { runId: runIds[next++] ?? "", lines: given(lines) };
    if (logs.length > 0) continue;
    const runId = runIds[next++] ?? "";
    yield { runId, lines: alone(runId) };
  }
}

async function* given(lines: readonly string[]): AsyncGenerator<readonly string[]> {
  yield lines;
}
