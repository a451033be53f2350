import { assert, assertEquals } from "@std/assert";
import {
  advance,
  type OpenStep,
  planRecovery,
  type RecoveryPolicies,
  startPosition,
  type UnsettledAction,
} from "../../../logic/_recovery/mod.ts";
import {
  checkShape,
  type LogRecord,
  logRecordShape,
  RECOVERY_PLANS,
  type RecoveryPlan,
  REPLAY_POLICIES,
  type ReplayPolicy,
} from "../../../types/mod.ts";
import { type Awaits, RUN_ID } from "./legal_calls.ts";
import { legalLogs } from "./legal_logs.ts";

/** The table of resume, written down again. */
function expectedPlan(
  awaits: Awaits,
  modelCall: ReplayPolicy,
  openAction: ReplayPolicy,
  canResolve: boolean,
): RecoveryPlan {
  if (typeof awaits === "object") {
    const both = awaits.outcomeOf === "replayable" && openAction === "replayable";
    return both ? "replay_action" : canResolve ? "resolve_action" : "record_unknown_action";
  }
  const plans = {
    step: "next_step",
    reply: modelCall === "replayable" ? "replay_call" : "record_unknown_call",
    call: "ask_again",
    decision: "interpret",
    action: "next_action",
    end: "record_step",
    nothing: "return_result",
  } as const;
  return plans[awaits];
}

Deno.test("planRecovery() gives the plan that is due for every prefix of every legal log", () => {
  let prefixes = 0;
  for (const log of legalLogs()) {
    let position = startPosition(RUN_ID);
    for (const { record, awaits } of log) {
      assert(checkShape(record, logRecordShape).ok);
      position = advance(position, record, 0);
      for (const modelCall of REPLAY_POLICIES) {
        for (const openAction of REPLAY_POLICIES) {
          for (const canResolve of [false, true]) {
            const policies = {
              modelCall,
              openAction: () => openAction,
              concurrent: () => true,
              canResolve,
            };
            const { kind } = planRecovery(position, policies);
            const expected = expectedPlan(awaits, modelCall, openAction, canResolve);
            if (kind !== expected) assertEquals(kind, expected, JSON.stringify(log));
          }
        }
      }
      prefixes++;
    }
  }
  assert(prefixes > 20_000, `only ${prefixes} prefixes`);
});

/** Nothing may be replayed; somebody can be asked. */
const NOTHING_KNOWN: RecoveryPolicies = {
  modelCall: "never",
  openAction: () => "never",
  concurrent: () => false,
  canResolve: true,
};

Deno.test("planRecovery() gives with each plan what the log holds for it, and nothing older", () => {
  const seen = new Set<string>();
  for (const log of legalLogs()) {
    let position = startPosition(RUN_ID);
    for (const [at, { record }] of log.entries()) {
      position = advance(position, record, 0);
      const next = planRecovery(position, NOTHING_KNOWN);
      seen.add(next.kind);
      const before = log.slice(0, at + 1).map(({ record }) => record);
      if ("actions" in next) {
        assertEquals(next.actions.map(actionFacts), [expectedAction(before)]);
      } else if ("action" in next) assertEquals(actionFacts(next.action), expectedAction(before));
      else if ("step" in next) assertEquals(stepFacts(next.step), expectedStep(before));
      else if ("finished" in next) assertEquals(next.finished, record);
    }
  }
  const kinds = RECOVERY_PLANS.filter((kind) =>
    !["replay_call", "replay_action", "record_unknown_action", "edit"].includes(kind)
  );
  assertEquals([...seen].sort(), [...kinds].sort());
});

function actionFacts({ stepIndex, ordinal, actionId, planned, ...rest }: UnsettledAction) {
  return { stepIndex, ordinal, actionId, planned, intent: "intent" in rest && rest.intent };
}

/** The action that comes next: its step is the last that was begun, and all before it have their result. */
function expectedAction(records: readonly LogRecord[]) {
  const stepIndex = lastOf(records, "model_call_intent").stepIndex;
  const ordinal =
    records.filter((record) => record.type === "action_result" && record.stepIndex === stepIndex)
      .length;
  const { decision } = lastOf(records, "decision");
  assert(decision.kind === "action");
  const last = records.at(-1)!;
  return {
    stepIndex,
    ordinal,
    actionId: `${RUN_ID}/s${stepIndex}_a${ordinal}`,
    planned: decision.actions[ordinal],
    intent: last.type === "action_intent" && last,
  };
}

function stepFacts(step: OpenStep) {
  const { stepIndex, attempts, intent } = step;
  return {
    stepIndex,
    attempts,
    intent,
    reply: "reply" in step ? step.reply : undefined,
    decision: step.phase === "decided" ? step.decision : undefined,
  };
}

/** The open step, as its own records say. */
function expectedStep(records: readonly LogRecord[]) {
  const { stepIndex, attempt } = lastOf(records, "model_call_intent");
  const own = records.filter((record) => "stepIndex" in record && record.stepIndex === stepIndex);
  return {
    stepIndex,
    attempts: attempt,
    intent: own.findLast(({ type }) => type === "model_call_intent"),
    reply: own.find((record) => record.type === "model_reply")?.reply,
    decision: own.find((record) => record.type === "decision")?.decision,
  };
}

function lastOf<T extends LogRecord["type"]>(records: readonly LogRecord[], type: T) {
  const found = records.findLast((record): record is Extract<LogRecord, { type: T }> =>
    record.type === type
  );
  assert(found !== undefined);
  return found;
}
