/**
 * A store that keeps runs in memory: for tests, workers and runs that may be thrown away.
 *
 * @example
 * ```ts
 * import { memoryStore } from "@polyloop/polyloop/stores/memory";
 * import { assertEquals } from "@std/assert";
 *
 * const store = memoryStore();
 * assertEquals(await store.readRun("demo-1"), null);
 * assertEquals(await store.listRuns(), []);
 * ```
 *
 * @module
 */
import type { RunStore } from "../ports/mod.ts";
import { type LogEntry, type RunCatalog, RunExistsError } from "../types/mod.ts";
import { checkRunId } from "./_log/run_id.ts";
import { checkNext, emptyTail, type LogTail, missingRun } from "./_log/tail.ts";

interface Log {
  readonly lines: string[];
  tail: LogTail;
  isFinished: boolean;
}

/**
 * Makes a store whose runs live as long as the object does. **Its barriers are none**: an entry is in memory when the
 * promise resolves, and everything is gone when the process is. It has no lock; two drivers of one run are kept apart
 * by the place of their entries alone. It needs no permission.
 */
export function memoryStore(): RunStore & RunCatalog {
  const logs = new Map<string, Log>();
  /** The runs that were written to and not released. */
  const driven = new Set<string>();

  function append(runId: string, log: Log, entry: LogEntry): void {
    checkNext(runId, log.tail, entry);
    log.lines.push(entry.line);
    log.tail = { length: entry.seq + 1, hash: entry.hash };
    logs.set(runId, log);
    driven.add(runId);
  }

  // deno-lint-ignore require-await -- what it throws must reject
  async function write(runId: string, entry: LogEntry, finishes: boolean): Promise<void> {
    checkRunId(runId);
    const log = logs.get(runId);
    if (log === undefined) throw missingRun(runId, entry);
    append(runId, log, entry);
    log.isFinished = finishes;
  }

  async function* readLines(runId: string): AsyncGenerator<readonly string[]> {
    checkRunId(runId);
    const log = logs.get(runId);
    if (log !== undefined) yield log.lines.slice();
  }

  return {
    // deno-lint-ignore require-await -- what it throws must reject
    async readRun(runId) {
      checkRunId(runId);
      return logs.get(runId)?.lines.slice() ?? null;
    },
    // deno-lint-ignore require-await -- what it throws must reject
    async startRun(runId, entry) {
      checkRunId(runId);
      if (logs.has(runId)) throw new RunExistsError(runId);
      append(runId, { lines: [], tail: emptyTail(runId), isFinished: false }, entry);
    },
    writeIntent: (runId, entry) => write(runId, entry, false),
    writeOutcome: (runId, entry) => write(runId, entry, false),
    finishRun: (runId, entry) => write(runId, entry, true),
    // deno-lint-ignore require-await -- as for the others
    async releaseRun(runId) {
      driven.delete(runId);
    },
    parameters: () => ({}),
    // deno-lint-ignore require-await -- what it throws must reject
    async listRuns({ unfinished = false, idle = false } = {}) {
      const listed = [...logs].filter(([runId, { isFinished }]) =>
        !(unfinished && isFinished) && !(idle && driven.has(runId))
      );
      return listed.map(([runId]) => runId).sort();
    },
    readLines,
    async *readRuns() {
      for (const runId of [...logs.keys()].sort()) yield { runId, lines: readLines(runId) };
    },
    // deno-lint-ignore require-await -- what it throws must reject
    async deleteRun(runId) {
      checkRunId(runId);
      driven.delete(runId);
      return logs.delete(runId);
    },
  };
}
