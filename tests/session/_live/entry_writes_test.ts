/**
 * An intent cannot be written without a barrier: the compiler refuses the table that would. A `@ts-expect-error` over a
 * line without an error is one itself.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import { ENTRY_WRITES, type EntryWrites } from "../../../session/_live/journal.ts";
import { LOG_RECORD_TYPES } from "../../../types/mod.ts";

const { action_result: outcome } = ENTRY_WRITES;

const WITHOUT_BARRIER: readonly EntryWrites[] = [
  // @ts-expect-error: the model would be called before its intent is on the disk
  { ...ENTRY_WRITES, model_call_intent: outcome },
  // @ts-expect-error: the action would be executed before its intent is on the disk
  { ...ENTRY_WRITES, action_intent: outcome },
  // @ts-expect-error: a run that has started is on the disk
  { ...ENTRY_WRITES, run_started: outcome },
  // @ts-expect-error: and so is its result
  { ...ENTRY_WRITES, run_finished: outcome },
];

Deno.test("ENTRY_WRITES has a barrier for each intent, the start and the finish, and for nothing else", () => {
  const barriers = LOG_RECORD_TYPES.filter((type) => ENTRY_WRITES[type].isBarrier);
  assertEquals(barriers, ["run_started", "model_call_intent", "action_intent", "run_finished"]);
  assertEquals(WITHOUT_BARRIER.length, 4);
});
