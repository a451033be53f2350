import type {
  ActionObservation,
  Budget,
  ContextPolicy,
  Decision,
  EnvironmentFailedOutcome,
  ExecutedOutcome,
  JsonValue,
  ReplayPolicy,
  UnknownActionAnswer,
  VisibleTools,
} from "../../../mod.ts";
import { childRunId } from "../../../session/mod.ts";
import type { Fault } from "../moment.ts";

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
  /** Whether it ends after those that run beside it. */
  readonly slow?: true;
  /** Denied by the approver, with this reason. */
  readonly denied?: string;
  /** Whether its tool is hidden from the model. */
  readonly hidden?: boolean;
  /** The run that its tool makes, and that its outcome is the end of. One action of a script has one. */
  readonly child?: Script;
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
  /** How many actions of a decision run at once; each may. Default: 1. */
  readonly atOnce?: number;
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
  /** Whether a model that an abort finds in its call waits until it is told to stop, and then does. */
  readonly cutsModel?: boolean;
  /** The step whose model call fails in the first process, which is then suspended. */
  readonly outageAt?: number;
  /** The step whose reply the first process's interpreter cannot read. */
  readonly interpreterThrowsAt?: number;
  /** The model says of a longer prompt of a step, as JSON, that it is too long. Absent: of none. */
  readonly refusesOver?: number;
  /** How the run makes room in its prompt. */
  readonly policy?: ContextPolicy;
  /** Whether a crash may end the run for another reason, since a replay is counted. */
  readonly replaysAreDear?: boolean;
}

/** The id of a script's run. */
export function runIdOf({ name }: Script): string {
  return name.replaceAll("_", "-");
}

/** A run that a tool makes. */
export interface ChildRun {
  readonly runId: string;
  /** The action that makes it. */
  readonly actionId: string;
  readonly script: Script;
}

/** The run that an action of a script makes. Absent: none does. */
export function childOf(script: Script): ChildRun | undefined {
  for (const [s, step] of script.steps.entries()) {
    const actions = "actions" in step ? step.actions : [];
    for (const [i, { child }] of actions.entries()) {
      if (child === undefined) continue;
      const actionId = `${runIdOf(script)}/s${s}_a${i}`;
      return { runId: childRunId(actionId), actionId, script: child };
    }
  }
  return undefined;
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
