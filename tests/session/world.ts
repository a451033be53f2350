/**
 * A small world to run agents in: a model with a script, an interpreter of tiny text commands, an executor whose
 * actions say themselves what becomes of them, a store that tells what was asked of it, and a clock that stands still.
 *
 * @module
 */
import { assert } from "@std/assert";
import {
  type ActionCall,
  type ActionExecutor,
  type ActionOutcome,
  type ActionRecord,
  type AgentDefinition,
  type AgentSpec,
  type Budget,
  type Decision,
  type DecisionInterpreter,
  defineAgent,
  defineRun,
  type Denial,
  type EventSink,
  type ExecutedOutcome,
  type ModelCall,
  type ModelPort,
  type ModelReply,
  type PlannedAction,
  type RunEvent,
  type RunRequest,
  type RunSpec,
  type RunStore,
  textMessage,
  type VisibleTools,
} from "../../mod.ts";
import { type LogRecord, parseLogLine } from "../../types/mod.ts";
import { memoryStore } from "../../stores/memory.ts";

/** When it is in this world: always. */
export const now = (): number => Date.UTC(2026, 0, 2, 3, 4, 5);

/** What {@link now} is in a record. */
export const AT = "2026-01-02T03:04:05.000Z";

/** What a script says to one call: a text, a reply, an error, or what a function of the call gives. */
export type Said = string | ModelReply | Error | ((call: ModelCall) => Promise<ModelReply>);

/** A model that says the replies of a script; a resumed one goes on at the step that it is asked for. */
export function scriptModel(
  script: readonly Said[],
): ModelPort & { readonly prompts: string[]; readonly calls: ModelCall[] } {
  const prompts: string[] = [];
  const calls: ModelCall[] = [];
  return {
    prompts,
    calls,
    async call(call) {
      calls.push(call);
      prompts.push(`${call.callId}: ${JSON.stringify([call.messages, call.tools ?? null])}`);
      const said = script[Number(/\/s(\d+)$/.exec(call.callId)![1])] ?? "answer the script is over";
      if (said instanceof Error) throw said;
      if (typeof said === "function") return await said(call);
      return typeof said === "string" ? { text: said } : said;
    },
    parameters: () => ({ name: "script" }),
  };
}

/**
 * Reads `answer <text>`, and actions joined by `; `: `do <word>`, or `use <tool> <word>`. Anything else is invalid.
 * What follows ` #` is left out of history.
 */
export function commands(protocol: "text" | "native" = "text"): DecisionInterpreter {
  return {
    interpret: ({ text }) => {
      const historyText = text.split(" #")[0]!;
      return { decision: decisionOf(historyText, protocol), historyText };
    },
    parameters: () => ({ protocol }),
  };
}

function decisionOf(text: string, protocol: "text" | "native"): Decision {
  const answer = /^answer (.*)$/s.exec(text)?.[1];
  if (answer !== undefined) return { kind: "final_answer", answer };
  const actions = text.split("; ").map((part) => plannedAction(part, protocol));
  return actions.every((action) => action !== undefined)
    ? { kind: "action", actions }
    : { kind: "invalid", explanation: `cannot read "${text}"` };
}

function plannedAction(text: string, protocol: "text" | "native"): PlannedAction | undefined {
  const [, tool, word] = /^(?:do|use (\S+)) (.+)$/s.exec(text) ?? [];
  if (word === undefined) return undefined;
  return {
    action: tool === undefined ? { do: word } : { tool, do: word },
    ...(tool !== undefined && { toolName: tool }),
    ...(protocol === "native" && {
      toolCall: { id: "same", name: tool ?? "do", arguments: { word } },
    }),
  };
}

/** An outcome without anything special. */
export const EXECUTED: ExecutedOutcome = {
  status: "executed",
  failed: false,
  observation: "ok",
  observationSynthetic: false,
  completed: false,
  truncatedChars: 0,
};

/** What the first word of an action makes of it; any other word is executed. */
function outcomeOf(word: string): ActionOutcome {
  const observed = {
    observation: `did ${word}`,
    observationSynthetic: false,
    truncatedChars: 0,
  };
  const executed = { ...EXECUTED, ...observed };
  switch (word.split(" ")[0]) {
    case "fail":
      return { ...executed, failed: true };
    case "complete":
      return { ...executed, completed: true };
    case "reject":
      return { ...observed, status: "not_executed", observationSynthetic: true };
    case "refuse":
      return { status: "not_executed", ...observed, observation: "", observationSynthetic: true };
    case "break":
      return { status: "environment_failed", ...observed };
    case "collapse":
      return { status: "environment_failed", ...observed, observation: "" };
    default:
      return executed;
  }
}

