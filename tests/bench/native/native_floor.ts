import type {
  ActionRecord,
  Decision,
  Message,
  ModelPort,
  ModelReply,
  PlannedAction,
  ReplyToolCall,
  StepOutcome,
  StepRecord,
} from "../../../mod.ts";
import {
  bareLog,
  type BarePrompt,
  barePrompt,
  sayText,
  type Start,
  type WriteLine,
} from "../bare_log.ts";
import { toolsSize } from "../../../types/mod.ts";
import { ECHO, echo } from "./native_workload.ts";
import { GOAL } from "../workload.ts";

type ExecutedAction = Extract<ActionRecord, { readonly status: "executed" }>;

/** The arguments of each call. */
interface EchoArguments {
  readonly i: number;
  readonly text: string;
}

/**
 * A run of the native workload written bare, without the library and without any of its checks: the same calls with the
 * same prompts, the same step records kept, the same log records, encoded, hashed and written the same. With equal times
 * it writes the same bytes and gives the same steps; a test holds it to that.
 */
export async function bareNativeRun(
  { runId, started }: Start,
  model: ModelPort,
  now: () => number,
  write: WriteLine,
): Promise<readonly StepRecord[]> {
  const put = bareLog(runId, write);
  const prompt = barePrompt();
  const steps: StepRecord[] = [];
  const { signal } = new AbortController();
  const draining = signal;

  sayText(prompt, "user", GOAL);
  await put(started, true);
  for (let stepIndex = 0;; stepIndex++) {
    const step = beginStep(runId, stepIndex, prompt, now());
    await put(callIntent(step), true);
    const messages = prompt.messages.slice() as Message[];
    const { callId } = step;
    const reply = await model.call({ callId, attempt: 1, messages, binding: {}, signal, draining });
    const call = reply.toolCalls?.[0];
    const decision = decide(reply, call);
    if (call === undefined) {
      const durationMs = now() - step.startedMs;
      await put(
        `${decided(step, reply, decision)},${stepEnd(step, "final_answer", durationMs)}`,
        false,
      );
      steps.push(stepRecord(step, "final_answer", reply, decision, [], durationMs));
      await put(finished(reply.text, step, now()), true);
      return steps;
    }
    const actionId = `${runId}/s${stepIndex}_a0`;
    await put(`${decided(step, reply, decision)},${actionIntent(step, actionId, now())}`, true);
    const actedMs = now();
    const observation = await Promise.resolve(echo(call.arguments as object as EchoArguments));
    const action = actionRecord(actionId, call, observation, now() - actedMs);
    const durationMs = now() - step.startedMs;
    await put(`${actionResult(step, action)},${stepEnd(step, "acted", durationMs)}`, false);
    steps.push(stepRecord(step, "acted", reply, decision, [action], durationMs));
    sayCall(prompt, stepIndex, call, observation);
  }
}

/** The tool goes along with each prompt, and its size with that of the messages. */
const TOOL_CHARS = toolsSize([ECHO]);

/** What is known of a step when it begins. */
interface BareStep {
  readonly stepIndex: number;
  readonly callId: string;
  readonly startedMs: number;
  readonly startedAt: string;
  readonly promptChars: number;
  readonly promptMessages: number;
  readonly promptDigest: string;
}

function beginStep(
  runId: string,
  stepIndex: number,
  prompt: BarePrompt,
  startedMs: number,
): BareStep {
  const { promptChars: messageChars, promptMessages, promptDigest } = prompt.measure();
  const promptChars = messageChars + TOOL_CHARS;
  return {
    stepIndex,
    callId: `${runId}/s${stepIndex}`,
    startedMs,
    startedAt: new Date(startedMs).toISOString(),
    promptChars,
    promptMessages,
    promptDigest,
  };
}

function decide(reply: ModelReply, call: ReplyToolCall | undefined): Decision {
  return call === undefined
    ? { kind: "final_answer", answer: reply.text }
    : { kind: "action", actions: [plannedAction(call)] };
}

function plannedAction({ id, name, arguments: args }: ReplyToolCall): PlannedAction {
  return {
    action: { tool: name, arguments: args },
    toolName: name,
    toolCall: { id: id!, name, arguments: args },
  };
}

