import { assertEquals } from "@std/assert";
import {
  type ActionRecord,
  paint,
  STEP_OUTCOMES,
  type StepOutcome,
  stepStyle,
  type Style,
} from "../../../types/mod.ts";

Deno.test("paint() adds nothing where there are no colours", () => {
  assertEquals(paint({ hasColor: false }, "bad", "no"), "no");
  assertEquals(paint({ hasColor: true }, "bad", "no"), "\x1b[31mno\x1b[0m");
});

const ACTION = {
  actionId: "r/s0_a0",
  action: {},
  observation: "",
  observationSynthetic: false,
  toolCompletes: false,
  truncatedChars: 0,
  attempts: 1,
  durationMs: 0,
};

Deno.test("stepStyle() is good for what was done, odd for what was stopped or is not known, else bad", () => {
  const styles: Record<Style, StepOutcome[]> = {
    good: [],
    odd: [],
    bad: [],
    faint: [],
    strong: [],
  };
  for (const outcome of STEP_OUTCOMES) styles[stepStyle({ outcome, actions: [] })].push(outcome);
  assertEquals(styles, {
    good: ["acted", "final_answer"],
    odd: ["model_outcome_unknown", "action_outcome_unknown", "cancelled"],
    bad: ["invalid_decision", "model_call_failed", "environment_failed"],
    faint: [],
    strong: [],
  });
});

Deno.test("stepStyle() is odd for a step with an action that failed or never ran", () => {
  const executed = { ...ACTION, status: "executed", failed: false, completed: false } as const;
  const of = (action: ActionRecord) => stepStyle({ outcome: "acted", actions: [executed, action] });
  assertEquals(of(executed), "good");
  assertEquals(of({ ...executed, failed: true }), "odd");
  assertEquals(of({ ...ACTION, status: "not_executed" }), "odd");
});
