// A process of its own that drives a run, or goes on with one that others drive, too, or first the one, then with a run
// "race" the other. Arguments: sqlite|kv|postgres, drive|race|both, the path or URL, the run id, how many entries.
import type { RunStore } from "../../../ports/mod.ts";
import {
  digest,
  frameLogLine,
  type LogEntry,
  parseLogLine,
  RunConflictError,
  RunExistsError,
  RunLockedError,
} from "../../../types/mod.ts";

const [kind, mode, path, ownId, count] = Deno.args;
const length = Number(count);

function entryAfter(runId: string, lines: readonly string[], payload: string): LogEntry {
  const last = lines.at(-1);
  const parsed = last === undefined ? undefined : parseLogLine(last);
  const prev = parsed?.ok ? parsed.entry.hash : digest(runId);
  return frameLogLine(lines.length, prev, `{"type":"step","observation":"${payload}"}`);
}

function acknowledge(entry: LogEntry): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${entry.seq} ${entry.hash}\n`));
}

async function drive(store: RunStore, runId: string): Promise<void> {
  const lines: string[] = [];
  while (lines.length < length) {
    const entry = entryAfter(runId, lines, `entry ${lines.length}`);
    if (lines.length === 0) await store.startRun(runId, entry);
    else if (lines.length % 3 === 0) await store.writeOutcome(runId, entry);
    else await store.writeIntent(runId, entry);
    lines.push(entry.line);
    acknowledge(entry);
  }
  await store.releaseRun(runId);
}

/** What a process meets that was not the fastest. */
const LOST = [RunConflictError, RunExistsError, RunLockedError];

/** Goes on with the run for as long as nobody is faster, reads it again where somebody was. */
async function race(store: RunStore, runId: string): Promise<void> {
  let lines = await store.readRun(runId) ?? [];
  while (lines.length < length) {
    const entry = entryAfter(runId, lines, `by ${Deno.pid}`);
    try {
      await (lines.length === 0 ? store.startRun : store.writeIntent)(runId, entry);
      lines = [...lines, entry.line];
      acknowledge(entry);
      await store.releaseRun(runId);
    } catch (error) {
      if (!LOST.some((lost) => error instanceof lost)) throw error;
      lines = await store.readRun(runId) ?? [];
    }
  }
}

async function withStore(body: (store: RunStore) => Promise<void>): Promise<void> {
  if (kind === "postgres") {
    const { postgresStore } = await import("../../../stores/postgres.ts");
    const { poolMaker } = await import("../postgres/npm_clients.ts");
    const pool = (await poolMaker())({ connectionString: path });
    await body(postgresStore({ client: pool }));
    await pool.end();
  } else if (kind === "kv") {
    const { kvStore } = await import("../../../stores/kv.ts");
    using kv = await Deno.openKv(path);
    await body(kvStore({ kv }));
  } else {
    const { sqliteStore } = await import("../../../stores/sqlite.ts");
    await body(sqliteStore({ path: path! }));
  }
}

await withStore(async (store) => {
  if (mode !== "race") await drive(store, ownId!);
  if (mode === "race") await race(store, ownId!);
  else if (mode === "both") await race(store, "race");
});
