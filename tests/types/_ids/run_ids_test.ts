import { assertEquals } from "@std/assert";
import { actionId, callId, historyCallId, historyStepOf } from "../../../types/mod.ts";

Deno.test("callId() and actionId() are of the run, the step and the action alone", () => {
  assertEquals(callId("r", 4), "r/s4");
  assertEquals(actionId("r", 4, 1), "r/s4_a1");
});

Deno.test("historyStepOf() reads what historyCallId() gives, and nothing else", () => {
  assertEquals(historyCallId(4, 10), "s4_a10");
  assertEquals([historyStepOf(historyCallId(0, 0)), historyStepOf(historyCallId(12, 3))], [0, 12]);
  for (const id of ["", "s4", "s4_a", "r/s4_a0", "s4_a0\n", "s-1_a0", "S4_A0", "call_0"]) {
    assertEquals(historyStepOf(id), undefined, JSON.stringify(id));
  }
});
