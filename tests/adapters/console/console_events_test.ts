import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { consoleEvents, type ConsoleEventsOptions } from "../../../adapters/console_events.ts";
import type { RunEvent } from "../../../ports/mod.ts";
import type { StepOutcome, StepRecord } from "../../../types/mod.ts";
import {
  ACTION,
  executed,
  FINISHED,
  type Payload,
  recorded,
  RESUMED,
  shown,
  STARTED,
} from "./shown_events.ts";

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
demo finished: final_answer (2 steps, 1 model call, tokens not reported)
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
    `demo resumed after 1 step: the next step begins
demo step 1: acted in 1.2 s; add → 3
demo suspended: resume it to go on
`,
  );
});

Deno.test("consoleEvents() shows edits of the prompt and summaries that failed, a line each", () => {
  assertEquals(
    shown([
      {
        type: "context_edited",
        stepIndex: 7,
        edit: 0,
        stage: "drop_steps",
        steps: [0, 3],
        beforeChars: 900,
        afterChars: 300,
      },
      {
        type: "context_edit_failed",
        stepIndex: 7,
        stage: "summarise",
        reason: "call_failed",
        error: { name: "E", message: "no\nserver" },
      },
      { type: "context_edit_failed", stepIndex: 8, stage: "summarise", reason: "too_few_calls" },
    ]),
    `demo step 7: prompt edited, drop_steps in steps 0 to 3: 900 → 300 characters
demo step 7: steps not summed up, call_failed: no server
demo step 8: steps not summed up, too_few_calls
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

Deno.test("consoleEvents() shows stacks below their line, where it is to be verbose", () => {
  const error = { name: "E", message: "m", stack: "E: m\n    at f (file:///a.ts:1:2)\n\x1b[2J" };
  const { failed: _, ...ran } = executed();
  const suspended = { type: "run_suspended", waitsFor: { kind: "decision" } } as const;
  const events: Payload[] = [
    recorded({ actions: [{ ...ran, failed: true, error }, executed()] }),
    { ...suspended, why: "error", error },
    { ...suspended, why: "abort" },
  ];
  const lines = (options: ConsoleEventsOptions) => shown(events, options).trimEnd().split("\n");
  const stack = ["demo   E: m", "demo   at f (file:///a.ts:1:2)", "demo   \\u{1b}[2J"];
  const [step = "", thrown = "", abort = ""] = lines({});
  assertEquals(lines({ verbose: true }), [step, ...stack, thrown, ...stack, abort]);
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
