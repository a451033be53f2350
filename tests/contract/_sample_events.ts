import type { RunEvent } from "../../ports/mod.ts";
import { deepFreeze, digest, type JsonValue, type StepRecord } from "../../types/mod.ts";

type WithoutBase<E> = E extends RunEvent ? Omit<E, "runId" | "sequence" | "at"> : never;
type Payload = WithoutBase<RunEvent>;

/**
 * The events of a run that is suspended after one step, resumed, and finished after a step that failed: every kind is
 * there, with every field and with the least. `text` stands wherever a text is free. They are frozen.
 */
export function sampleEvents(runId: string, text: string): readonly RunEvent[] {
  const parameters = { "request.budget.max_steps": "9", [text]: text };
  return [
    ...numbered(runId, [
      { type: "run_started", parameters },
      ...actedStep(runId, text),
      {
        type: "run_suspended",
        why: "abort",
        waitsFor: { kind: "approval", actionId: `${runId}/s1_a0` },
      },
    ]),
    ...numbered(runId, [
      { type: "run_resumed", parameters, plan: "next_step", recordedSteps: 1 },
      ...failedStep(runId, text),
      {
        type: "run_finished",
        stopReason: "step_budget_exhausted",
        stopConditions: ["step_budget_exhausted", "model_call_budget_exhausted"],
        counters: {
          steps: 2,
          modelCalls: 2,
          withdrawnCalls: 0,
          totalTokens: 15,
          largestPromptChars: 42,
        },
      },
    ]),
  ];
}

function actedStep(runId: string, text: string): readonly Payload[] {
  const stepIndex = 0;
  const call = { stepIndex, callId: `${runId}/s0`, attempt: 1 };
  const action: JsonValue = { tool: text, arguments: { [text]: [text, null, 1] } };
  const actionId = `${runId}/s0_a0`;
  const asked = { stepIndex, ordinal: 0, actionId, toolName: text, by: text };
  return [
    promptAssembled(stepIndex, text),
    { type: "step_started", stepIndex },
    { type: "model_call_started", ...call },
    { type: "model_delta", stepIndex, callId: call.callId, kind: "reasoning", text },
    { type: "model_delta", stepIndex, callId: call.callId, kind: "restart" },
    { type: "model_delta", stepIndex, callId: call.callId, kind: "text", text },
    {
      type: "model_call_finished",
      ...call,
      outcome: "replied",
      durationMs: 12.5,
      finishReason: "tool_calls",
      usage: { inputTokens: 12, outputTokens: 3 },
      servedModel: text,
      responseId: text,
    },
    { type: "approval_requested", ...asked, action },
    { type: "approval_answered", ...asked, allow: true, durationMs: 3_000 },
    { type: "action_started", stepIndex, ordinal: 0, actionId, attempt: 1, action, toolName: text },
    {
      type: "action_finished",
      stepIndex,
      ordinal: 0,
      actionId,
      status: "executed",
      toolName: text,
      failed: true,
      durationMs: 1_500,
    },
    { type: "approval_requested", stepIndex, ordinal: 1, actionId: "a1", action: text, by: text },
    {
      type: "approval_answered",
      stepIndex,
      ordinal: 1,
      actionId: "a1",
      by: text,
      allow: false,
      reason: text,
      durationMs: 0,
    },
    { type: "action_started", stepIndex, ordinal: 1, actionId: "a1", attempt: 2, action: text },
    {
      type: "action_finished",
      stepIndex,
      ordinal: 1,
      actionId: "a1",
      status: "environment_failed",
      durationMs: 0,
    },
    { type: "step_recorded", step: actedRecord(runId, text, action) },
  ];
}

function actedRecord(runId: string, text: string, action: JsonValue): StepRecord {
  const toolCall = { id: text, name: text, arguments: action };
  const result = {
    observation: text,
    observationSynthetic: false,
    toolCompletes: false,
    truncatedChars: 3,
    attempts: 1,
    durationMs: 1_500,
  };
  return {
    stepIndex: 0,
    outcome: "environment_failed",
    modelCallId: `${runId}/s0`,
    modelAttempts: 1,
    reply: {
      text,
      reasoning: text,
      toolCalls: [{ ...toolCall, rawArguments: text }],
      finishReason: "tool_calls",
      rawFinishReason: text,
      usage: { inputTokens: 12, outputTokens: 3 },
      servedModel: text,
      responseId: text,
      providerData: { [text]: text },
    },
    decision: { kind: "action", actions: [{ action, toolName: text, toolCall }, { action: text }] },
    historyText: text,
    actions: [
      {
        ...result,
        actionId: `${runId}/s0_a0`,
        action,
        toolName: text,
        toolCall,
        status: "executed",
        failed: true,
        completed: false,
        error: { name: text, message: text, stack: text },
      },
      {
        ...result,
        actionId: `${runId}/s0_a1`,
        action: text,
        status: "environment_failed",
        error: { name: text, message: text },
        effect: "unknown",
        resolvedBy: text,
      },
    ],
    promptChars: 42,
    promptMessages: 2,
    promptDigest: digest(text),
    startedAt: AT,
    durationMs: 1_600,
  };
}

function failedStep(runId: string, text: string): readonly Payload[] {
  const stepIndex = 1;
  const error = { name: text, message: text };
  const call = { stepIndex, callId: `${runId}/s1`, attempt: 1 };
  return [
    {
      type: "context_edit_failed",
      stepIndex,
      stage: "summarise",
      reason: "call_failed",
      callId: `${call.callId}_c0`,
      error,
    },
    {
      type: "context_edited",
      stepIndex,
      edit: 0,
      stage: "drop_steps",
      steps: [0, 0],
      beforeChars: 900,
      afterChars: 42,
    },
    promptAssembled(stepIndex, text),
    { type: "step_started", stepIndex },
    { type: "model_call_started", ...call },
    { type: "model_call_finished", ...call, outcome: "failed", durationMs: 0, error },
    { type: "usage_unknown", stepIndex, callId: call.callId },
    {
      type: "step_recorded",
      step: {
        stepIndex,
        outcome: "model_call_failed",
        modelCallId: call.callId,
        modelAttempts: 1,
        actions: [],
        observation: text,
        observationSynthetic: true,
        promptChars: 42,
        promptMessages: 2,
        promptDigest: digest(text),
        startedAt: AT,
        durationMs: 0,
        error,
      },
    },
  ];
}

function promptAssembled(stepIndex: number, text: string): Payload {
  const message = { source: "run[0]", size: 21, chain: digest(text) };
  return {
    type: "prompt_assembled",
    stepIndex,
    newMessages: [
      {
        ...message,
        segment: "run_level",
        origin: text,
        version: text,
        trust: text,
        warnings: ["whitespace_only", "cr_present"],
      },
      {
        ...message,
        segment: "history",
        source: `step:${stepIndex}/observation`,
        editedBy: "elide_observations",
        originalSize: 900,
        warnings: [],
      },
    ],
    sharedMessages: 0,
    sharedChars: 0,
    toolsChars: 0,
    totals: { run_level: 21, injection: 0, goal_level: 0, history: 21 },
    promptMessages: 2,
    promptChars: 42,
    promptDigest: digest(text),
    limit: 41,
    verdict: "context_overflow",
    excess: 1,
  };
}

const AT = "2026-01-01T00:00:00.000Z";

function numbered(runId: string, payloads: readonly Payload[]): readonly RunEvent[] {
  return payloads.map((payload, sequence) => {
    const event: RunEvent = { runId, sequence, at: AT, ...payload };
    return deepFreeze(event);
  });
}
