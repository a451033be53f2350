import {
  type ActionRecord,
  compareCodePoints,
  copyJson,
  firstDifference,
  type JsonValue,
  type Message,
  type StepRecord,
  type ValueDifference,
} from "../types/mod.ts";
import { isRedacted } from "./_reading/redacted.ts";
import { stepPrompts } from "./_reading/step_prompts.ts";
import { requireLog, type RunLog } from "./read_log.ts";
import { rebuildPrompt } from "./rebuild_prompt.ts";

/**
 * What differs: what a step's model call was sent; what it replied or failed with; how that was read; what the step came
 * to; whether and why the run ended there; or a setting, of runs that are equal in all else.
 */
export type LogDifferenceKind = "prompt" | "reply" | "decision" | "result" | "stop" | "setting";

/** The first thing in which two runs differ. */
export interface LogDifference {
  /** What it is. */
  readonly what: LogDifferenceKind;
  /** The step of the first log, from 0; for `stop` the number of its steps up to there. Absent: it is a setting. */
  readonly step?: number;
  /** The same of the second log, where that is another: one of the two goes on from the other. */
  readonly otherStep?: number;
  /** Where in it: such as `messages[4].content[0].text`, `actions[1].observation`, or a key of the parameter snapshot. */
  readonly path: string;
  /** What the first log has there. Absent: nothing. */
  readonly a?: JsonValue;
  /** What the second log has there. Absent: nothing. */
  readonly b?: JsonValue;
}

/**
 * The first step at which two runs part, and what differs there. It looks at what models and environments gave and were
 * given: not at times and durations, hashes, the borders of entries, stacks, the run's id and the ids made of it, attempts
 * and what was withdrawn, what served a call, what ran the run, or where it was stored and told. What no two calls have in
 * common (the provider's own data, its ids, the tokens) is looked at only in runs that are equal in all else, after their
 * settings; these after all that they change. Where one of them goes on from a step of the other, as a fork does, its first
 * step is compared with that one.
 *
 * @example
 * ```ts
 * import { jsonActionInterpreter } from "@polyloop/polyloop/adapters/json-action-interpreter";
 * import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
 * import { defineAgent, defineRun, diffLogs, readLog, run } from "@polyloop/polyloop/session";
 * import { memoryStore } from "@polyloop/polyloop/stores/memory";
 * import { textMessage } from "@polyloop/polyloop/types";
 * import { assertEquals } from "@std/assert";
 *
 * const store = memoryStore();
 * const logOf = async (runId: string, answer: string) => {
 *   await run(
 *     defineAgent({ model: scriptedModel([answer]), interpreter: jsonActionInterpreter(), store }),
 *     defineRun({
 *       runId,
 *       budget: { maxSteps: 3, maxModelCalls: 3, maxPromptChars: 9_000, maxConsecutiveFailures: 1 },
 *       executor: { execute: () => Promise.reject(new Error("no actions")), parameters: () => ({}) },
 *       context: { runLevel: [], goalLevel: [textMessage("user", "6 × 7?")] },
 *     }),
 *   );
 *   return readLog((await store.readRun(runId))!);
 * };
 * const a = await logOf("a", '{"final_answer": 42}');
 * const difference = diffLogs(a, await logOf("b", '{"final_answer": 41}'));
 * assertEquals([difference?.what, difference?.step, difference?.path], ["reply", 0, "text"]);
 * assertEquals(diffLogs(a, await logOf("c", '{"final_answer": 42}')), undefined);
 * ```
 *
 * @param a A log that `readLog` read.
 * @param b Another one.
 * @returns The first difference; nothing if there is none.
 * @throws {InvalidRequestError} If one of them is none.
 * @throws {RunLogCorruptError} If prompts differ and a log does not give those that it names.
 */
export function diffLogs(a: RunLog, b: RunLog): LogDifference | undefined {
  requireLog(a, "a");
  requireLog(b, "b");
  return partingOf(a, b, MEANT) ?? settingDifference(a, b) ?? partingOf(a, b, WHOLE);
}

/** What of steps and ends is looked at. */
interface Look {
  prompts(a: RunLog, b: RunLog): (place: Place) => LogDifference | undefined;
  reply(step: StepRecord): object;
  decision(step: StepRecord): object;
  end(log: RunLog): object;
}

