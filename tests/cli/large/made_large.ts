/** Stores that are large, made of one real run: its entries again and again, each hashed anew. */
import { DatabaseSync } from "node:sqlite";
import { memoryStore } from "../../../stores/memory.ts";
import { sqliteStore } from "../../../stores/sqlite.ts";
import { digest, frameLogLine, type LogEntry } from "../../../types/mod.ts";
import { makeRun } from "../made_runs.ts";

/** How many go into one commit of Deno KV, which holds no more than 800 KiB. */
const RUNS_A_COMMIT = 100;

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

/** Puts many runs into a folder, a database of SQLite and one of Deno KV, as their stores keep them. */
export async function putManyRuns(
  count: number,
  { folder, sqlite, kv }: { readonly folder: string; readonly sqlite: string; readonly kv: string },
): Promise<void> {
  Deno.mkdirSync(folder);
  await makeRun(sqliteStore({ path: sqlite }), "first", ["answer yes"]);
  using database = new DatabaseSync(sqlite);
  database.exec("BEGIN");
  const addRun = database.prepare("INSERT INTO runs (run_id, finished) VALUES (?, 1)");
  const addEntry = database.prepare(
    "INSERT INTO entries (previous, run, seq, token, line) VALUES (?, ?, ?, 'x', ?)",
  );
  using keys = await Deno.openKv(kv);
  const root = ["polyloop", "v1"];
  let atomic = keys.atomic();
  let number = 0;
  for await (const { runId, entries } of manyRuns(count)) {
    const run = addRun.run(runId).lastInsertRowid;
    const origin = crypto.randomUUID();
    atomic.set([...root, "run", runId], origin);
    let [previous, text] = [-Number(run), ""];
    for (const { seq, line } of entries) {
      text += `${line}\n`;
      previous = Number(addEntry.run(previous, run, seq, line).lastInsertRowid);
      const bytes = new TextEncoder().encode(line);
      atomic.set([...root, "entry", runId, origin, seq], { token: origin, bytes });
    }
    Deno.writeTextFileSync(`${folder}/${runId}.jsonl`, text);
    if (++number % RUNS_A_COMMIT !== 0 && number !== count) continue;
    await atomic.commit();
    atomic = keys.atomic();
  }
  database.exec("COMMIT");
}
