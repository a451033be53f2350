import type {
  ActionCall,
  ActionOutcome,
  AgentDefinition,
  DecisionInterpreter,
  JsonValue,
  ModelPort,
  RunOptions,
  RunRequest,
  RunStore,
} from "../../../mod.ts";
import {
  actionAt,
  actionOf,
  decisionOf,
  runIdOf,
  type Script,
  type ScriptedOutcome,
  toldAt,
  visibleTools,
} from "./script.ts";
import type { PortPoints } from "../simulated_process.ts";
import type { Subject } from "../subject.ts";

/** One process's fresh objects for a script. */
export interface ScriptedRun {
  readonly agent: AgentDefinition;
  readonly request: RunRequest;
  readonly options: RunOptions;
}

/** Everything is said at this time. */
const NOW = Date.UTC(2026, 0, 1);

/** How a process drives its run. */
export interface Driving {
  /** Whether it is the first process of the run. */
  readonly first: boolean;
  /** The actions that the world had seen when the process began. */
  readonly executed: ReadonlySet<string>;
  readonly signal: AbortSignal;
  readonly onAbort: "finish" | "suspend";
  /** What a tool makes a run with. Absent: none does. */
  readonly child?: { readonly process: PortPoints; readonly store: RunStore } | undefined;
  /** Whose run it is that a tool makes. Absent: nobody's. */
  readonly parent?: NonNullable<RunRequest["parent"]>;
}

/** Makes the ports of a script for one process. */
export function scriptedRun(
  subject: Subject,
  script: Script,
  process: PortPoints,
  store: RunStore,
  driving: Driving,
): ScriptedRun {
  const { kernel } = subject;
  const { first, executed, signal, onAbort, parent } = driving;
  const events = script.sink
    ? { emit: (event: { type: string }) => emitted(process, event.type), parameters: () => ({}) }
    : undefined;
  const agent = kernel.defineAgent({
    model: scriptedModel(kernel, script, process, first, signal),
    interpreter: scriptedInterpreter(script, process, first),
    store,
    ...(events !== undefined && { events }),
  });
  const request = kernel.defineRun({
    runId: parent === undefined ? runIdOf(script) : kernel.childRunId(parent.actionId),
    ...(parent && { parent }),
    budget: {
      maxSteps: 12,
      maxModelCalls: 20,
      maxPromptChars: 200_000,
      maxConsecutiveFailures: 3,
      ...script.budget,
    },
    executor: scriptedExecutor(
      script,
      process,
      first,
      (child, call) => childAnswer(subject, script, child, call, driving),
    ),
    tools: visibleTools(script),
    context: {
      runLevel: [kernel.textMessage("system", "Do it.")],
      goalLevel: [kernel.textMessage("user", "Now.")],
    },
    toolProtocol: script.native ? "native" : "text",
    modelReplayPolicy: script.modelReplay ?? "never",
    ...(script.policy && { contextPolicy: script.policy }),
    maxConcurrentActions: script.atOnce ?? 1,
    // A call that is to be cut is told so when its grace time is over.
    ...(script.cutsModel && { cancelGraceMs: 1 }),
  });
  const options: RunOptions = {
    signal,
    ...(onAbort === "suspend" && { onAbort }),
    ...(script.outageAt !== undefined && { onModelFailure: "suspend" as const }),
    now: () => NOW,
    ...(script.approves && { approveAction: approver(script, process) }),
    ...(script.resolver && { resolveUnknownAction: resolver(script, process, executed) }),
  };
  return { agent, request, options };
}

/** Has a tool make its run, or go on with it: what it answers. */
async function childAnswer(
  subject: Subject,
  script: Script,
  child: Script,
  { actionId, signal }: ActionCall,
  driving: Driving,
): Promise<string> {
  const { process, store } = driving.child!;
  const parent = { runId: runIdOf(script), actionId };
  const { kernel } = subject;
  const { agent, request, options } = scriptedRun(subject, child, process, store, {
    ...driving,
    signal,
    onAbort: "suspend",
    parent,
  });
  const { answer } = await kernel.run(agent, request, { ...options, existing: "resume" });
  return JSON.stringify(answer);
}

function emitted(process: PortPoints, type: string): void {
  process.inner(`emit-${type}`, () => {});
}

/** The step of an id such as `run/s4` or `run/s4_a0`. */
function stepOf(id: string): number {
  return Number(/\/s(\d+)/.exec(id)![1]);
}

