import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { consoleEvents, type ConsoleEventsOptions } from "../../adapters/console_events.ts";
import type { RunEvent } from "../../ports/mod.ts";
import type { ActionRecord, StepOutcome, StepRecord } from "../../types/mod.ts";

type Payload<E = RunEvent> = E extends RunEvent ? Omit<E, "runId" | "sequence" | "at"> : never;

/** What a sink writes for events of one run. */
function shown(events: Payload[], options: ConsoleEventsOptions = {}, runId = "demo"): string {
  const bytes: number[] = [];
  const output = {
    writeSync(piece: Uint8Array) {
      const taken = piece.subarray(0, 7); // as a pipe may do
      bytes.push(...taken);
      return taken.length;
    },
  };
  const sink = consoleEvents({ output, ...options });
  for (const [sequence, event] of events.entries()) {
    sink.emit({ ...event, runId, sequence, at: "2026-01-01T00:00:00.000Z" } as RunEvent);
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

const ACTION = {
  actionId: "demo/s0_a0",
  action: { tool: "add", arguments: {} },
  toolName: "add",
  observation: "3",
  observationSynthetic: false,
  toolCompletes: false,
  truncatedChars: 0,
  attempts: 1,
  durationMs: 1,
};

type Executed = Extract<ActionRecord, { readonly status: "executed" }>;

function executed(more: Partial<Omit<Executed, "error">> = {}): Executed {
  return { ...ACTION, status: "executed", failed: false, completed: false, ...more };
}

function recorded(fields: Partial<StepRecord> = {}): Payload {
  const step: StepRecord = {
    stepIndex: 0,
    outcome: "acted",
    modelCallId: "demo/s0",
    modelAttempts: 1,
    actions: [executed()],
    promptChars: 5,
    promptMessages: 1,
    promptDigest: "sha256:0",
    startedAt: "2026-01-01T00:00:00.000Z",
    durationMs: 1_234,
    ...fields,
  };
  return { type: "step_recorded", step };
}

const STARTED: Payload = {
  type: "run_started",
  parameters: { "request.budget.max_steps": "4" },
};
const RESUMED = {
  type: "run_resumed",
  parameters: { "request.budget.max_steps": "4" },
  plan: "next_step",
  recordedSteps: 1,
} as const;
const FINISHED: Payload = {
  type: "run_finished",
  stopReason: "final_answer",
  stopConditions: ["final_answer"],
  counters: { steps: 2, modelCalls: 1, withdrawnCalls: 0, totalTokens: 0, largestPromptChars: 5 },
};

Deno.test("consoleEvents() writes a plain line per step where there is no terminal", () => {
  const answered = recorded({
    stepIndex: 1,
    outcome: "final_answer",
    actions: [],
    decision: { kind: "final_answer", answer: { sum: 3 } },
  });
  assertEquals(
    shown([STARTED, recorded(), answered, FINISHED]),
    `demo started, at most 4 steps
demo step 0: acted in 1.2 s; add → 3
demo step 1: final_answer in 1.2 s: {"sum":3}
demo finished: final_answer (2 steps, 1 model call, 0 tokens)
`,
  );
});

Deno.test("consoleEvents() shows a resumed and a suspended run", () => {
  assertEquals(
    shown([RESUMED, recorded({ stepIndex: 1 }), {
      type: "run_suspended",
      why: "abort",
      waitsFor: { kind: "next_step" },
    }]),
    `demo resumed after 1 step: next_step
demo step 1: acted in 1.2 s; add → 3
demo suspended: resume it to go on
`,
  );
});

Deno.test("consoleEvents() shows every event and outcome on one line each", () => {
  const outcomes: StepOutcome[] = [
    "invalid_decision",
    "model_call_failed",
    "environment_failed",
    "cancelled",
  ];
  const error = { name: "E", message: "broken\nthing" };
  for (const outcome of outcomes) {
    const text = shown([recorded({ outcome, error, actions: [] })]);
    assertEquals(text, `demo step 0: ${outcome} in 1.2 s: E: broken thing\n`);
  }
  const { toolName: _, ...code } = executed({ action: { language: "ts", code: "\n  1\n+ 2" } });
  const text = shown([
    recorded({ actions: [code] }),
    recorded({
      actions: [{ ...ACTION, status: "not_executed", observation: "" }, executed()],
    }),
    recorded({ actions: [executed({ failed: true, observation: "no" })] }),
    recorded({ actions: [], decision: { kind: "invalid", explanation: "what?" } }),
  ]);
  assertEquals(
    text,
    `demo step 0: acted in 1.2 s; 1 + 2 → 3
demo step 0: acted in 1.2 s; add → not_executed: ; add → 3
demo step 0: acted in 1.2 s; add → failed: no
demo step 0: acted in 1.2 s: what?
`,
  );
});

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
    "demo step 0: the model is asked again\n" +
    "░░░░░░░░░░░░░░░░░░░░ 0/4 demo: the model is asked again",
    "░░░░░░░░░░░░░░░░░░░░ 0/4 demo: the model writes, 1 charact…",
    "░░░░░░░░░░░░░░░░░░░░ 0/4 demo: model call replied",
    "░░░░░░░░░░░░░░░░░░░░ 0/4 demo: runs add",
    "demo step 0: acted in 1.2 s; add → 3\n█████░░░░░░░░░░░░░░░ 1/4 demo: next step",
    "demo finished: final_answer (2 steps, 1 model call, 0 token…\n",
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

Deno.test("consoleEvents() uses colours only where it is told to", () => {
  const failed = [executed({ failed: true })];
  const styles: [step: Partial<StepRecord>, style: number][] = [
    [{}, 32],
    [{ actions: failed }, 33],
    [{ outcome: "final_answer", actions: [] }, 32],
    [{ outcome: "environment_failed" }, 31],
    [{ outcome: "cancelled" }, 33],
    [{ outcome: "model_outcome_unknown", actions: [] }, 33],
  ];
  for (const [step, style] of styles) {
    const text = shown([recorded(step)], { color: true });
    assertMatch(text, new RegExp(`^\\x1b\\[${style}mdemo .*\\x1b\\[0m\\n$`));
    assertEquals(shown([recorded(step)]).includes("\x1b"), false);
  }
});

Deno.test("consoleEvents() lets no text act on the terminal", () => {
  const hostile = "a\x1b]0;t\x07\x1b[2J\u009b31m\r\n\x00\x7f\u202eb\u2028c\ud83cd\u{e0041}";
  const decision = { kind: "final_answer", answer: hostile } as const;
  const error = { name: hostile, message: hostile };
  const events: Payload[] = [
    recorded({ actions: [executed({ toolName: hostile, observation: hostile })] }),
    recorded({ actions: [executed({ action: { code: hostile } })] }),
    recorded({ actions: [executed({ action: hostile })] }),
    recorded({ outcome: "final_answer", decision, actions: [] }),
    recorded({
      outcome: "invalid_decision",
      decision: { kind: "invalid", explanation: hostile },
      actions: [],
    }),
    recorded({ outcome: "model_call_failed", error, actions: [] }),
    {
      type: "action_started",
      stepIndex: 0,
      ordinal: 0,
      actionId: "",
      attempt: 1,
      action: hostile,
      toolName: hostile,
    },
  ];
  const whole = shown([STARTED, ...events], { isTerminal: true, color: false, columns: 5_000 });
  const left = whole.replaceAll("\r\x1b[2K", "");
  assertEquals(/(?!\n)[\p{C}\p{Zl}\p{Zp}]/u.test(left), false);
  assertEquals(left.split("\n").length, 1 + events.length);
  assertStringIncludes(
    left,
    "\\u{1b}]0;t\\u{7}\\u{1b}[2J\\u{9b}31m \\u{0}\\u{7f}\\u{202e}b c\\u{d83c}d\\u{e0041}",
  );
});

Deno.test("consoleEvents() cuts a long line by columns and between characters", () => {
  const long = [executed({ observation: "水🌊".repeat(1e6) })];
  const text = shown([recorded({ actions: long })], { columns: 42 });
  assertEquals(text, "demo step 0: acted in 1.2 s; add → 水🌊水…\n");
  const accents = [executed({ observation: "e\u0301".repeat(30) })];
  assertEquals(
    shown([recorded({ actions: accents })], { columns: 42 }),
    `demo step 0: acted in 1.2 s; add → ${"e\u0301".repeat(6)}…\n`,
  );
});

Deno.test("consoleEvents() keeps to 80 columns on a terminal whose size nobody tells", () => {
  const long = [executed({ observation: "x".repeat(60), toolName: "t".repeat(60) })];
  const options = { isTerminal: true, color: false };
  assertEquals(shown([recorded({ actions: long })], options).split("\n")[0]?.length, 80);
  assertEquals(shown([recorded({ actions: long })]).length, 153);
});

Deno.test("consoleEvents() tells several runs apart", () => {
  const texts: string[] = [];
  const output = {
    writeSync: (bytes: Uint8Array) => texts.push(new TextDecoder().decode(bytes)) && bytes.length,
  };
  const sink = consoleEvents({ output });
  for (const runId of ["a", "b"]) {
    sink.emit({ ...STARTED, runId, sequence: 0, at: "" } as RunEvent);
  }
  for (const runId of ["b", "a"]) {
    sink.emit({ ...recorded(), runId, sequence: 1, at: "" } as RunEvent);
  }
  assertEquals(texts.map((text) => text.slice(0, 5)), ["a sta", "b sta", "b ste", "a ste"]);
  assertEquals(sink.parameters(), {});
});
