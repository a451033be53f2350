import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  executed,
  FINISHED,
  type Payload,
  recorded,
  RESUMED,
  shown,
  STARTED,
} from "./shown_events.ts";

Deno.test("consoleEvents() has a live line with a progress bar on a terminal", () => {
  const text = shown(
    [
      STARTED,
      { type: "model_call_started", stepIndex: 0, callId: "demo/s0", attempt: 1 },
      { type: "model_delta", stepIndex: 0, callId: "demo/s0", kind: "text", text: "abc" },
      { type: "model_delta", stepIndex: 0, callId: "demo/s0", kind: "restart" },
      { type: "model_delta", stepIndex: 0, callId: "demo/s0", kind: "text", text: "d" },
      {
        type: "model_call_finished",
        stepIndex: 0,
        callId: "",
        attempt: 1,
        outcome: "replied",
        durationMs: 1,
      },
      {
        type: "action_started",
        stepIndex: 0,
        ordinal: 0,
        actionId: "",
        attempt: 1,
        action: {},
        toolName: "add",
      },
      recorded(),
      FINISHED,
    ],
    { isTerminal: true, color: false, columns: 60 },
  );
  const clear = "\r\x1b[2K";
  assertEquals(text.split(clear), [
    "demo started, at most 4 steps\n░░░░░░░░░░░░░░░░░░░░ 0/4 demo: the model thinks",
    "░░░░░░░░░░░░░░░░░░░░ 0/4 demo: the model writes, 3 charact…",
    "demo step 0: the reply begins anew\n" +
    "░░░░░░░░░░░░░░░░░░░░ 0/4 demo: the reply begins anew",
    "░░░░░░░░░░░░░░░░░░░░ 0/4 demo: the model writes, 1 charact…",
    "░░░░░░░░░░░░░░░░░░░░ 0/4 demo: model call replied",
    "░░░░░░░░░░░░░░░░░░░░ 0/4 demo: runs add",
    "demo step 0: acted in 1.2 s; add → 3\n█████░░░░░░░░░░░░░░░ 1/4 demo: next step",
    "demo finished: final_answer (2 steps, 1 model call, tokens …\n",
  ]);
});

Deno.test("consoleEvents() goes on with the progress bar after a resume", () => {
  const resumed: Payload = { ...RESUMED, recordedSteps: 3 };
  const text = shown([resumed, {
    type: "model_call_started",
    stepIndex: 3,
    callId: "",
    attempt: 1,
  }], {
    isTerminal: true,
    color: false,
  });
  assertStringIncludes(text, "███████████████░░░░░ 3/4 demo: the model thinks");
});

Deno.test("consoleEvents() keeps the bar within its bounds", () => {
  for (
    const [maxSteps, steps] of [["0", 0], ["1", 5], ["1000000", 1], ["x", 1], ["-1", 1]] as const
  ) {
    const started: Payload = {
      type: "run_started",
      parameters: { "request.budget.max_steps": maxSteps },
    };
    const text = shown([started, recorded({ stepIndex: steps })], {
      isTerminal: true,
      color: false,
    });
    const bar = /[█░]+/.exec(text)?.[0];
    assert(bar === undefined ? maxSteps === "x" || maxSteps === "-1" : bar.length === 20, text);
  }
});

Deno.test("consoleEvents() tells that an action waits for approval", () => {
  const asked = { stepIndex: 0, ordinal: 0, actionId: "", by: "me", toolName: "add" };
  const text = shown([
    STARTED,
    { type: "approval_requested", ...asked, action: {} },
    { type: "approval_answered", ...asked, allow: false, durationMs: 1 },
  ], { isTerminal: true, color: false });
  assertStringIncludes(text, "demo: waits for approval of add");
  assertStringIncludes(text, "demo: denied");
});

Deno.test("consoleEvents() keeps to 80 columns on a terminal whose size nobody tells", () => {
  const long = [executed({ observation: "x".repeat(60), toolName: "t".repeat(60) })];
  const options = { isTerminal: true, color: false };
  assertEquals(shown([recorded({ actions: long })], options).split("\n")[0]?.length, 80);
  assertEquals(shown([recorded({ actions: long })]).length, 153);
});
