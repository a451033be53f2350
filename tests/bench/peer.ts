/**
 * The library's part of a comparison with others, and with `peer_floor.ts`, by one workload:
 * `peer.ts <variant> <mode> <calls> <concurrency> <dir>`. The variant is the store: `default` (memory), `jsonl`, `sqlite`
 * or `kv`, in the folder. It prints one line of JSON.
 *
 * @module
 */
import { resume, run, type RunStore } from "../../mod.ts";
import { jsonlStore } from "../../stores/jsonl.ts";
import { kvStore } from "../../stores/kv.ts";
import { memoryStore } from "../../stores/memory.ts";
import { sqliteStore } from "../../stores/sqlite.ts";
import { countWrites } from "./counted_stores.ts";
import { nativeAgent, nativeRequest } from "./native/native_runs.ts";
import { echoingModel } from "./native/native_workload.ts";
import { peerRunIds, peerTask, sayFigures, timed } from "./peer_program.ts";

const OPEN: Readonly<Record<string, (dir: string) => RunStore | Promise<RunStore>>> = {
  default: memoryStore,
  jsonl: (dir) => jsonlStore({ dir }),
  sqlite: (dir) => sqliteStore({ path: `${dir}/runs.db` }),
  kv: async (dir) => kvStore({ kv: await Deno.openKv(`${dir}/kv.db`) }),
};

if (import.meta.main) {
  const task = peerTask("peer.ts", Object.keys(OPEN));
  const { store, counts } = countWrites(await OPEN[task.variant]!(task.dir));
  const drive = task.mode === "resume" ? resume : run;
  // What a run gives is held until the end, as whoever asked for it would hold it.
  let results: readonly unknown[] = [];
  const figures = await timed(task, async (onCall) => {
    const agent = nativeAgent(echoingModel(task.calls, onCall), store);
    results = await Promise.all(
      peerRunIds(task).map((runId) => drive(agent, nativeRequest(runId))),
    );
  });
  const { bytes, barriers } = counts;
  if (results.length === task.runs) sayFigures(task, { ...figures, bytes, barriers });
}
