import { digest, type LogRecord } from "../../../types/mod.ts";

const AT = "2026-01-01T00:00:00.000Z";
const HOSTILE = JSON.parse('{"__proto__":{"x":1},"\\ud83c":"\\ud83c 🌊 \\u2028"}');

const ERROR = {
  name: "E",
  message: "m",
  kind: "server",
  retriable: false,
  retries: [{ error: { name: "E", message: "m", retriable: true }, waitedMs: 0.5 }],
} as const;

/** What action results of every status have. */
const RESULT = {
  type: "action_result",
  stepIndex: 0,
  ordinal: 0,
  actionId: "r/s0_a0",
  observation: "🌊",
  observationSynthetic: false,
  toolCompletes: false,
  truncatedChars: 3,
  durationMs: 1.25,
  resolvedBy: "ops",
} as const;

/** One record of each kind, and of each status of a result, with every field that it may have. */
export const FULL_RECORDS: readonly LogRecord[] = [
  {
    type: "run_started",
    runId: "r",
    parameters: { key: "x" },
    contextDigest: digest(""),
    inputs: {
      context: {
        runLevel: [{
          role: "system",
          content: [
            { type: "text", text: "t" },
            { type: "tool_call", toolCallId: "s0_a0", name: "n", arguments: HOSTILE },
            { type: "tool_result", toolCallId: "s0_a0", text: "t", isError: true },
          ],
          providerData: [HOSTILE],
          provenance: { source: "s", version: "1", trust: "low" },
        }],
        goalLevel: [],
      },
      injections: {
        channel: [{ entryId: "e", content: "c", provenance: { source: "s", version: "1" } }],
        empty: [],
      },
      tools: [{ name: "n", description: "d", parameters: { type: "object" } }],
    },
    runtime: { polyloop: "0.1.0", deno: "Deno/2.9.6" },
    at: AT,
  },
  {
    type: "model_call_intent",
    stepIndex: 0,
    callId: "r/s0",
    attempt: 1,
    promptDigest: digest(""),
    promptChars: 1,
    promptMessages: 1,
    at: AT,
  },
  {
    type: "model_reply",
    stepIndex: 0,
    callId: "r/s0",
    attempt: 1,
    reply: {
      text: "\ud83c",
      reasoning: "r",
      toolCalls: [{
        id: "i",
        name: "n",
        arguments: null,
        rawArguments: "{",
        argumentsError: "cut off",
      }],
      finishReason: "tool_calls",
      rawFinishReason: "x",
      usage: {
        inputTokens: 1.5,
        outputTokens: 0,
        cachedInputTokens: 1,
        cacheWriteTokens: 2,
        reasoningTokens: 3,
      },
      servedModel: "m",
      responseId: "i",
      providerData: HOSTILE,
      retries: [{ error: { name: "E", message: "m", kind: "timeout" }, waitedMs: 0 }],
      servedBy: 1,
    },
  },
  {
    type: "decision",
    stepIndex: 0,
    decision: {
      kind: "action",
      actions: [
        { action: HOSTILE, toolName: "n", toolCall: { id: "i", name: "n", arguments: [] } },
        { action: null },
      ],
    },
    historyText: "",
  },
  {
    type: "action_intent",
    stepIndex: 0,
    ordinal: 0,
    actionId: "r/s0_a0",
    attempt: 1,
    replayPolicy: "replayable",
    resolvedBy: "ops",
    at: AT,
  },
  { ...RESULT, status: "executed", failed: true, completed: true },
  { ...RESULT, status: "not_executed", denial: { by: "human", reason: "no" } },
  { ...RESULT, status: "environment_failed", error: ERROR },
  { ...RESULT, status: "unknown" },
  {
    type: "step",
    stepIndex: 0,
    outcome: "acted",
    durationMs: 0,
    observation: "o",
    observationSynthetic: true,
    error: { name: "E", message: "m" },
  },
  {
    type: "run_finished",
    stopReason: "environment_completed",
    stopConditions: ["environment_completed", "final_answer"],
    answer: { a: [null] },
    counters: { steps: 1, modelCalls: 1, totalTokens: 1.5, largestPromptChars: 1 },
    abandoned: ["r/s0"],
    promptChars: 9,
    at: AT,
  },
];

/** The fields that may be left out, by kind and path; every other field is required. */
export const OPTIONAL_FIELDS: readonly string[] = [
  "run_started.inputs",
  "run_started.inputs.context.runLevel[].providerData",
  "run_started.inputs.context.runLevel[].provenance",
  "run_started.inputs.context.runLevel[].provenance.trust",
  "run_started.inputs.injections.channel[].provenance",
  "run_started.inputs.tools",
  "run_started.runtime.deno",
  "model_reply.reply.reasoning",
  "model_reply.reply.toolCalls",
  "model_reply.reply.toolCalls[].id",
  "model_reply.reply.toolCalls[].argumentsError",
  "model_reply.reply.finishReason",
  "model_reply.reply.rawFinishReason",
  "model_reply.reply.usage",
  "model_reply.reply.usage.inputTokens",
  "model_reply.reply.usage.outputTokens",
  "model_reply.reply.usage.cachedInputTokens",
  "model_reply.reply.usage.cacheWriteTokens",
  "model_reply.reply.usage.reasoningTokens",
  "model_reply.reply.servedModel",
  "model_reply.reply.responseId",
  "model_reply.reply.providerData",
  "model_reply.reply.retries",
  "model_reply.reply.retries[].error.kind",
  "model_reply.reply.servedBy",
  "decision.decision.actions[].toolName",
  "decision.decision.actions[].toolCall",
  "decision.decision.actions[].toolCall.id",
  "action_intent.resolvedBy",
  "action_result.error",
  "action_result.error.kind",
  "action_result.error.retriable",
  "action_result.error.retries",
  "action_result.error.retries[].error.retriable",
  "action_result.denial",
  "action_result.denial.reason",
  "action_result.resolvedBy",
  "step.observation",
  "step.observationSynthetic",
  "step.error",
  "run_finished.answer",
  "run_finished.promptChars",
];

/** The maps, whose keys are the caller's, and the fields that hold any JSON. */
export const MAPS: readonly string[] = ["run_started.parameters", "run_started.inputs.injections"];
export const ANY_JSON: readonly string[] = [
  "run_started.inputs.context.runLevel[].content[].arguments",
  "run_started.inputs.context.runLevel[].providerData",
  "run_started.inputs.tools[].parameters",
  "model_reply.reply.toolCalls[].arguments",
  "model_reply.reply.providerData",
  "decision.decision.actions[].action",
  "decision.decision.actions[].toolCall.arguments",
  "run_finished.answer",
];

/** The fields that hold one of a union's members. */
export const UNION_FIELDS: readonly string[] = [
  "type",
  "inputs.context.runLevel[].role",
  "inputs.context.runLevel[].content[].type",
  "reply.finishReason",
  "reply.retries[].error.kind",
  "error.kind",
  "decision.kind",
  "replayPolicy",
  "status",
  "outcome",
  "stopReason",
  "stopConditions[]",
];