function partingOf(a: RunLog, b: RunLog, look: Look): LogDifference | undefined {
  const begun = beginningsOf(a, b);
  const promptDifference = look.prompts(a, b);
  const shared = Math.min(a.steps.length - begun.a, b.steps.length - begun.b);
  for (let at = 0; at < shared; at++) {
    const place = { a: begun.a + at, b: begun.b + at };
    const [one, other] = [a.steps[place.a], b.steps[place.b]];
    if (one === undefined || other === undefined) continue;
    const found = promptDifference(place) ??
      difference("reply", place, look.reply(one), look.reply(other)) ??
      difference("decision", place, look.decision(one), look.decision(other)) ??
      difference("result", place, resultOf(one), resultOf(other));
    if (found !== undefined) return found;
  }
  const end = { a: begun.a + shared, b: begun.b + shared };
  return difference("stop", end, stepsFrom(a, begun.a), stepsFrom(b, begun.b)) ??
    difference("stop", end, look.end(a), look.end(b));
}

/** A step of each log. */
interface Place {
  readonly a: number;
  readonly b: number;
}

/** The steps from which two logs tell of the same: other than 0 where one of them goes on from the other. */
function beginningsOf(a: RunLog, b: RunLog): Place {
  return { a: stepsBefore(b, a), b: stepsBefore(a, b) };
}

/** After how many steps of another run one began; 0 for one that does not go on from it. */
function stepsBefore({ started: { derivedFrom } }: RunLog, { runId, steps }: RunLog): number {
  return derivedFrom?.runId === runId ? Math.min(derivedFrom.steps, steps.length) : 0;
}

function stepsFrom({ steps }: RunLog, from: number): object {
  return { steps: steps.length - from };
}

/**
 * The prompts are laid out only where their digests differ, or may have been taken away; without inputs the digests are all
 * that there is.
 */
function promptDifference(a: RunLog, b: RunLog, place: Place): LogDifference | undefined {
  const [one, other] = [a.steps[place.a]?.promptDigest, b.steps[place.b]?.promptDigest];
  const isHidden = isRedacted(a.started) || isRedacted(b.started);
  const digests = isHidden
    ? undefined
    : difference("prompt", place, { promptDigest: one }, { promptDigest: other });
  const messages = isHidden || digests !== undefined
    ? difference("prompt", place, { messages: messagesOf(a, place.a) }, {
      messages: messagesOf(b, place.b),
    })
    : undefined;
  return messages ?? digests ??
    difference("prompt", place, { tools: toolsOf(a) }, { tools: toolsOf(b) });
}

function messagesOf(log: RunLog, step: number): readonly object[] | undefined {
  if (log.started.inputs === undefined) return undefined;
  const call = log.calls.findLastIndex(({ stepIndex, purpose }) =>
    stepIndex === step && purpose === undefined
  );
  return rebuildPrompt(log, call).map(({ role, content, providerData }: Message) => ({
    role,
    content,
    providerData,
  }));
}

/** The tools that went along with each call: only under the native protocol do they. */
function toolsOf({ started, settings }: RunLog): unknown {
  return settings.toolProtocol === "native" ? started.inputs?.tools : undefined;
}

/** All that runs have, but for what is no difference between them. */
const WHOLE: Look = {
  prompts: (a, b) => (place) => promptDifference(a, b, place),
  reply: replyOf,
  decision: ({ decision, historyText }) => ({ ...decision, historyText }),
  end: endOf,
};

/** Without what no two calls have in common: it would hide where runs part that a provider served. */
const MEANT: Look = {
  prompts: messagesDifference,
  reply(step) {
    if (step.reply === undefined) return replyOf(step);
    const { toolCalls, providerData: _, usage: __, responseId: ___, ...rest } = step.reply;
    const { retries: ____, servedBy: _____, ...said } = rest;
    return { ...said, toolCalls: toolCalls?.map(({ id: _, ...call }) => call) };
  },
  decision({ decision, historyText }) {
    if (decision?.kind !== "action") return { ...decision, historyText };
    const actions = decision.actions.map(({ toolCall: _, ...action }) => action);
    return { ...decision, actions, historyText };
  },
  end: ({ finished }) => ({ stopConditions: finished?.stopConditions, answer: finished?.answer }),
};

