import { assertEquals } from "@std/assert";
import { type Message, type ModelPort, run } from "../../mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import { inTempFolder } from "../stores/drivers/temp_folder.ts";
import { libraryRuns, logOf, startOf } from "./bench_runs.ts";
import { type CountedStore, countedStore, type StoreKind } from "./counted_stores.ts";
import { bareRun } from "./floor.ts";
import { bareNativeRun } from "./native/native_floor.ts";
import { nativeAgent, nativeRequest, nativeRun } from "./native/native_runs.ts";
import { echoingModel } from "./native/native_workload.ts";
import { stepSizes } from "./size_rows.ts";
import { workload } from "./workload.ts";

const STEPS = 12;
/** Two for each step with an action; one for the last, which is an answer; one at the start and one at the finish. */
const BARRIERS = 2 * (STEPS - 1) + 1 + 1 + 1;
/** The last entry of each step. */
const OUTCOMES = STEPS;
const now = () => Date.UTC(2026, 0, 2);

async function counting(
  kind: StoreKind,
  concurrency: number,
  body: (counted: CountedStore) => void,
): Promise<void> {
  await inTempFolder(async (folder) => {
    const counted = await countedStore(kind, folder);
    try {
      await libraryRuns(counted.store, STEPS, concurrency);
      body(counted);
    } finally {
      counted.close();
    }
  });
}

for (const kind of ["memory", "jsonl", "sqlite", "kv"] as const) {
  Deno.test(`run() has two barriers per step over ${kind}, one at the start, one at the finish`, async () => {
    await counting(kind, 1, ({ counts }) => {
      assertEquals({ barriers: counts.barriers, outcomes: counts.outcomes }, {
        barriers: BARRIERS,
        outcomes: OUTCOMES,
      });
    });
  });
}

Deno.test("jsonlStore() syncs once per barrier, and the folder once", async () => {
  await counting("jsonl", 1, ({ syncs, folderSyncs }) => {
    assertEquals({ syncs: syncs(), folderSyncs: folderSyncs() }, {
      syncs: BARRIERS,
      folderSyncs: 1,
    });
  });
});

Deno.test("sqliteStore() syncs once per barrier", async () => {
  await counting("sqlite", 1, ({ syncs }) => assertEquals(syncs(), BARRIERS));
});

Deno.test("sqliteStore() shares its syncs between the runs that wait", async () => {
  await counting("sqlite", 64, ({ counts, syncs }) => {
    assertEquals(counts.barriers, 64 * BARRIERS);
    assertEquals(syncs() / (64 * STEPS) <= 0.15, true, `${syncs()} syncs`);
  });
});

Deno.test("kvStore() makes one commit per entry", async () => {
  await counting("kv", 1, ({ syncs }) => assertEquals(syncs(), BARRIERS + OUTCOMES));
});

Deno.test("run() writes no more bytes for a late step than for an early one", async () => {
  const lines = await logOf(400, { now });
  const bare = lines.map((line) => line.replaceAll(/sha256:[0-9a-f]{64}|\d/g, ""));
  // Entry 0 is the start; three entries make a step with an action. Only digits tell steps of three digits apart.
  for (let step = 101; step < 399; step++) {
    for (const entry of [1, 2, 3]) {
      const { length } = bare[3 * step + entry]!;
      assertEquals(length, bare[3 * 100 + entry]!.length, `step ${step}`);
      assertEquals(length <= bare[entry]!.length, true, `step ${step}`);
    }
  }
});

Deno.test("run() writes at most half as much again as a step's record", async () => {
  for (const { logBytes, recordBytes } of stepSizes(await logOf(40, { now })).slice(0, -1)) {
    assertEquals(logBytes <= 1.5 * recordBytes, true, `${logBytes} against ${recordBytes} bytes`);
  }
});

Deno.test("bareRun() writes what the library writes, byte for byte", async () => {
  const lines: string[] = [];
  await bareRun(await startOf({ now }), workload(40), now, (line) => void lines.push(line));
  assertEquals(lines, await logOf(40, { now }));
});

Deno.test("bareNativeRun() writes what the library writes, byte for byte, and gives its steps", async () => {
  const { result, lines } = await nativeRun(STEPS, { now });
  const written: string[] = [];
  const started = JSON.stringify(JSON.parse(lines[0]!).records[0]);
  const model = echoingModel(STEPS);
  const steps = await bareNativeRun({ runId: "run-0", started }, model, now, (line) => {
    written.push(line);
  });
  assertEquals(written, lines);
  assertEquals(steps, result.steps);
});

Deno.test("bareNativeRun() hands the model the library's prompts", async () => {
  const bare = recordingModel(echoingModel(STEPS));
  await bareNativeRun({ runId: "run-0", started: "{}" }, bare.model, now, () => {});
  const ours = recordingModel(echoingModel(STEPS));
  await run(nativeAgent(ours.model, memoryStore()), nativeRequest("run-0"));
  assertEquals(bare.prompts, ours.prompts);
});

function recordingModel(model: ModelPort) {
  const prompts: (readonly Message[])[] = [];
  const recording: ModelPort = {
    call(call) {
      prompts.push(call.messages);
      return model.call(call);
    },
    parameters: model.parameters,
  };
  return { model: recording, prompts };
}

Deno.test("bareRun() has the library's barriers", async () => {
  const barriers: boolean[] = [];
  await bareRun(await startOf({ now }), workload(STEPS), now, (_, isBarrier) => {
    barriers.push(isBarrier);
  });
  assertEquals(barriers.filter(Boolean).length, BARRIERS);
  assertEquals(barriers.length, BARRIERS + OUTCOMES);
});