function callIntent(step: BareStep): string {
  return JSON.stringify({
    type: "model_call_intent",
    stepIndex: step.stepIndex,
    callId: step.callId,
    attempt: 1,
    promptChars: step.promptChars,
    promptMessages: step.promptMessages,
    promptDigest: step.promptDigest,
    at: step.startedAt,
  });
}

/** The log's records of a reply and a decision: the arguments once, and the action as the place of its call. */
function decided({ stepIndex, callId }: BareStep, reply: ModelReply, decision: Decision): string {
  const { text, toolCalls, finishReason } = reply;
  const stored = {
    text,
    toolCalls: toolCalls?.map(({ id, name, rawArguments }) => ({ id, name, raw: rawArguments })),
    finishReason,
  };
  return JSON.stringify({ type: "model_reply", stepIndex, callId, attempt: 1, reply: stored }) +
    "," +
    JSON.stringify({
      type: "decision",
      stepIndex,
      decision: decision.kind === "action" ? { kind: "action", actions: [0] } : decision,
    });
}

function actionIntent({ stepIndex }: BareStep, actionId: string, nowMs: number): string {
  return JSON.stringify({
    type: "action_intent",
    stepIndex,
    ordinal: 0,
    actionId,
    attempt: 1,
    replayPolicy: "never",
    at: new Date(nowMs).toISOString(),
  });
}

function actionRecord(
  actionId: string,
  { id, name, arguments: args }: ReplyToolCall,
  observation: string,
  durationMs: number,
): ExecutedAction {
  return {
    actionId,
    action: { tool: name, arguments: args },
    toolName: name,
    toolCall: { id: id!, name, arguments: args },
    status: "executed",
    failed: false,
    observation,
    observationSynthetic: false,
    completed: false,
    toolCompletes: false,
    truncatedChars: 0,
    attempts: 1,
    durationMs,
  };
}

function actionResult({ stepIndex }: BareStep, action: ExecutedAction): string {
  return JSON.stringify({
    type: "action_result",
    stepIndex,
    ordinal: 0,
    actionId: action.actionId,
    status: action.status,
    failed: action.failed,
    completed: action.completed,
    observation: action.observation,
    truncatedChars: action.truncatedChars,
    observationSynthetic: action.observationSynthetic,
    toolCompletes: action.toolCompletes,
    durationMs: action.durationMs,
  });
}

function stepEnd({ stepIndex }: BareStep, outcome: StepOutcome, durationMs: number): string {
  return JSON.stringify({ type: "step", stepIndex, outcome, durationMs });
}

function stepRecord(
  step: BareStep,
  outcome: StepOutcome,
  reply: ModelReply,
  decision: Decision,
  actions: readonly ActionRecord[],
  durationMs: number,
): StepRecord {
  return {
    stepIndex: step.stepIndex,
    outcome,
    modelCallId: step.callId,
    modelAttempts: 1,
    reply,
    decision,
    historyText: reply.text,
    actions,
    promptChars: step.promptChars,
    promptMessages: step.promptMessages,
    promptDigest: step.promptDigest,
    startedAt: step.startedAt,
    durationMs,
  };
}

function sayCall(
  { say }: BarePrompt,
  stepIndex: number,
  { name, arguments: args }: ReplyToolCall,
  observation: string,
): void {
  const toolCallId = `s${stepIndex}_a0`;
  const call = { arguments: args, name, toolCallId, type: "tool_call" };
  say({ content: [call], role: "assistant" }, name.length + JSON.stringify(args).length);
  const result = { isError: false, text: observation, toolCallId, type: "tool_result" };
  say({ content: [result], role: "tool" }, observation.length);
}

function finished(answer: string, { stepIndex, promptChars }: BareStep, nowMs: number): string {
  const calls = stepIndex + 1;
  return JSON.stringify({
    type: "run_finished",
    stopReason: "final_answer",
    stopConditions: ["final_answer"],
    answer,
    counters: {
      steps: calls,
      modelCalls: calls,
      withdrawnCalls: 0,
      totalTokens: 0,
      largestPromptChars: promptChars,
    },
    abandoned: [],
    at: new Date(nowMs).toISOString(),
  });
}
