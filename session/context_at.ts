import {
  arrayShape,
  booleanShape,
  copyField,
  InvalidRequestError,
  type KnownFields,
  type Message,
  messageShape,
  refuseUnknownFields,
  requireCount,
  type RunOrigin,
} from "../types/mod.ts";
import type { OpenStepRecord } from "./_reading/open_step_record.ts";
import { refuseRedacted } from "./_reading/redacted.ts";
import type { RunRequest } from "./define_run.ts";
import { requireLog, type RunLog } from "./read_log.ts";
import { historyBefore } from "./rebuild_prompt.ts";
import { requestInputs } from "./request_inputs.ts";

/** What another run begins with to go on from a recorded one: fields of `defineRun`. */
export type InheritedContext =
  & Pick<RunRequest, "context" | "injections">
  & Required<Pick<RunRequest, "derivedFrom">>;

/** What of a history is taken. */
export interface ContextAtOptions {
  /**
   * Whether all of it is: also what a context policy had taken out of the prompt. It is then not what the model saw.
   *
   * @default {false}
   */
  readonly whole?: boolean;
}

const OPTIONS: KnownFields<ContextAtOptions> = { whole: true };

/**
 * What a recorded run had said and seen before one of its steps, for another run to begin with: a fork. Run level and
 * injections are as they were; the goal level goes on with the history. So the first prompt of the other run is, byte for
 * byte, the one that this run's step was asked with, as edited as that was, unless the caller edits what is given: it is plain data.
 *
 * Nothing is called and nothing is written: the log stays as it is, and no action is undone. What the steps from there on
 * did to files or servers is still done.
 *
 * @example
 * ```ts
 * import { jsonActionInterpreter } from "@polyloop/polyloop/adapters/json-action-interpreter";
 * import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
 * import { contextAt, defineAgent, defineRun, readLog, run } from "@polyloop/polyloop/session";
 * import { memoryStore } from "@polyloop/polyloop/stores/memory";
 * import { defineTool, ToolRegistry } from "@polyloop/polyloop/tools";
 * import { textMessage } from "@polyloop/polyloop/types";
 * import { assertEquals } from "@std/assert";
 *
 * const store = memoryStore();
 * const interpreter = jsonActionInterpreter();
 * const look = defineTool({
 *   name: "look",
 *   description: "Looks out",
 *   parameters: { type: "object", properties: {} },
 *   execute: () => "rain",
 * });
 * const task = {
 *   budget: { maxSteps: 3, maxModelCalls: 3, maxPromptChars: 10_000, maxConsecutiveFailures: 1 },
 *   tools: ToolRegistry.of([look]),
 * };
 * const context = { runLevel: [], goalLevel: [textMessage("user", "How is it outside?")] };
 * const first = scriptedModel(['{"tool": "look", "arguments": {}}', '{"final_answer": "wet"}']);
 * const agent = defineAgent({ model: first, interpreter, store });
 * await run(agent, defineRun({ ...task, runId: "a", context }));
 *
 * const a = readLog((await store.readRun("a"))!);
 * const model = scriptedModel(['{"final_answer": "grey"}']);
 * await run(
 *   defineAgent({ model, interpreter, store }),
 *   defineRun({ ...task, runId: "b", ...contextAt(a, 1) }),
 * );
 *
 * const b = readLog((await store.readRun("b"))!);
 * assertEquals(b.steps[0]?.promptDigest, a.steps[1]?.promptDigest);
 * assertEquals(b.started.derivedFrom?.runId, "a");
 * ```
 *
 * @param log A log that `readLog` read, of a run that is over or not.
 * @param steps How many of its steps to take, from the first: those before step `steps`. Default: all that have ended.
 * @param options Whether to take the history whole, also what a context policy took out of the prompt. Default: as the
 * model saw it.
 * @throws {InvalidRequestError} If it is no such log, is redacted, was recorded with `recordInputs: false`, or has not so
 * many steps; or,
 * without `steps`, if the run stands in a step of which an action may have happened: resume it first.
 */
export function contextAt(
  log: RunLog,
  steps?: number,
  options: ContextAtOptions = {},
): InheritedContext {
  requireLog(log);
  refuseRedacted(log.started);
  refuseUnknownFields(options, OPTIONS);
  const whole = copyField("whole", options.whole ?? false, booleanShape);
  if (steps === undefined) refuseOpenActions(log);
  const used = steps ?? log.steps.length;
  requireCount("steps", used);
  if (used > log.steps.length) {
    const detail = `run "${log.runId}" has ${log.steps.length} recorded steps`;
    throw new InvalidRequestError("steps", used, detail);
  }
  const edits = editsBefore(log, used);
  return Object.freeze({
    ...inheritedAfter(log, used, whole ? 0 : edits),
    derivedFrom: originOf(log, used, edits),
  });
}