/**
 * Where what is said in the prompts of steps differs, step after step: messages that were found equal and stay are not
 * looked at again. Without inputs the digests are all that there is.
 */
function messagesDifference(a: RunLog, b: RunLog): (place: Place) => LogDifference | undefined {
  if (a.started.inputs === undefined || b.started.inputs === undefined) {
    return (place) => promptDifference(a, b, place);
  }
  const [promptOfA, promptOfB] = [stepPrompts(a), stepPrompts(b)];
  const before: { a: readonly Message[]; b: readonly Message[] } = { a: [], b: [] };
  return (place) => {
    const [ofA, ofB] = [promptOfA(place.a), promptOfB(place.b)];
    for (let at = 0; at < Math.max(ofA.length, ofB.length); at++) {
      const [one, other] = [ofA[at], ofB[at]];
      if (at < before.a.length && one === before.a[at] && other === before.b[at]) continue;
      const found = firstDifference(said(one), said(other));
      if (found !== undefined) {
        return parted("prompt", place, { ...found, path: `.messages[${at}]${found.path}` });
      }
    }
    [before.a, before.b] = [ofA, ofB];
    return difference("prompt", place, { tools: toolsOf(a) }, { tools: toolsOf(b) });
  };
}

/** What a message says, without the provider's own data. */
function said(message: Message | undefined): object | undefined {
  return message && { role: message.role, content: message.content };
}

function replyOf({ reply, error }: StepRecord): object {
  if (reply === undefined) return { error: error && told(error) };
  const { retries: _, servedBy: __, ...said } = reply;
  return said;
}

function resultOf({ outcome, observation, observationSynthetic, actions }: StepRecord): object {
  return { outcome, observation, observationSynthetic, actions: actions.map(actionOf) };
}

/** What an action led to, without its id, its attempts and its time. What it was is the decision's. */
function actionOf(action: ActionRecord): object {
  const { actionId: _, attempts: __, durationMs: ___, action: ____, ...result } = action;
  const { toolCall: _____, toolName: ______, ...rest } = result;
  return "error" in rest && rest.error !== undefined ? { ...rest, error: told(rest.error) } : rest;
}

/** An error without its stack and the attempts before it. */
function told({ name, message, kind, retriable }: NonNullable<StepRecord["error"]>): object {
  return { name, message, kind, retriable };
}

/** Why a run ended, as far as it has. */
function endOf({ finished }: RunLog): object {
  const { stopConditions, answer, promptChars } = finished ?? {};
  return { stopConditions, answer, promptChars };
}

function settingDifference(a: RunLog, b: RunLog): LogDifference | undefined {
  const [one, other] = [a.started.parameters, b.started.parameters];
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])].sort(compareCodePoints);
  const areKin = a.started.derivedFrom?.runId === b.runId ||
    b.started.derivedFrom?.runId === a.runId;
  const ignored = areKin
    ? /^(?:definition\.(?:store|events)|request\.derived_from)\./
    : /^definition\.(?:store|events)\./;
  const key = keys.find((key) => !ignored.test(key) && one[key] !== other[key]);
  if (key === undefined) return undefined;
  return Object.freeze({ what: "setting", path: key, ...values(one[key], other[key]) });
}

function difference(
  what: LogDifferenceKind,
  place: Place,
  a: object,
  b: object,
): LogDifference | undefined {
  const found = firstDifference(a, b);
  return found && parted(what, place, found);
}

function parted(
  what: LogDifferenceKind,
  { a: step, b: otherStep }: Place,
  { path, a, b }: ValueDifference,
): LogDifference {
  return Object.freeze({
    what,
    step,
    ...(otherStep !== step && { otherStep }),
    path: path.slice(1),
    ...values(a, b),
  });
}

function values(a: unknown, b: unknown): Pick<LogDifference, "a" | "b"> {
  return {
    ...(a !== undefined && { a: copyJson(a) }),
    ...(b !== undefined && { b: copyJson(b) }),
  };
}
