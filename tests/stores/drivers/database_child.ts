// A process of its own that drives a run. Arguments: sqlite|kv|postgres, drive|race, the path or URL, the run id, how many entries.
import type { RunStore } from "../../../ports/mod.ts";
import { kvStore } from "../../../stores/kv.ts";
import { postgresStore } from "../../../stores/postgres.ts";
import { sqliteStore } from "../../../stores/sqlite.ts";
import {
  digest,
  frameLogLine,
  type LogEntry,
  parseLogLine,
  RunConflictError,
  RunLockedError,
} from "../../../types/mod.ts";
import { poolMaker } from "../postgres/npm_clients.ts";

const [kind, mode, path, runId, count] = Deno.args;
const length = Number(count);

function entryAfter(lines: readonly string[], payload: string): LogEntry {
  const last = lines.at(-1);
  const parsed = last === undefined ? undefined : parseLogLine(last);
  const prev = parsed?.ok ? parsed.entry.hash : digest(runId!);
  return frameLogLine(lines.length, prev, `{"type":"step","observation":"${payload}"}`);
}

function acknowledge(entry: LogEntry): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${entry.seq} ${entry.hash}\n`));
}

async function drive(store: RunStore): Promise<void> {
  const lines: string[] = [];
  while (lines.length < length) {
    const entry = entryAfter(lines, `entry ${lines.length}`);
    if (lines.length === 0) await store.startRun(runId!, entry);
    else if (lines.length % 3 === 0) await store.writeOutcome(runId!, entry);
    else await store.writeIntent(runId!, entry);
    lines.push(entry.line);
    acknowledge(entry);
  }
  await store.releaseRun(runId!);
}

/** Goes on with the run for as long as nobody is faster, reads it again where somebody was. */
async function race(store: RunStore): Promise<void> {
  let lines = await store.readRun(runId!) ?? [];
  while (lines.length < length) {
    const entry = entryAfter(lines, `by ${Deno.pid}`);
    try {
      await store.writeIntent(runId!, entry);
      lines = [...lines, entry.line];
      acknowledge(entry);
      await store.releaseRun(runId!);
    } catch (error) {
      if (!(error instanceof RunConflictError || error instanceof RunLockedError)) throw error;
      lines = await store.readRun(runId!) ?? [];
    }
  }
}

async function withStore(body: (store: RunStore) => Promise<void>): Promise<void> {
  if (kind === "postgres") {
    const pool = (await poolMaker())({ connectionString: path });
    await body(postgresStore({ client: pool }));
    await pool.end();
  } else if (kind === "kv") {
    using kv = await Deno.openKv(path);
    await body(kvStore({ kv }));
  } else {
    await body(sqliteStore({ path: path! }));
  }
}

await withStore(mode === "drive" ? drive : race);
