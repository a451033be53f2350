import type {
  ActionObservation,
  Budget,
  Decision,
  EnvironmentFailedOutcome,
  ExecutedOutcome,
  JsonValue,
  ReplayPolicy,
  UnknownActionAnswer,
  VisibleTools,
} from "../../mod.ts";
import type { Fault } from "./simulated_process.ts";

/** An outcome, as far as it is another one than that of an action that simply succeeds. */
export type ScriptedOutcome =
  | { readonly status?: "executed" } & Partial<Omit<ExecutedOutcome, "status" | "error">>
  | { readonly status: "not_executed" } & Partial<ActionObservation>
  | { readonly status: "environment_failed" } & Partial<EnvironmentFailedOutcome>;

/** What a scripted action does. */
export interface ScriptedAction {
  /** May it be executed again. */
  readonly replay: ReplayPolicy;
  /** What every process but the first says of it, where that is another thing. */
  readonly laterReplay?: ReplayPolicy;
  /** What it leads to; `throws`: the environment breaks. Default: executed, with an observation of its own. */
  readonly outcome?: ScriptedOutcome | "throws";
  /** Whether its tool completes the run. */
  readonly completes?: boolean;
  /** Denied by the approver, with this reason. */
  readonly denied?: string;
  /** Whether its tool is hidden from the model. */
  readonly hidden?: boolean;
}

/** What the model says in a step, and how it is read. */
export type ScriptedStep =
  | { readonly answer: JsonValue }
  | { readonly invalid: string }
  | { readonly fails: string }
  | { readonly actions: readonly ScriptedAction[] };

/** One run, told beforehand: everything that its ports will say. */
export interface Script {
  readonly name: string;
  /** What step n says; the last is said for ever. */
  readonly steps: readonly ScriptedStep[];
  readonly budget?: Partial<Budget>;
  readonly native?: boolean;
  readonly modelReplay?: ReplayPolicy;
  /** Whether an approver is asked. */
  readonly approves?: boolean;
  /** What the resolver answers: what it sees in the world, or always the same. */
  readonly resolver?: "truthful" | UnknownActionAnswer["kind"];
  /** Whether a sink takes the events. */
  readonly sink?: boolean;
  /** What the first process meets. */
  readonly fault?: Fault;
  readonly onAbort?: "finish" | "suspend";
  /** The step whose reply the first process's interpreter cannot read. */
  readonly interpreterThrowsAt?: number;
  /** Whether a crash may end the run for another reason, since a replay is counted. */
  readonly replaysAreDear?: boolean;
}

/** Where in the script a step of the run is told. */
export function toldAt({ steps }: Script, stepIndex: number): number {
  return Math.min(stepIndex, steps.length - 1);
}

/** The decision of a step of the run. */
export function decisionOf(script: Script, index: number): Decision {
  const stepIndex = toldAt(script, index);
  const step = script.steps[stepIndex]!;
  if ("answer" in step) return { kind: "final_answer", answer: step.answer };
  if ("invalid" in step) return { kind: "invalid", explanation: step.invalid };
  if ("fails" in step) throw new Error("a call that fails has no reply");
  const actions = step.actions.map((_, i) => {
    const name = nameOf(stepIndex, i);
    const action = { tool: name, step: stepIndex, i };
    return script.native
      ? { action, toolName: name, toolCall: { id: `c${i}`, name, arguments: { i } } }
      : { action, toolName: name };
  });
  return { kind: "action", actions };
}

/** The action at a place of the run. */
export function actionAt(script: Script, stepIndex: number, ordinal: number): ScriptedAction {
  const step = script.steps[toldAt(script, stepIndex)]!;
  return "actions" in step ? step.actions[ordinal]! : { replay: "never" };
}

/** The action that an id such as `run/s4_a0` is of. */
export function actionOf(script: Script, actionId: string): ScriptedAction {
  const [, stepIndex, ordinal] = /\/s(\d+)_a(\d+)$/.exec(actionId)!;
  return actionAt(script, Number(stepIndex), Number(ordinal));
}

/** The tools that the model may see: those of every action but the hidden ones. */
export function visibleTools({ steps }: Script): VisibleTools {
  const names = steps.flatMap((step, s) =>
    "actions" in step ? step.actions.flatMap(({ hidden }, i) => hidden ? [] : [nameOf(s, i)]) : []
  );
  return {
    names,
    schemaForModel: () => names.map((name) => ({ name, description: "", parameters: {} })),
    toolDigest: (name) => name,
  };
}

function nameOf(step: number, ordinal: number): string {
  return `tool_${step}_${ordinal}`;
}

const never: ScriptedAction = { replay: "never" };
const replayable: ScriptedAction = { replay: "replayable" };
const rejected: ScriptedAction = {
  replay: "replayable",
  outcome: { status: "not_executed", observation: "no such tool", observationSynthetic: true },
};
const act = (...actions: ScriptedAction[]): ScriptedStep => ({ actions });
const done: ScriptedStep = { answer: { text: "done 🌊 \u2028" } };

