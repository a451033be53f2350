// deno run examples/custom_store.ts
// deno-lint-ignore-file no-console require-await
/** A store of one's own, in thirty lines, and the contract that every store must keep. */
import {
  InvalidRequestError,
  type LogEntry,
  RunConflictError,
  RunExistsError,
  type RunStore,
} from "@polyloop/polyloop";
import { digest, parseLogLine } from "@polyloop/polyloop/types";
import { storeContract } from "@polyloop/polyloop/contract";

/** Keeps the lines of each run in a map: where they have to last, put a database in its place. */
function mapStore(runs: Map<string, string[]>): RunStore {
  async function append(runId: string, entry: LogEntry): Promise<void> {
    const lines = runs.get(checked(runId));
    if (lines === undefined) throw new RunConflictError(runId, entry.seq, "there is no such run");
    const { seq, prev, hash } = framing(entry.line) ?? {};
    const last = lines.length === 0 ? digest(runId) : framing(lines.at(-1)!)!.hash;
    const isItself = seq === entry.seq && prev === entry.prev && hash === entry.hash;
    if (!isItself || seq !== lines.length || prev !== last) {
      throw new RunConflictError(runId, entry.seq, "it is not the next entry of the log");
    }
    lines.push(entry.line);
  }
  return {
    readRun: async (runId) => runs.get(checked(runId))?.slice() ?? null,
    async startRun(runId, entry) {
      if (runs.has(checked(runId))) throw new RunExistsError(runId);
      runs.set(runId, []);
      await append(runId, entry).finally(() => runs.get(runId)?.length === 0 && runs.delete(runId));
    },
    writeIntent: append,
    writeOutcome: append,
    finishRun: append,
    releaseRun: async () => {},
    parameters: () => ({}),
  };
}

function framing(line: string): LogEntry | undefined {
  const parsed = parseLogLine(line);
  return parsed.ok && !line.includes("\n") ? parsed.entry : undefined;
}

function checked(runId: string): string {
  if (/^[a-z0-9][a-z0-9._-]{0,127}$/.test(runId)) return runId;
  throw new InvalidRequestError("runId", runId, "it is no run id");
}

const cases = storeContract({ makeStore: () => mapStore(new Map()) });
for (const { name, run } of cases) {
  await run().catch((error) => Promise.reject(new Error(`${name}: ${error.message}`)));
}
console.log(`all ${cases.length} cases of the contract hold`);