function scriptedModel(
  kernel: Subject["kernel"],
  script: Script,
  process: PortPoints,
  first: boolean,
  aborted: AbortSignal,
): ModelPort {
  return {
    call: ({ callId, attempt, messages, signal }) =>
      process.call("model", async () => {
        const prompt = JSON.stringify(messages);
        process.effect("model", callId, attempt, prompt);
        const step = stepOf(callId);
        if (script.cutsModel && aborted.aborted) await untilTold(signal);
        if (first && script.outageAt === step) throw new Error("no server");
        if (isSummary(callId)) return { text: `all went well until ${step}`, finishReason: "stop" };
        if (prompt.length > (script.refusesOver ?? Infinity)) {
          throw new kernel.ModelCallError("it is too long", {
            kind: "context_length",
            retriable: false,
          });
        }
        const said = script.steps[toldAt(script, step)]!;
        if ("fails" in said) throw new Error(said.fails);
        const usage = { inputTokens: 10, outputTokens: 5 };
        return { text: `step ${step}`, usage, providerData: { signed: step } };
      }),
    parameters: () => ({ script: script.name }),
  };
}

/** Whether an id is of a call that sums up steps, such as `run/s4_c0`. */
function isSummary(callId: string): boolean {
  return /_c\d+$/.test(callId);
}

function untilTold(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const tell = () => reject(signal.reason);
    if (signal.aborted) tell();
    else signal.addEventListener("abort", tell, { once: true });
  });
}

function scriptedInterpreter(
  script: Script,
  process: PortPoints,
  first: boolean,
): DecisionInterpreter {
  return {
    interpret: (_, { runId, stepIndex }) =>
      process.call("interpret", () => {
        process.effect("interpret", `${runId}/s${stepIndex}`, 1);
        if (first && script.interpreterThrowsAt === stepIndex) throw new Error("cannot read this");
        return { decision: decisionOf(script, stepIndex), historyText: `I do step ${stepIndex}.` };
      }),
    parameters: () => ({}),
  };
}

function scriptedExecutor(
  script: Script,
  process: PortPoints,
  first: boolean,
  makeChild: (child: Script, call: ActionCall) => Promise<string>,
): RunRequest["executor"] {
  const find = (action: JsonValue) => {
    const { step, i } = action as { step: number; i: number };
    return actionAt(script, step, i);
  };
  return {
    execute: (call) =>
      process.call("execute", async () => {
        const { action, actionId, attempt } = call;
        process.effect("execute", actionId, attempt);
        const { outcome, slow, child } = find(action);
        // Those beside it need a few turns to end and to be recorded; it has more.
        for (let turn = 0; slow && turn < 200; turn++) await Promise.resolve();
        if (child !== undefined) return outcomeOf({}, await makeChild(child, call));
        if (outcome === "throws") throw new Error("the environment broke");
        const { step, i } = action as { step: number; i: number };
        return outcomeOf(outcome, `saw ${step}.${i}`);
      }),
    replayPolicy(action) {
      const { replay, laterReplay = replay } = find(action);
      return first ? replay : laterReplay;
    },
    concurrent: () => true,
    completes(toolName) {
      const [, step, i] = toolName.split("_").map(Number);
      return actionAt(script, step!, i!).completes ?? false;
    },
    parameters: () => ({}),
  };
}

function outcomeOf(outcome: ScriptedOutcome = {}, observation: string): ActionOutcome {
  const observed = { observation, observationSynthetic: false, truncatedChars: 0 };
  switch (outcome.status) {
    case "not_executed":
      return { ...observed, ...outcome, status: outcome.status };
    case "environment_failed":
      return { ...observed, ...outcome, status: outcome.status };
    default:
      return { failed: false, completed: false, ...observed, ...outcome, status: "executed" };
  }
}

function approver(
  script: Script,
  process: PortPoints,
): NonNullable<RunOptions["approveAction"]> {
  return {
    id: "approver",
    decide: ({ actionId }) =>
      process.call("approve", () => {
        process.effect("approve", actionId, 1);
        const { denied } = actionOf(script, actionId);
        return denied === undefined
          ? { allow: true } as const
          : { allow: false, reason: denied } as const;
      }),
  };
}

function resolver(
  script: Script,
  process: PortPoints,
  executed: ReadonlySet<string>,
): NonNullable<RunOptions["resolveUnknownAction"]> {
  return {
    id: "resolver",
    resolve: ({ actionId, action }) =>
      process.call("resolve", () => {
        process.effect("resolve", actionId, 1);
        const happened = script.resolver === "truthful"
          ? (executed.has(actionId) ? "happened" : "did_not_happen")
          : script.resolver!;
        if (happened !== "happened") return { kind: happened };
        const { outcome } = actionOf(script, actionId);
        if (outcome === "throws") return { kind: "unknown" };
        const { step, i } = action as { step: number; i: number };
        return { kind: "happened", outcome: outcomeOf(outcome, `saw ${step}.${i}`) };
      }),
  };
}
