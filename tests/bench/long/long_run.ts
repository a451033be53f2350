import {
  type ContextPolicy,
  defineAgent,
  defineRun,
  type Message,
  type ModelPort,
  run,
  type RunResult,
} from "../../../mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import { processorMs } from "../measure.ts";
import { agentOf, requestOf, UNBOUNDED, workload } from "../workload.ts";

/** The window of the runs with a policy, in characters. */
const MAX_PROMPT_CHARS = 60_000;

/** All three stages, for that window. */
export const LONG_POLICY: ContextPolicy = {
  triggerChars: 50_000,
  targetChars: 20_000,
  keepLastSteps: 5,
  stages: [
    { kind: "elide_observations", minChars: 100, notice: "({chars} characters were left out)" },
    {
      kind: "summarise",
      instruction: "Sum up what was done and found.",
      notice: "Steps {from} to {to}: {summary}",
      maxSummaryChars: 1_000,
    },
    { kind: "drop_steps", notice: "(Steps {from} to {to} were left out.)" },
  ],
};

/** A policy that a run of this bench never needs. */
export const IDLE_POLICY: ContextPolicy = {
  ...LONG_POLICY,
  triggerChars: UNBOUNDED.maxPromptChars,
};

const SUMMARY = "The steps went on as they had begun. ".repeat(20);

/** What a run came to. */
export interface LongRun {
  readonly result: RunResult;
  readonly lines: readonly string[];
  /** When the call of each step began, by the processors' time. */
  readonly calledAt: readonly number[];
  /** What the model was sent for each step. */
  readonly prompts: readonly (readonly Message[])[];
}

/** A run of so many steps, in its window if a policy makes room there, and else in one that holds it all. */
export async function longRun(steps: number, contextPolicy?: ContextPolicy): Promise<LongRun> {
  const work = workload(steps);
  const store = memoryStore();
  const { model: working, interpreter } = agentOf(work, store);
  const calledAt: number[] = [];
  const prompts: (readonly Message[])[] = [];
  const model: ModelPort = {
    ...working,
    call(call) {
      if (call.callId.includes("_c")) return Promise.resolve({ text: SUMMARY });
      calledAt.push(processorMs());
      prompts.push(call.messages);
      return working.call(call);
    },
  };
  const needsWindow = contextPolicy === LONG_POLICY;
  const request = defineRun({
    ...requestOf(work, "run-0"),
    ...(contextPolicy && { contextPolicy }),
    ...(needsWindow && { budget: { ...UNBOUNDED, maxPromptChars: MAX_PROMPT_CHARS } }),
  });
  const result = await run(defineAgent({ model, interpreter, store }), request);
  return { result, lines: (await store.readRun("run-0"))!, calledAt, prompts };
}

/** Which share of all messages sent stood in the call before, from the first one on: what a prompt cache can reuse. */
export function sharedShare(prompts: LongRun["prompts"]): number {
  let [shared, sent] = [0, 0];
  for (const [call, messages] of prompts.entries()) {
    const texts = messages.map((message) => JSON.stringify(message));
    const before = (prompts[call - 1] ?? []).map((message) => JSON.stringify(message));
    const parted = texts.findIndex((text, i) => text !== before[i]);
    shared += parted === -1 ? texts.length : parted;
    sent += texts.length;
  }
  return shared / sent;
}
