/** Stores that are large, made of one real run: its entries again and again, each hashed anew. */
import { memoryStore } from "../../../stores/memory.ts";
import { digest, frameLogLine, type LogEntry } from "../../../types/mod.ts";
import { makeRun } from "../made_runs.ts";

/** The records of a run's lines as JSON, by entry. */
async function recordsOf(runId: string, replies: readonly string[]): Promise<readonly string[]> {
  const store = memoryStore();
  const budget = {
    maxSteps: 9e6,
    maxModelCalls: 9e6,
    maxPromptChars: 9e9,
    maxConsecutiveFailures: 9,
  };
  await makeRun(store, runId, replies, { budget });
  return (await store.readRun(runId) ?? []).map((line) =>
    line.slice(line.indexOf('"records":[') + 11, line.lastIndexOf('],"hash":'))
  );
}

/** Frames records as the log of a run. */
function* framed(runId: string, records: Iterable<string>): Generator<LogEntry> {
  let [seq, prev] = [0, digest(runId)];
  for (const json of records) {
    const entry = frameLogLine(seq++, prev, json);
    prev = entry.hash;
    yield entry;
  }
}

/** The logs of many runs of one step. */
export async function* manyRuns(
  count: number,
): AsyncGenerator<{ readonly runId: string; readonly entries: Iterable<LogEntry> }> {
  const name = "run-0000000";
  const records = await recordsOf(name, ["answer yes"]);
  for (let i = 0; i < count; i++) {
    const runId = `run-${String(i).padStart(7, "0")}`;
    yield { runId, entries: framed(runId, records.map((json) => json.replaceAll(name, runId))) };
  }
}
