/** Runs drawn with a seed. */
import type { AgentDefinition, Budget, RunOptions, RunRequest, RunStore } from "../../mod.ts";
import { drawing } from "../types/json_values.ts";
import { agentOf, requestOf, type Said, scriptModel, wordExecutor } from "./world.ts";

const WORDS = [
  "a",
  "b 🌊",
  "alone",
  "fail",
  "reject",
  "refuse",
  "break",
  "throw",
  "again c",
  "complete",
];

/** A run drawn with a seed: its script, protocol, budget, policies. */
export interface Drawn {
  readonly script: readonly Said[];
  readonly protocol: "text" | "native";
  readonly request: NonNullable<Parameters<typeof requestOf>[0]>;
  readonly options: RunOptions;
}

/** The run that a seed gives. */
export function drawn(seed: number): Drawn {
  const draw = drawing(seed);
  const protocol = draw(2) === 0 ? "text" : "native";
  const action = () => `${draw(8) === 0 ? "use submit" : "do"} ${WORDS[draw(WORDS.length)]}`;
  const script = Array.from({ length: 8 }, (): Said => {
    const kind = draw(8);
    if (kind === 0) return new Error("down");
    if (kind === 1) return "gibberish #and more";
    if (kind === 2 && draw(3) === 0) return "answer 1";
    const count = protocol === "native" ? 1 + draw(4) : 1 + Math.floor(draw(10) / 9);
    const text = Array.from({ length: count }, action).join("; ");
    return { text, usage: { inputTokens: draw(9), outputTokens: draw(9) }, providerData: [seed] };
  });
  const budget: Partial<Budget> = {
    maxSteps: draw(9),
    maxModelCalls: 3 + draw(9),
    maxPromptChars: draw(4) === 0 ? 60 : 10_000,
    maxConsecutiveFailures: 1 + draw(3),
    ...(draw(3) === 0 && { maxTotalTokens: 40 }),
    ...(draw(3) === 0 && { maxActiveMs: 200 }),
    ...(draw(3) === 0 && { maxIdenticalActions: 2 }),
    ...(draw(4) === 0 && { maxRepeatedCycle: 2 }),
    ...(draw(4) === 0 && { maxRejectedActions: 2 }),
  };
  const modelReplayPolicy = draw(2) === 0 ? "never" : "replayable";
  const injections = { c: [{ entryId: "e", content: String(seed) }] };
  const approveAction = {
    id: "me",
    decide: ({ actionId }: { readonly actionId: string }) =>
      actionId.endsWith("a1") ? { allow: false } as const : { allow: true } as const,
  };
  return {
    script,
    protocol,
    request: {
      toolProtocol: protocol,
      budget,
      modelReplayPolicy,
      injections,
      maxConcurrentActions: 1 + draw(3),
    },
    options: draw(3) === 0 ? { approveAction } : {},
  };
}

/** What a process of a drawn run is made of. */
export interface DrawnProcess {
  readonly agent: AgentDefinition;
  readonly model: ReturnType<typeof scriptModel>;
  readonly executor: ReturnType<typeof wordExecutor>;
  readonly request: RunRequest;
  readonly options: RunOptions;
}

/** One process of a drawn run; its clock goes on 10 ms with each look at it. */
export function processOf(
  { script, protocol, request, options }: Drawn,
  store: RunStore,
): DrawnProcess {
  let ms = 0;
  const model = scriptModel(script);
  const executor = wordExecutor();
  const agent = agentOf(model, { protocol, store });
  const all = { ...options, now: () => ms += 10 };
  return { agent, model, executor, request: requestOf({ ...request, executor }), options: all };
}
