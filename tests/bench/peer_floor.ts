/**
 * The least that must be done for what `peer.ts` gives: `peer_floor.ts <variant> <mode> <calls> <concurrency> <dir>`. It
 * makes the same records, hashes, prompts and bytes with the same barriers, and checks nothing. The variant is `default`
 * (memory) or `jsonl`; `resume` is `JSON.parse` of the lines that `peer.ts jsonl run` left in the folder, without
 * reading them.
 *
 * @module
 */
import type { Start, WriteLine } from "./bare_log.ts";
import { bareNativeRun } from "./native/native_floor.ts";
import { echoingModel } from "./native/native_workload.ts";
import { peerRunIds, peerTask, sayFigures, timed } from "./peer_program.ts";
import { bareFile } from "./store_floors.ts";

if (import.meta.main) {
  const task = peerTask("peer_floor.ts", ["default", "jsonl"]);
  const counts = { bytes: 0, barriers: 0 };
  const lines = task.mode === "resume" ? linesIn(task.dir) : [];
  let held: readonly unknown[] = [];
  const figures = await timed(task, async (onCall) => {
    if (task.mode === "resume") {
      held = lines.map((line) => JSON.parse(line));
      return;
    }
    const model = echoingModel(task.calls, onCall);
    held = await Promise.all(
      peerRunIds(task).map(async (runId) => {
        const { log, write } = task.variant === "jsonl"
          ? { log: [], write: (await bareFile(task.dir)).write }
          : inMemory();
        return [log, await bareNativeRun(startOf(runId), model, Date.now, counted(write, counts))];
      }),
    );
  });
  if (held.length > 0) sayFigures(task, { ...figures, ...counts });
}

/** Counts what is written; the workload is ASCII. */
function counted(write: WriteLine, counts: { bytes: number; barriers: number }): WriteLine {
  return (line, isBarrier) => {
    counts.bytes += line.length + 1;
    if (isBarrier) counts.barriers++;
    return write(line, isBarrier);
  };
}

function linesIn(dir: string): readonly string[] {
  return Deno.readTextFileSync(`${dir}/peer-0.jsonl`).trimEnd().split("\n");
}

function inMemory(): { readonly log: readonly string[]; readonly write: WriteLine } {
  const log: string[] = [];
  return { log, write: (line) => void log.push(line) };
}

/** A first record that is none of the library's, which is not loaded here: it is written once, whatever its size. */
function startOf(runId: string): Start {
  return { runId, started: JSON.stringify({ type: "run_started", runId }) };
}
