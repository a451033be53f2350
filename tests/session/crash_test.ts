import { assert, assertEquals } from "@std/assert";
import {
  type ActionExecutor,
  type DecisionInterpreter,
  type ModelPort,
  resume,
  run,
  RunNotFoundError,
  type RunOptions,
  type RunResult,
  type RunStore,
  type StepRecord,
} from "../../mod.ts";
import { readLog, rebuildPrompt, verifyLog } from "../../session/mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import {
  agentOf,
  commands,
  never,
  now,
  requestOf,
  type Said,
  scriptModel,
  wordExecutor,
} from "./world.ts";

interface Scenario {
  readonly protocol: "text" | "native";
  readonly script: readonly Said[];
  readonly modelReplayPolicy: "never" | "replayable";
  readonly options: RunOptions;
}

const TEXT = ["do a", "do fail", "gibberish", new Error("down"), "do again b", "use submit c"];
const NATIVE = ["do a; do again b; do fail", "gibberish", "do break; do never", "answer 1"];
const approveAction = {
  id: "me",
  decide: ({ action }: { action: unknown }) =>
    JSON.stringify(action).includes("fail")
      ? { allow: false, reason: "no" } as const
      : { allow: true } as const,
};

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  "a text run": { protocol: "text", script: TEXT, modelReplayPolicy: "never", options: {} },
  "a text run that may replay calls": {
    protocol: "text",
    script: TEXT,
    modelReplayPolicy: "replayable",
    options: {},
  },
  "a native run": { protocol: "native", script: NATIVE, modelReplayPolicy: "never", options: {} },
  "a native run that may replay calls, with approvals": {
    protocol: "native",
    script: NATIVE,
    modelReplayPolicy: "replayable",
    options: { approveAction },
  },
};

/** Where the process dies: which call of a port or a write, and whether it took effect. */
interface Death {
  readonly at: number;
  readonly phase: "before" | "after";
}

/** One process: fresh objects around the store that outlives it. */
function processOf(
  { protocol, script, modelReplayPolicy }: Scenario,
  memory: RunStore,
  death?: Death,
) {
  let calls = 0;
  const died = Promise.withResolvers<"died">();
  async function pass<T>(call: () => T | Promise<T>): Promise<T> {
    if (calls++ !== death?.at) return await call();
    if (death.phase === "after") await Promise.resolve(call()).catch(() => {});
    died.resolve("died");
    return await never();
  }
  const model = scriptModel(script);
  const words = wordExecutor();
  const reading = commands(protocol);
  const write = (
    method: "startRun" | "writeIntent" | "writeOutcome" | "finishRun" | "releaseRun",
  ) => ({ [method]: (...args: [string, never]) => pass(() => memory[method](...args)) });
  const store: RunStore = {
    ...memory,
    ...write("startRun"),
    ...write("writeIntent"),
    ...write("writeOutcome"),
    ...write("finishRun"),
    ...write("releaseRun"),
  };
  const asking: ModelPort = { ...model, call: (call) => pass(() => model.call(call)) };
  const interpreter: DecisionInterpreter = {
    ...reading,
    interpret: (reply, context) => pass(() => reading.interpret(reply, context)),
  };
  const executor: ActionExecutor = { ...words, execute: (call) => pass(() => words.execute(call)) };
  const budget = { maxConsecutiveFailures: 5 };
  const request = requestOf({ executor, toolProtocol: protocol, modelReplayPolicy, budget });
  const agent = agentOf(asking, { store, interpreter });
  return { agent, request, model, words, died: died.promise, calls: () => calls };
}

/** What must be equal wherever nothing was unknown: all but how often something was tried, and the head. */
function essence({ logHead: _, counters, ...result }: RunResult): unknown {
  const steps = result.steps.map((step: StepRecord) => ({
    ...step,
    modelAttempts: 1,
    actions: step.actions.map((action) => ({ ...action, attempts: Math.min(action.attempts, 1) })),
  }));
  return { ...result, steps, counters: { ...counters, modelCalls: 0 } };
}

function isUnknown({ outcome, actions }: StepRecord): boolean {
  return outcome === "model_outcome_unknown" || actions.some(({ status }) => status === "unknown");
}

for (const [name, scenario] of Object.entries(SCENARIOS)) {
  for (const phase of ["before", "after"] as const) {
    Deno.test(`resume() goes on from a death at every call and write of ${name}, ${phase} it took effect`, async () => {
      const { options } = scenario;
      const golden = processOf(scenario, memoryStore());
      const whole = await run(golden.agent, golden.request, { now, ...options });
      assert(golden.calls() > 20);
      let unknown = 0;
      for (let at = 0; at < golden.calls(); at++) {
        const memory = memoryStore();
        const first = processOf(scenario, memory, { at, phase });
        await Promise.race([first.died, run(first.agent, first.request, { now, ...options })]);
        const recorded = await memory.readRun("r") ?? [];
        const second = processOf(scenario, memory);
        const result = await resume(second.agent, second.request, { now, ...options })
          .catch((error) => {
            assert(error instanceof RunNotFoundError && recorded.length === 0, String(error));
            return run(second.agent, second.request, { now, ...options });
          });
        if (result.steps.some(isUnknown)) unknown++;
        else assertEquals(essence(result), essence(whole), `died at ${at}`);
        const lines = (await memory.readRun("r"))!;
        assertEquals(lines.slice(0, recorded.length), recorded);
        const verdict = verifyLog(lines);
        assert(verdict.ok, verdict.fault?.message);
        assertPrompts(
          lines,
          [...first.model.prompts, ...second.model.prompts],
          golden.model.prompts,
          result,
        );
        assertOnce([...first.words.calls, ...second.words.calls]);
      }
      assert(unknown > 0);
    });
  }
}

/** Each prompt is what the log rebuilds, and up to the first unknown outcome byte for byte that of the golden run. */
function assertPrompts(
  lines: readonly string[],
  sent: readonly string[],
  golden: readonly string[],
  { steps }: RunResult,
): void {
  const log = readLog(lines);
  const rebuilt = log.callEntries.map((_, i) => JSON.stringify(rebuildPrompt(log, i)));
  const firstUnknown = steps.findIndex(isUnknown);
  for (const prompt of sent) {
    const [, id, stepIndex] = /^(r\/s(\d+)): /.exec(prompt)!;
    assert(rebuilt.some((messages) => prompt.startsWith(`${id}: [${messages},`)), prompt);
    if (firstUnknown < 0 || Number(stepIndex) <= firstUnknown) {
      assert(golden.includes(prompt), prompt);
    }
  }
}

function assertOnce(
  calls: readonly { readonly actionId: string; readonly action: unknown }[],
): void {
  const done = new Set<string>();
  for (const { actionId, action } of calls) {
    const again = (action as { do: string }).do.startsWith("again");
    assert(again || !done.has(actionId), `${actionId} ran twice`);
    done.add(actionId);
  }
}
