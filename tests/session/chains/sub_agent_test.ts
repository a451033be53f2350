import { assert, assertEquals } from "@std/assert";
import {
  defineTool,
  type ModelPort,
  type ModelReply,
  resume,
  run,
  type RunOptions,
  type RunRequest,
  type RunStore,
  RunSuspendedError,
  textMessage,
  ToolRegistry,
} from "../../../mod.ts";
import { childRunId, defineAgent, defineRun, readLog, verifyLog } from "../../../session/mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import { nativeToolsInterpreter } from "../../../adapters/native_tools_interpreter.ts";
import { IS_WHOLE } from "../../tasks/fuzz_rounds.ts";
import { AMPLE, never, now, rejection } from "../world.ts";

/** A process that dies at one of its moments: from then on nothing that it calls ever settles. */
class Process {
  #left: number;
  readonly #died = Promise.withResolvers<void>();
  moments = 0;

  constructor(livesFor: number) {
    this.#left = livesFor;
  }

  get died(): Promise<void> {
    return this.#died.promise;
  }

  /** Calls a port: the process may die before the call, or when that is done and not heard of. */
  async call<T>(work: () => T | Promise<T>): Promise<T> {
    await this.#moment();
    const value = await work();
    await this.#moment();
    return value;
  }

  async #moment(): Promise<void> {
    this.moments += 1;
    if (this.#left > 0) {
      this.#left -= 1;
      return;
    }
    this.#died.resolve();
    await never();
  }
}

/** What survives a process: the logs, and what the tools did. */
interface World {
  readonly store: RunStore;
  readonly written: string[];
}

function dyingStore(store: RunStore, process: Process): RunStore {
  return {
    readRun: (runId) => process.call(() => store.readRun(runId)),
    startRun: (runId, entry) => process.call(() => store.startRun(runId, entry)),
    writeIntent: (runId, entry) => process.call(() => store.writeIntent(runId, entry)),
    writeOutcome: (runId, entry) => process.call(() => store.writeOutcome(runId, entry)),
    finishRun: (runId, entry) => process.call(() => store.finishRun(runId, entry)),
    releaseRun: (runId) => process.call(() => store.releaseRun(runId)),
    parameters: () => store.parameters(),
  };
}

const asking = (name: string, args: Record<string, string>): ModelReply => ({
  text: "",
  toolCalls: [{ name, arguments: args, rawArguments: JSON.stringify(args) }],
});

/** A model that says a script by the step that it is asked for. */
function scripted(script: readonly ModelReply[], process: Process): ModelPort {
  return {
    call: ({ callId }) =>
      process.call(() =>
        script[Number(/\d+$/.exec(callId)?.[0])] ?? { text: "the script is over" }
      ),
    parameters: () => ({}),
  };
}

/** A parent whose tool makes a child, whose own tool writes: all of it in one process. */
function parts({ store, written }: World, process: Process, options: RunOptions = {}) {
  const kept = dyingStore(store, process);
  const interpreter = nativeToolsInterpreter();
  const write = defineTool({
    name: "write",
    description: "Writes a word.",
    parameters: {
      type: "object",
      properties: { word: { type: "string" } },
      required: ["word"],
    } as const,
    execute: ({ word }) => process.call(() => void written.push(word)),
  });
  const child = defineAgent({
    model: scripted([asking("write", { word: "a" }), asking("write", { word: "b" }), {
      text: "ab",
    }], process),
    interpreter,
    store: kept,
  });
  const delegate = defineTool({
    name: "delegate",
    description: "Has another agent do it.",
    parameters: { type: "object", properties: {} },
    replay: "replayable",
    async execute(_, { actionId, signal }) {
      const request = defineRun({
        runId: childRunId(actionId),
        parent: { runId: "boss", actionId },
        budget: AMPLE,
        tools: ToolRegistry.of([write]),
        context: { runLevel: [], goalLevel: [textMessage("user", "Write a and b.")] },
        modelReplayPolicy: "replayable",
        cancelGraceMs: 10,
      });
      const { answer } = await run(child, request, {
        existing: "resume",
        signal,
        onAbort: "suspend",
        now,
        ...options,
      });
      return answer;
    },
  });
  const agent = defineAgent({
    model: scripted([asking("delegate", {}), { text: "done" }], process),
    interpreter,
    store: kept,
  });
  const request: RunRequest = defineRun({
    runId: "boss",
    budget: AMPLE,
    tools: ToolRegistry.of([delegate]),
    context: { runLevel: [], goalLevel: [textMessage("user", "Have it written.")] },
    modelReplayPolicy: "replayable",
    cancelGraceMs: 20,
  });
  return { agent, request };
}

const CHILD = "boss.s0_a0";

const newWorld = (): World => ({ store: memoryStore(), written: [] });

/** Both runs came to their ends, in logs that are sound, and nothing was done twice. */
async function assertDone({ store, written }: World, when: string): Promise<void> {
  for (const runId of ["boss", CHILD]) {
    const lines = await store.readRun(runId) ?? [];
    const verdict = verifyLog(lines);
    assert(verdict.ok, `${when}: ${verdict.fault?.message}`);
    assertEquals(readLog(lines).finished?.stopReason, "final_answer", `${when}: ${runId}`);
  }
  assertEquals(new Set(written).size, written.length, `${when}: ${written}`);
  const log = readLog(await store.readRun(CHILD) ?? []);
  assertEquals(log.started.parent, { runId: "boss", actionId: "boss/s0_a0" });
}

Deno.test("a parent and its child are killed at every moment of both, and at moments of the process after: the replayed action resumes its own child, and nothing is done twice", async () => {
  const whole = new Process(Infinity);
  const world = newWorld();
  const { agent, request } = parts(world, whole);
  assertEquals((await run(agent, request, { now })).answer, "done");
  await assertDone(world, "not killed");
  assertEquals(world.written, ["a", "b"]);
  let explored = 0;
  const lives = async (world: World, livesFor: number): Promise<boolean> => {
    const process = new Process(livesFor);
    const { agent, request } = parts(world, process);
    const end = run(agent, request, { existing: "resume", now }).then(() => true);
    const isOver = await Promise.race([end, process.died.then(() => false)]);
    if (!isOver) { for (const runId of ["boss", CHILD]) await world.store.releaseRun(runId); }
    return isOver;
  };
  for (let first = 0; first < whole.moments; first++) {
    for (let second = first % 3; second <= whole.moments; second += IS_WHOLE ? 4 : 23) {
      const world = newWorld();
      const isOver = await lives(world, first) || await lives(world, second) ||
        await lives(world, Infinity);
      assert(isOver);
      await assertDone(world, `killed at ${first} and ${second}`);
      explored += 1;
    }
  }
  assert(explored > 2 * whole.moments, `${explored}`);
});

Deno.test("a parent that is suspended while its child acts suspends the child, and resumes it", async () => {
  const world = newWorld();
  const controller = new AbortController();
  const events = {
    emit: ({ type }: { readonly type: string }) => {
      if (type === "action_started") controller.abort();
    },
  };
  const { agent, request } = parts(world, new Process(Infinity), { events });
  const options = { signal: controller.signal, onAbort: "suspend", now } as const;
  const error = await rejection(run(agent, request, options));
  assert(error instanceof RunSuspendedError || error === undefined, String(error));
  const { agent: later, request: again } = parts(world, new Process(Infinity));
  assertEquals((await resume(later, again, { now })).answer, "done");
  await assertDone(world, "suspended");
  assertEquals(world.written, ["a", "b"]);
});
