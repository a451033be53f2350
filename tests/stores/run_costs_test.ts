import { assert, assertEquals } from "@std/assert";
import { defineAgent, defineRun, resume, run, type RunStore, textMessage } from "../../mod.ts";
import { jsonlStoreOver } from "../../stores/_jsonl/store.ts";
import { openSqliteStore } from "../../stores/_sqlite/store.ts";
import { kvStore } from "../../stores/kv.ts";
import { memoryStore } from "../../stores/memory.ts";
import { faultyFiles } from "./drivers/faulty_files.ts";
import { faultyKv, type KvFaults } from "./drivers/kv_faults.ts";
import { faultyConnect, type SqliteFaults } from "./drivers/sqlite_faults.ts";
import { inTempFolder, textOf } from "./drivers/temp_folder.ts";

/** A store over a medium whose syncs, or durable commits, can be counted. */
interface Counted {
  readonly store: RunStore;
  readonly syncs: () => number;
  readonly close?: () => void;
}

const STORES: Readonly<Record<string, (dir: string) => Counted | Promise<Counted>>> = {
  memoryStore: () => ({ store: memoryStore(), syncs: () => 0 }),
  jsonlStore(dir) {
    const disk = faultyFiles();
    const syncs = () => disk.calls.filter((call) => call === "sync costs.jsonl").length;
    return { store: jsonlStoreOver(disk, dir), syncs };
  },
  sqliteStore(dir) {
    let [level, syncs] = ["", 0];
    const faults: SqliteFaults = {
      open: 0,
      onStatement: (sql) => void (level = /synchronous = (\w+)/.exec(sql)?.[1] ?? level),
      onCommit(commit) {
        commit();
        if (level === "FULL") syncs++;
      },
    };
    return { store: openSqliteStore(`${dir}/runs.db`, faultyConnect(faults)), syncs: () => syncs };
  },
  async kvStore(dir) {
    const kv = await Deno.openKv(`${dir}/runs.kv`);
    const faults: KvFaults = { commits: [] };
    const store = kvStore({ kv: faultyKv(kv, faults) });
    return { store, syncs: () => faults.commits.length, close: () => kv.close() };
  },
};

/** How often the method of a store resolved. */
function countCalls(store: RunStore): { store: RunStore; calls: Record<string, number> } {
  const calls: Record<string, number> = {};
  const counted = (name: "startRun" | "writeIntent" | "writeOutcome" | "finishRun") => ({
    [name]: async (...args: Parameters<RunStore["writeIntent"]>) => {
      await store[name](...args);
      calls[name] = (calls[name] ?? 0) + 1;
    },
  });
  const methods = ["startRun", "writeIntent", "writeOutcome", "finishRun"] as const;
  return { store: Object.assign({ ...store }, ...methods.map(counted)), calls };
}

/** Runs steps of one action each, of which the last completes the run; may suspend it before that. */
async function drive(verb: typeof run, store: RunStore, steps: number, suspendAt = 0) {
  const stop = new AbortController();
  let taken = 0;
  const agent = defineAgent({
    model: { call: () => Promise.resolve({ text: "act" }), parameters: () => ({}) },
    interpreter: {
      interpret: ({ text }) => ({
        decision: { kind: "action", actions: [{ action: text }] },
        historyText: text,
      }),
      parameters: () => ({}),
    },
    store,
  });
  const request = defineRun({
    runId: "costs",
    budget: {
      maxSteps: 10_000,
      maxModelCalls: 100_000,
      maxPromptChars: 10_000_000,
      maxConsecutiveFailures: 1,
    },
    executor: {
      // deno-lint-ignore require-await -- a port answers with a promise
      async execute({ actionId }) {
        if (++taken === suspendAt) stop.abort();
        return {
          status: "executed",
          failed: false,
          observation: "done",
          observationSynthetic: false,
          completed: actionId === `costs/s${steps - 1}_a0`,
          truncatedChars: 0,
        };
      },
      parameters: () => ({}),
    },
    context: { runLevel: [], goalLevel: [textMessage("user", "go")] },
  });
  const options = { signal: stop.signal, onAbort: "suspend", now: () => 0 } as const;
  return await verb(agent, request, options);
}

for (const [name, open] of Object.entries(STORES)) {
  Deno.test(`${name}() makes two barriers a step, one at the start, one at the end`, async () => {
    await inTempFolder(async (dir) => {
      const { store, syncs, close } = await open(dir);
      const counted = countCalls(store);
      const { stopReason, steps } = await drive(run, counted.store, 5);
      assertEquals({ stopReason, steps: steps.length }, {
        stopReason: "environment_completed",
        steps: 5,
      });
      const { startRun, writeIntent, finishRun, writeOutcome } = counted.calls;
      assertEquals({ startRun, writeIntent, finishRun, writeOutcome }, {
        startRun: 1,
        writeIntent: 10,
        finishRun: 1,
        writeOutcome: 5,
      });
      const perStep = { memoryStore: 0, kvStore: 3 }[name] ?? 2;
      assertEquals(syncs(), perStep * 5 + (name === "memoryStore" ? 0 : 2));
      close?.();
    });
  });
}

Deno.test("run() adds as much to a log in a late step as in an early one", async () => {
  const store = memoryStore();
  await drive(run, store, 200);
  const lines = await store.readRun("costs");
  assert(lines !== null && lines.length === 3 * 200 + 2, `${lines?.length} entries`);
  const bytesOf = (step: number) =>
    lines.slice(1 + 3 * step, 4 + 3 * step).reduce((sum, line) => sum + line.length, 0);
  // A step has some 20 numbers that grow with its index, by a digit each.
  const grown = bytesOf(199) - bytesOf(9);
  assert(grown >= 0 && grown < 2 * 20, `step 199 has ${grown} bytes more than step 9`);
});

Deno.test("jsonlStore() reads a long log once for a resume", async () => {
  await inTempFolder(async (dir) => {
    const memory = memoryStore();
    await drive(run, memory, 700, 690).catch(() => {});
    const lines = await memory.readRun("costs");
    assert(lines !== null && lines.length > 2_000, `${lines?.length} entries`);
    const path = `${dir}/costs.jsonl`;
    Deno.writeTextFileSync(path, textOf(lines));
    const { size } = Deno.statSync(path);
    const disk = faultyFiles();
    let read = 0;
    disk.onCall = (call) => {
      if (call.op === "read") read += call.size || size;
    };
    const { steps } = await drive(resume, jsonlStoreOver(disk, dir), 700);
    assertEquals({ steps: steps.length, read }, { steps: 700, read: size });
  });
});

Deno.test("kvStore() reads a log of any length with as many calls", async () => {
  const calls: number[] = [];
  for (const [steps, until] of [[10, 5], [300, 250]] as const) {
    using kv = await Deno.openKv(":memory:");
    let reads = 0;
    const store = kvStore({ kv: faultyKv(kv, { commits: [], onRead: () => void reads++ }) });
    await drive(run, store, steps, until).catch(() => {});
    reads = 0;
    await drive(resume, store, steps);
    calls.push(reads);
  }
  assertEquals(calls[0], calls[1]);
});