/** The scripts, each for something that a run can do. */
export const SCRIPTS: readonly Script[] = [
  { name: "answer", steps: [done] },
  { name: "never", steps: [act(never), act(never), done] },
  {
    name: "replayable",
    steps: [act(replayable), act({ ...replayable, completes: true })],
    modelReplay: "replayable",
  },
  {
    name: "several",
    steps: [act(never, rejected, replayable), act(replayable, never), done],
    native: true,
  },
  {
    name: "approvals",
    steps: [act(never, { ...never, denied: "not this one" }, never), act(replayable), done],
    native: true,
    approves: true,
  },
  {
    name: "hidden",
    steps: [act({ ...replayable, hidden: true }, never, { ...never, hidden: true }), done],
    native: true,
    approves: true,
  },
  { name: "truthful", steps: [act(never), act(never), done], resolver: "truthful" },
  { name: "unsure", steps: [act(never), act(replayable), done], resolver: "unknown" },
  {
    name: "failing",
    steps: [
      act({ ...never, outcome: { failed: true, observation: "exit 1" } }),
      act({ ...never, outcome: "throws" }),
      act({ ...replayable, outcome: { status: "environment_failed", effect: "unknown" } }),
    ],
    budget: { maxConsecutiveFailures: 2 },
  },
  {
    name: "invalid",
    steps: [{ invalid: "Decide." }, act(replayable), { invalid: "Decide!" }, { invalid: "Well?" }],
    budget: { maxConsecutiveFailures: 2 },
  },
  {
    name: "model_fails",
    steps: [{ fails: "503" }, act(never), { fails: "429" }, done],
    modelReplay: "replayable",
    budget: { maxModelCalls: 5 },
    replaysAreDear: true,
  },
  {
    name: "overflow",
    steps: [act({ ...replayable, outcome: { observation: "x".repeat(400) } })],
    budget: { maxPromptChars: 1_000 },
  },
  { name: "repeated", steps: [act(replayable)], budget: { maxIdenticalActions: 3 } },
  {
    name: "completed",
    steps: [act(never), act({ ...never, completes: true, outcome: { completed: true } })],
  },
  {
    name: "policy_now_replayable",
    steps: [act({ ...never, laterReplay: "replayable" }), act(replayable), done],
  },
  {
    name: "policy_now_never",
    steps: [act({ ...replayable, laterReplay: "never" }), act(never), done],
  },
  {
    name: "suspended",
    steps: [act(replayable, never), act(never), done],
    native: true,
    onAbort: "suspend",
    fault: { point: "execute-2", kind: "late-abort" },
    modelReplay: "replayable",
  },
  {
    name: "cancelled",
    steps: [act(never), act(never), done],
    fault: { point: "model-2", kind: "abort" },
  },
  { name: "sink", steps: [act(never), done], sink: true },
  { name: "unread", steps: [act(replayable), act(never), done], interpreterThrowsAt: 1 },
  {
    name: "large",
    steps: [act({ ...never, outcome: { observation: "y".repeat(61_000) } }), done],
  },
  {
    name: "budgets",
    steps: [act(replayable), act(never), act(replayable)],
    modelReplay: "replayable",
    budget: { maxModelCalls: 3, maxTotalTokens: 40, maxSteps: 3 },
    replaysAreDear: true,
  },
];

/** A script made from a seed: the same seed, the same script. */
export function generatedScript(seed: number): Script {
  let state = seed * 2_654_435_761 >>> 0 || 1;
  const below = (limit: number): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % limit;
  };
  const action = (): ScriptedAction =>
    [never, replayable, rejected, { ...never, outcome: { failed: true } }][below(4)]!;
  const native = below(2) === 1;
  const steps: ScriptedStep[] = Array.from({ length: 4 + below(4) }, () => {
    const kind = below(8);
    if (kind === 0) return { invalid: "Decide." };
    if (kind === 1) return { fails: "503" };
    return { actions: Array.from({ length: native ? 1 + below(3) : 1 }, action) };
  });
  return {
    name: `seed_${seed}`,
    steps: [...steps, done],
    native,
    modelReplay: below(2) === 1 ? "replayable" : "never",
    approves: below(3) === 0,
    ...(below(3) === 0 && { resolver: "truthful" }),
  };
}

/** The script of a name. */
export function scriptNamed(name: string): Script {
  const seed = /^seed_(\d+)$/.exec(name)?.[1];
  const script = seed === undefined
    ? SCRIPTS.find((script) => script.name === name)
    : generatedScript(Number(seed));
  if (script === undefined) throw new Error(`there is no script "${name}"`);
  return script;
}
