import { REPLAY_POLICIES } from "../replay_policy.ts";
import type { LogRecord, RunInputs, RuntimeInfo } from "../log_record.ts";
import { STEP_OUTCOMES } from "../step_record.ts";
import { STOP_REASONS } from "../stop_reason.ts";
import { actionResultRecordShape } from "./action_shapes.ts";
import { runCountersShape } from "./budget_shapes.ts";
import { arrayShape, mapShape } from "./collection_shapes.ts";
import { contextEditFailedShape, contextEditShape } from "./context_shapes.ts";
import { decisionShape } from "./decision_shape.ts";
import { errorInfoShape } from "./error_info_shape.ts";
import { injectionShape, runContextShape, toolSchemaShape } from "./message_shapes.ts";
import { modelReplyShape } from "./model_reply_shape.ts";
import { objectShape, optionalField } from "./object_shape.ts";
import { redactionNoteShape } from "./redaction_note_shape.ts";
import { parentActionShape, runOriginShape } from "./run_origin_shapes.ts";
import {
  amountShape,
  booleanShape,
  countShape,
  digestShape,
  instantShape,
  jsonShape,
  literalShape,
  memberShape,
  stringShape,
  wholeNumberShape,
} from "./scalar_shapes.ts";
import type { Shape } from "./shape.ts";
import { type UnionMembers, unionShape } from "./union_shapes.ts";

/** The number of an attempt. */
export const attemptShape: Shape<number> = wholeNumberShape(1);

const runInputsShape: Shape<RunInputs> = objectShape({
  context: runContextShape,
  injections: mapShape(arrayShape(injectionShape)),
  tools: optionalField(arrayShape(toolSchemaShape)),
  report: optionalField(mapShape(jsonShape)),
});

const runtimeInfoShape: Shape<RuntimeInfo> = objectShape({
  polyloop: stringShape,
  deno: optionalField(stringShape),
  runtime: optionalField(stringShape),
});

/** The shape of each kind of {@link LogRecord}. */
export const logRecordShapes: UnionMembers<LogRecord, "type"> = {
  run_started: objectShape({
    type: literalShape("run_started"),
    runId: stringShape,
    parameters: mapShape(stringShape),
    contextDigest: digestShape,
    inputs: optionalField(runInputsShape),
    derivedFrom: optionalField(runOriginShape),
    parent: optionalField(parentActionShape),
    redactedFrom: optionalField(redactionNoteShape),
    runtime: runtimeInfoShape,
    at: instantShape,
  }),
  context_edit: contextEditShape,
  context_edit_failed: contextEditFailedShape,
  model_call_intent: objectShape({
    type: literalShape("model_call_intent"),
    stepIndex: countShape,
    callId: stringShape,
    purpose: optionalField(literalShape("summary")),
    attempt: attemptShape,
    promptDigest: digestShape,
    promptChars: countShape,
    promptMessages: countShape,
    at: instantShape,
  }),
  model_call_withdrawn: objectShape({
    type: literalShape("model_call_withdrawn"),
    stepIndex: countShape,
    callId: stringShape,
    purpose: optionalField(literalShape("summary")),
    attempt: attemptShape,
    reason: memberShape(["suspended", "failed"]),
    error: optionalField(errorInfoShape),
    durationMs: amountShape,
    at: instantShape,
  }),
  model_reply: objectShape({
    type: literalShape("model_reply"),
    stepIndex: countShape,
    callId: stringShape,
    purpose: optionalField(literalShape("summary")),
    attempt: attemptShape,
    reply: modelReplyShape,
  }),
  decision: objectShape({
    type: literalShape("decision"),
    stepIndex: countShape,
    decision: decisionShape,
    historyText: stringShape,
  }),
  action_intent: objectShape({
    type: literalShape("action_intent"),
    stepIndex: countShape,
    ordinal: countShape,
    actionId: stringShape,
    attempt: attemptShape,
    replayPolicy: memberShape(REPLAY_POLICIES),
    resolvedBy: optionalField(stringShape),
    at: instantShape,
  }),
  action_withdrawn: objectShape({
    type: literalShape("action_withdrawn"),
    stepIndex: countShape,
    ordinal: countShape,
    actionId: stringShape,
    attempt: attemptShape,
    at: instantShape,
  }),
  action_result: actionResultRecordShape,
  step: objectShape({
    type: literalShape("step"),
    stepIndex: countShape,
    outcome: memberShape(STEP_OUTCOMES),
    observation: optionalField(stringShape),
    observationSynthetic: optionalField(booleanShape),
    durationMs: amountShape,
    error: optionalField(errorInfoShape),
  }),
  run_finished: objectShape({
    type: literalShape("run_finished"),
    stopReason: memberShape(STOP_REASONS),
    stopConditions: arrayShape(memberShape(STOP_REASONS), 1),
    answer: optionalField(jsonShape),
    counters: runCountersShape,
    abandoned: arrayShape(stringShape),
    promptChars: optionalField(countShape),
    at: instantShape,
  }),
};

/** The shape of a {@link LogRecord}. */
export const logRecordShape: Shape<LogRecord> = unionShape("type", logRecordShapes);
