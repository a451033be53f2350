import { assert, assertEquals } from "@std/assert";
import { advance, planRecovery, startPosition } from "../../../logic/_recovery/mod.ts";
import {
  checkShape,
  logRecordShape,
  type RecoveryPlan,
  REPLAY_POLICIES,
  type ReplayPolicy,
} from "../../../types/mod.ts";
import { type Awaits, legalLogs, RUN_ID } from "./legal_logs.ts";

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
    decision: "interpret",
    action: "next_action",
    end: "record_step",
    nothing: "return_result",
  } as const;
  return plans[awaits];
}

Deno.test("planRecovery() gives the plan of the design for every prefix of every legal log", () => {
  let prefixes = 0;
  for (const log of legalLogs()) {
    let position = startPosition(RUN_ID);
    for (const { record, awaits } of log) {
      assert(checkShape(record, logRecordShape).ok);
      position = advance(position, record, 0);
      for (const modelCall of REPLAY_POLICIES) {
        for (const openAction of REPLAY_POLICIES) {
          for (const canResolve of [false, true]) {
            const plan = planRecovery(position, { modelCall, openAction, canResolve });
            const expected = expectedPlan(awaits, modelCall, openAction, canResolve);
            if (plan !== expected) assertEquals(plan, expected, JSON.stringify(log));
          }
        }
      }
      prefixes++;
    }
  }
  assert(prefixes > 20_000, `only ${prefixes} prefixes`);
});
