import { assert, assertEquals } from "@std/assert";
import {
  type ActionExecutor,
  type ApproveAction,
  type Budget,
  type DecisionInterpreter,
  type ModelPort,
  resume,
  run,
  type RunResult,
  type RunStore,
  RunSuspendedError,
} from "../../../mod.ts";
import { verifyLog } from "../../../session/mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import { fuzzRounds } from "../../tasks/fuzz_rounds.ts";
import { drawing } from "../../types/json_values.ts";
import { agentOf, commands, requestOf, type Said, scriptModel, wordExecutor } from "../world.ts";

const WORDS = ["a", "b 🌊", "alone", "fail", "reject", "break", "throw", "again c"];
const MOST_SUSPENSIONS = 5;
const LATEST_MOMENT = 30;

/** A run drawn with a seed. It spends no limit of calls and of time: a suspension may cost both. */
interface Drawn {
  readonly script: readonly Said[];
  readonly protocol: "text" | "native";
  readonly spec: NonNullable<Parameters<typeof requestOf>[0]>;
  readonly approves: boolean;
}

function drawn(draw: (below: number) => number): Drawn {
  const protocol = draw(2) === 0 ? "text" : "native";
  const script = Array.from({ length: 7 }, (): Said => {
    const kind = draw(9);
    if (kind === 0) return new Error("down");
    if (kind === 1) return "gibberish #and more";
    const count = protocol === "native" ? 1 + draw(4) : 1;
    const words = Array.from({ length: count }, () => `do ${WORDS[draw(WORDS.length)]}`);
    return { text: words.join("; "), usage: { inputTokens: draw(9), outputTokens: draw(9) } };
  });
  const budget: Partial<Budget> = {
    maxSteps: 2 + draw(8),
    maxConsecutiveFailures: 1 + draw(3),
    ...(draw(4) === 0 && { maxTotalTokens: 40 }),
    ...(draw(4) === 0 && { maxIdenticalActions: 2 }),
    ...(draw(4) === 0 && { maxRepeatedCycle: 2 }),
    ...(draw(4) === 0 && { maxRejectedActions: 2 }),
  };
  const modelReplayPolicy = draw(2) === 0 ? "never" : "replayable";
  const spec = {
    toolProtocol: protocol,
    budget,
    modelReplayPolicy,
    maxConcurrentActions: 1 + draw(3),
    cancelGraceMs: 1,
  } as const;
  return { script, protocol, spec, approves: draw(3) === 0 };
}

/** Where a process is suspended: at which of all calls of its ports, and whether that call is then cut or drained. */
interface Moment {
  readonly at: number;
  readonly cuts: boolean;
}

/** One process of a run: its result, nothing where it was suspended. */
async function drive(
  { script, protocol, spec, approves }: Drawn,
  store: RunStore,
  prompts: Map<string, string>,
  moment: Moment | undefined,
): Promise<RunResult | undefined> {
  const controller = new AbortController();
  let calls = 0;
  /** A call of a port: the one of the moment aborts, and is cut where it may be. */
  async function call<T>(
    signal: AbortSignal,
    mayBeCut: boolean,
    body: () => T,
  ): Promise<Awaited<T>> {
    if (calls++ === moment?.at) {
      controller.abort("enough");
      if (moment.cuts && mayBeCut) await cutBy(signal);
    }
    return await body();
  }
  const words = scriptModel(script);
  const model: ModelPort = {
    ...words,
    call: (asked) => {
      const prompt = JSON.stringify(asked.messages);
      assertEquals(prompt, prompts.get(asked.callId) ?? prompt);
      prompts.set(asked.callId, prompt);
      return call(asked.signal, true, () => words.call(asked));
    },
  };
  const reader = commands(protocol);
  const interpreter: DecisionInterpreter = {
    ...reader,
    interpret: (reply, context) =>
      call(context.signal, true, () => reader.interpret(reply, context)),
  };
  const acting = wordExecutor();
  const executor: ActionExecutor = {
    ...acting,
    execute: (action) => call(action.signal, false, () => acting.execute(action)),
  };
  const approveAction: ApproveAction = {
    id: "me",
    decide: ({ actionId, signal }) =>
      call(
        signal,
        true,
        () => actionId.endsWith("a1") ? { allow: false } as const : { allow: true } as const,
      ),
  };
  const agent = agentOf(model, { interpreter, store: counting(store, call) });
  const options = {
    now: () => 0,
    signal: controller.signal,
    onAbort: "suspend",
    ...(approves && { approveAction }),
  } as const;
  const driven = (await store.readRun("r")) === null ? run : resume;
  try {
    return await driven(agent, requestOf({ ...spec, executor }), options);
  } catch (error) {
    if (error instanceof RunSuspendedError) return undefined;
    throw error;
  }
}

/** A store each write of which is a moment, too: before it, and once it is done. */
function counting(
  store: RunStore,
  port: (signal: AbortSignal, mayBeCut: boolean, body: () => void) => Promise<void>,
): RunStore {
  const { signal } = new AbortController();
  const counted =
    (name: "startRun" | "writeIntent" | "writeOutcome" | "finishRun") =>
    async (...args: Parameters<RunStore["startRun"]>) => {
      await port(signal, false, () => {});
      await store[name](...args);
      await port(signal, false, () => {});
    };
  return {
    ...store,
    startRun: counted("startRun"),
    writeIntent: counted("writeIntent"),
    writeOutcome: counted("writeOutcome"),
    finishRun: counted("finishRun"),
  };
}

function cutBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) =>
    signal.addEventListener("abort", () => reject(signal.reason), { once: true })
  );
}

/** What must be equal: all but how often a call was made, and when. */
function comparable({ stopReason, stopConditions, answer, steps }: RunResult) {
  const facts = steps.map(({ modelAttempts: _, actions, ...step }) => ({
    ...step,
    actions: actions.map(({ attempts: _, ...action }) => action),
  }));
  return { stopReason, stopConditions, answer, facts };
}

Deno.test("a run that was suspended at any moments is the run that was left alone, for generated runs", async () => {
  let suspensions = 0;
  for (let seed = 0; seed < fuzzRounds(300); seed++) {
    const draw = drawing(seed);
    const shape = drawn(draw);
    const expected = new Map<string, string>();
    const alone = await drive(shape, memoryStore(), expected, undefined);
    assert(alone !== undefined);
    const store = memoryStore();
    const prompts = new Map<string, string>();
    let result: RunResult | undefined;
    for (let times = 0; result === undefined; times++) {
      const moment = { at: draw(LATEST_MOMENT), cuts: draw(2) === 0 };
      result = await drive(shape, store, prompts, times < MOST_SUSPENSIONS ? moment : undefined);
      if (result === undefined) suspensions++;
      const verdict = verifyLog((await store.readRun("r"))!);
      assert(verdict.ok, `seed ${seed}: ${verdict.fault?.message}`);
    }
    assertEquals(comparable(result), comparable(alone), `seed ${seed}`);
    assertEquals([...prompts], [...expected], `seed ${seed}`);
  }
  assert(suspensions > 0);
});
