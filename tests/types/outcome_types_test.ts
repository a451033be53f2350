/**
 * Only what ran can have failed by itself, or have reached the goal: the compiler refuses any other outcome, however it
 * is put together. A `@ts-expect-error` over a line without an error is one itself.
 *
 * @module
 */
import { assert } from "@std/assert";
import {
  type ActionOutcome,
  actionOutcomeShape,
  type ActionResultRecord,
  checkShape,
  type ExecutedOutcome,
  logRecordShape,
} from "../../types/mod.ts";

const SEEN = { observation: "o", observationSynthetic: false, truncatedChars: 0 };
const EXECUTED: ExecutedOutcome = { ...SEEN, status: "executed", failed: false, completed: true };
const RECORDED = {
  type: "action_result",
  stepIndex: 0,
  ordinal: 0,
  actionId: "r/s0_a0",
  toolCompletes: false,
  durationMs: 0,
} as const;

const ERROR = { name: "E", message: "m", stack: "E: m" };

const LIES: readonly ActionOutcome[] = [
  // @ts-expect-error: what was not executed cannot have reached the goal
  { ...SEEN, status: "not_executed", completed: true },
  // @ts-expect-error: nor can it have failed
  { ...SEEN, status: "not_executed", failed: false },
  // @ts-expect-error: a broken environment cannot say that the goal is reached
  { ...SEEN, status: "environment_failed", completed: false },
  // @ts-expect-error: another status does not make another outcome of it
  { ...EXECUTED, status: "not_executed" },
  // @ts-expect-error: what was executed failed or did not
  { ...SEEN, status: "executed", completed: false },
  // @ts-expect-error: an executor always knows
  { ...SEEN, status: "unknown" },
  // @ts-expect-error: only what failed has an error
  { ...SEEN, status: "executed", failed: false, completed: false, error: ERROR },
  // @ts-expect-error: what was refused did not fail with anything
  { ...SEEN, status: "not_executed", error: ERROR },
  // @ts-expect-error: of what ran it is known that it did
  { ...SEEN, status: "executed", failed: true, completed: false, effect: "unknown" },
];

const RECORDED_LIES: readonly ActionResultRecord[] = [
  // @ts-expect-error: what was not executed cannot have reached the goal
  { ...RECORDED, ...SEEN, status: "not_executed", completed: true },
  // @ts-expect-error: nor can that of which nobody knows
  { ...RECORDED, ...EXECUTED, status: "unknown" },
  // @ts-expect-error: what was executed was not denied
  { ...RECORDED, ...SEEN, status: "executed", failed: false, completed: true, denial: { by: "m" } },
  // @ts-expect-error: an executor that threw broke the environment
  { ...RECORDED, ...SEEN, status: "unknown", error: { name: "E", message: "m" } },
];

Deno.test("ActionOutcome and the records made of it cannot lie, and neither can their shapes", () => {
  for (const lie of LIES) assert(!checkShape(lie, actionOutcomeShape).ok, JSON.stringify(lie));
  for (const lie of RECORDED_LIES) assert(!checkShape(lie, logRecordShape).ok, JSON.stringify(lie));
  const truths: readonly ActionOutcome[] = [
    EXECUTED,
    { ...SEEN, status: "executed", failed: true, completed: false, error: ERROR },
    { ...SEEN, status: "environment_failed", error: ERROR },
    { ...SEEN, status: "environment_failed", effect: "unknown" },
  ];
  for (const truth of truths) assert(checkShape(truth, actionOutcomeShape).ok);
  assert(checkShape({ ...RECORDED, ...EXECUTED }, logRecordShape).ok);
});