/** Who denied an action, and why. */
export function denialOf(action: ActionRecord | undefined): Denial | undefined {
  return action?.status === "not_executed" ? action.denial : undefined;
}

/**
 * An executor that does what the word of an action says, and remembers what it was asked. Any action may run beside
 * others but `alone`.
 */
export function wordExecutor(
  behave: (word: string, call: ActionCall) => Promise<unknown> | undefined = () => undefined,
): ActionExecutor & { readonly calls: ActionCall[] } {
  const calls: ActionCall[] = [];
  const wordOf = (action: unknown) => (action as { do: string }).do;
  return {
    calls,
    async execute(call) {
      calls.push(call);
      const word = wordOf(call.action);
      const own = behave(word, call);
      if (own !== undefined) return await own as ActionOutcome;
      if (word.startsWith("throw")) throw new TypeError(`cannot ${word}`);
      return outcomeOf(word);
    },
    replayPolicy: (action) => wordOf(action).startsWith("again") ? "replayable" : "never",
    concurrent: (action) => !wordOf(action).startsWith("alone"),
    completes: (toolName) => toolName === "submit",
    parameters: () => ({ words: "1" }),
  };
}

/** A store that remembers what was asked of it, by the names of its methods. */
export function tellingStore(
  inner: RunStore = memoryStore(),
): RunStore & { readonly asked: string[] } {
  const asked: string[] = [];
  const told =
    <A extends unknown[], R>(name: string, method: (...args: A) => R) => (...args: A) => {
      asked.push(name);
      return method(...args);
    };
  return {
    asked,
    readRun: told("readRun", inner.readRun),
    startRun: told("startRun", inner.startRun),
    writeIntent: told("writeIntent", inner.writeIntent),
    writeOutcome: told("writeOutcome", inner.writeOutcome),
    finishRun: told("finishRun", inner.finishRun),
    releaseRun: told("releaseRun", inner.releaseRun),
    parameters: inner.parameters,
  };
}

/** A sink that keeps what it hears. */
export function hearing(): EventSink & { readonly heard: RunEvent[] } {
  const heard: RunEvent[] = [];
  return { heard, emit: (event) => void heard.push(event), parameters: () => ({}) };
}

/** A budget that bounds nothing that a test does by itself. */
export const AMPLE: Budget = {
  maxSteps: 100,
  maxModelCalls: 100,
  maxPromptChars: 100_000,
  maxConsecutiveFailures: 3,
};

/** The tools of this world: those that go along with each call by the native protocol. */
export const WORLD_TOOLS: VisibleTools = {
  names: ["submit", "the"],
  schemaForModel: () =>
    ["submit", "the"].map((name) => ({ name, description: "", parameters: { type: "object" } })),
  toolDigest: (name) => name,
};

/** An agent of this world. */
export function agentOf(
  script: readonly Said[] | ModelPort,
  spec: Partial<AgentSpec> & { protocol?: "text" | "native" } = {},
): AgentDefinition {
  const { protocol = "text", ...rest } = spec;
  const model = "call" in script ? script : scriptModel(script);
  return defineAgent({ model, interpreter: commands(protocol), store: memoryStore(), ...rest });
}

/** A request of this world. */
export function requestOf(
  spec: Partial<Omit<RunSpec, "budget">> & { budget?: Partial<Budget> } = {},
): RunRequest {
  return defineRun({
    runId: "r",
    executor: wordExecutor(),
    context: {
      runLevel: [textMessage("system", "be good")],
      goalLevel: [textMessage("user", "go")],
    },
    observationTemplate: "[{observation}]",
    cancelGraceMs: 20,
    ...(spec.toolProtocol === "native" && { tools: WORLD_TOOLS }),
    ...spec,
    budget: { ...AMPLE, ...spec.budget },
  });
}

/** The records of a log, entry by entry. */
export function recordsOf(lines: readonly string[] | null): readonly (readonly LogRecord[])[] {
  return lines!.map((line) => JSON.parse(line).records);
}

/** The kinds of a log's records, one text for each entry. */
export function shapeOf(lines: readonly string[] | null): readonly string[] {
  return recordsOf(lines).map((records) => records.map(({ type }) => type).join(" "));
}

/** A promise that never settles: what a port that hangs gives. */
export function never<T>(): Promise<T> {
  return new Promise(() => {});
}

/** What a promise was rejected with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("it was not rejected");
}

/** A store that holds a log with these lines, of run `r`. */
export async function storeOf(lines: readonly string[]): Promise<RunStore> {
  const store = memoryStore();
  for (const [i, line] of lines.entries()) {
    const parsed = parseLogLine(line);
    assert(parsed.ok);
    await (i === 0 ? store.startRun : store.writeOutcome)("r", parsed.entry);
  }
  return store;
}