/** What a run had said and seen before one of its steps, after so many of its edits. */
export function inheritedAfter(
  log: RunLog,
  steps: number,
  edits: number,
): Omit<InheritedContext, "derivedFrom"> {
  const { context: { runLevel, goalLevel }, injections } = requestInputs(log);
  const history = historyBefore(log, steps, edits);
  const context = { runLevel, goalLevel: Object.freeze([...goalLevel, ...history]) };
  return Object.freeze({ context: Object.freeze(context), injections });
}

/** How many edits there were when a step's call was made, or will have been by now if it was not. */
function editsBefore({ edits }: RunLog, steps: number): number {
  return edits.filter(({ stepIndex }) => stepIndex <= steps).length;
}

/**
 * What the next run of a conversation begins with: all that a finished run had said and seen, and what is said to it
 * now. The finished run is not written to again. Where something else is to be said than to the whole run, as to an
 * earlier step of it, take {@link contextAt}.
 *
 * @example
 * ```ts
 * import { jsonActionInterpreter } from "@polyloop/polyloop/adapters/json-action-interpreter";
 * import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
 * import { continued, defineAgent, defineRun, readLog, run } from "@polyloop/polyloop/session";
 * import { memoryStore } from "@polyloop/polyloop/stores/memory";
 * import { textMessage } from "@polyloop/polyloop/types";
 * import { assertEquals } from "@std/assert";
 *
 * const store = memoryStore();
 * const agent = defineAgent({
 *   model: scriptedModel(['{"final_answer": "rain"}', '{"final_answer": "sun"}']),
 *   interpreter: jsonActionInterpreter(),
 *   store,
 * });
 * const task = {
 *   budget: { maxSteps: 3, maxModelCalls: 3, maxPromptChars: 10_000, maxConsecutiveFailures: 1 },
 *   executor: { execute: () => Promise.reject(new Error("no actions")), parameters: () => ({}) },
 * };
 * const goalLevel = [textMessage("user", "The weather today?")];
 * await run(agent, defineRun({ ...task, runId: "chat-1", context: { runLevel: [], goalLevel } }));
 *
 * const log = readLog((await store.readRun("chat-1"))!);
 * const next = continued(log, textMessage("user", "And tomorrow?"));
 * assertEquals(next.context.goalLevel.map(({ role }) => role), ["user", "assistant", "user"]);
 * const result = await run(agent, defineRun({ ...task, runId: "chat-2", ...next }));
 * assertEquals(result.answer, "sun");
 * ```
 *
 * @param log A log that `readLog` read, of a run that has finished, for whatever reason.
 * @param messages What is said now, in order: usually one message of the user.
 * @throws {InvalidRequestError} If it is no such log, was recorded with `recordInputs: false`, or has not finished (resume the
 * run first); or if a message is not as it must be.
 */
export function continued(log: RunLog, ...messages: readonly Message[]): InheritedContext {
  requireLog(log);
  if (log.finished === undefined) {
    const detail =
      "the run has not finished: resume it first, or fork it with contextAt(log, steps)";
    throw new InvalidRequestError("log", log.runId, detail);
  }
  const said = copyField("messages", messages, arrayShape(messageShape));
  const { context: { runLevel, goalLevel }, ...inherited } = contextAt(log);
  const context = { runLevel, goalLevel: Object.freeze([...goalLevel, ...said]) };
  return Object.freeze({ ...inherited, context: Object.freeze(context) });
}

/** A conversation that hides an action that may have happened would not be true. */
function refuseOpenActions({ runId, open, finished }: RunLog): void {
  if (open === undefined || finished !== undefined) return;
  const [action] = begunActions(open);
  if (action === undefined) return;
  const detail =
    `resume the run first, or say how many steps to take: nobody knows yet what step ` +
    `${open.stepIndex} comes to, in which ${action} may have happened`;
  throw new InvalidRequestError("log", runId, detail);
}

/** The ids of an open step's actions that were started. */
function begunActions({ openActions, actions }: OpenStepRecord): readonly string[] {
  const ended = actions.filter(({ attempts }) => attempts > 0);
  return [...openActions, ...ended].map(({ actionId }) => actionId);
}

function originOf(log: RunLog, steps: number, edits: number): RunOrigin {
  const { runId, started: { derivedFrom } } = log;
  return Object.freeze({
    runId,
    logHead: headAfter(log, steps, edits),
    steps,
    historySteps: (derivedFrom?.historySteps ?? 0) + steps,
    root: derivedFrom?.root ?? runId,
  });
}

/** The hash of the entry with the last record that is used: never of what came later. */
function headAfter(log: RunLog, steps: number, edits: number): string {
  if (log.finished !== undefined && steps === log.steps.length) return log.logHead;
  const last = log.edits.slice(0, edits)
    .findLastIndex(({ type, stepIndex }) => type === "context_edit" && stepIndex === steps);
  return log.editHeads[last] ?? log.heads[steps] ?? log.logHead;
}
