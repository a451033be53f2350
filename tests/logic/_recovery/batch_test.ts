import { assertEquals, assertThrows } from "@std/assert";
import {
  advance,
  type Next,
  planRecovery,
  type Position,
  startPosition,
} from "../../../logic/_recovery/mod.ts";
import {
  type ActionResultRecord,
  type LogRecord,
  RunLogCorruptError,
  type StepOutcome,
} from "../../../types/mod.ts";
import { AT, call, RUN_ID } from "./legal_calls.ts";
import { logOf } from "./legal_logs.ts";

/** A step of four actions, decided; as many as `max` of them may run at once. */
function decided(max: number): Position {
  const [started] = logOf([], false).map(({ record }) => record);
  const actions = [0, 1, 2, 3].map((i) => ({
    action: i,
    toolCall: { name: "do", arguments: { i } },
  }));
  return [
    {
      ...started,
      parameters: {
        "request.tool_protocol": "native",
        "request.max_concurrent_actions": String(max),
      },
    },
    call(0, 1).record,
    { type: "model_reply", stepIndex: 0, callId: "r/s0", attempt: 1, reply: { text: "" } },
    { type: "decision", stepIndex: 0, decision: { kind: "action", actions }, historyText: "" },
  ].reduce(
    (position, record, seq) => advance(position, record as LogRecord, seq),
    startPosition(RUN_ID),
  );
}

/**
 * A record, by its letter and the ordinal of its action: the intent of one that may be replayed (`i`), of one that must
 * not be (`n`), of one that somebody says has not happened (`s`); a withdrawal (`w`); a result: executed (`x`), refused
 * (`r`), completed (`c`), broken (`b`), unknown (`u`). The intents of an action are counted.
 */
function recordOf(word: string, attempts: Map<number, number>): LogRecord {
  const [letter, digit] = [...word];
  const ordinal = Number(digit);
  const which = { stepIndex: 0, ordinal, actionId: `${RUN_ID}/s0_a${ordinal}` };
  const attempt = (attempts.get(ordinal) ?? 0) + ("ins".includes(letter!) ? 1 : 0);
  attempts.set(ordinal, attempt);
  const replayPolicy = letter === "i" ? "replayable" : "never";
  const intent = { type: "action_intent", ...which, attempt, replayPolicy, at: AT } as const;
  switch (letter) {
    case "i":
    case "n":
      return intent;
    case "s":
      return { ...intent, resolvedBy: "ops" };
    case "w":
      return { type: "action_withdrawn", ...which, attempt, at: AT };
    default:
      return resultOf(which, letter!);
  }
}

function resultOf(
  which: Pick<ActionResultRecord, "stepIndex" | "ordinal" | "actionId">,
  letter: string,
): ActionResultRecord {
  const rest = {
    type: "action_result",
    ...which,
    observation: "o",
    observationSynthetic: false,
    toolCompletes: false,
    truncatedChars: 0,
    durationMs: 0,
  } as const;
  const statuses = { r: "not_executed", b: "environment_failed", u: "unknown" } as const;
  return letter === "x" || letter === "c"
    ? { ...rest, status: "executed", failed: false, completed: letter === "c" }
    : { ...rest, status: statuses[letter as keyof typeof statuses] };
}

/** The position after words; `|` ends an entry. */
function after(max: number, text: string): Position {
  const attempts = new Map<number, number>();
  let [position, seq] = [decided(max), 9];
  for (const word of text.split(" ")) {
    if (word === "|") seq++;
    else position = advance(position, recordOf(word, attempts), seq);
  }
  return position;
}

/** How many actions may run at once, what a log has of a step, and what comes next. */
const LEGAL: readonly (readonly [number, string, string])[] = [
  [1, "n0 | x0 n1 | x1", "next_action 2"],
  [2, "i0 i1", "replay_action 0 1"],
  [2, "i0 n1", "record_unknown_action 1"],
  [2, "n0 i1", "record_unknown_action 0"],
  [2, "i0 i1 | x1", "replay_action 0"],
  [2, "n0 n1 | x1 | x0", "next_action 2 3"],
  [2, "n0 n1 | x1 | x0 n2 n3 | x2 | x3", "record_step"],
  [3, "n0 n1 n2 | x2 | x0 | x1", "next_action 3"],
  [4, "n0 n1 n2 n3 | x3 | x2 | x1 | x0", "record_step"],
  [3, "i0 i1 i2 | x1 | i0 i2", "replay_action 0 2"],
  [3, "i0 n1 i2 | u1", "replay_action 0 2"],
  [3, "i0 n1 i2 | u1 i0 i2 | x2 | x0", "record_step"],
  [3, "i0 i1 i2 | b1", "replay_action 0 2"],
  [3, "i0 i1 i2 | b1 | x0 | x2 r3", "record_step"],
  [3, "i0 i1 i2 | c0 | x1 | x2 r3", "record_step"],
  [3, "r1", "next_action 0 2"],
  [3, "r1 n0 n2 | x2 | x0", "next_action 3"],
  [3, "r2 n0 n1 | x0 | x1", "next_action 3"],
  [3, "r0 r1", "next_action 2 3"],
  [3, "r0 r1 r2 n3 | x3", "record_step"],
  [2, "n0 n1 | w0 w1", "next_action 0 1"],
  [2, "n0 n1 | w0 w1 | n0 n1 | x0 | x1", "next_action 2 3"],
  [2, "i0 i1 | w1", "replay_action 0"],
  [2, "i0 i1 | w1 | x0", "next_action 1 2"],
  [2, "i0 i1 | w1 | b0 r1 r2 r3", "record_step"],
  [2, "i0 i1 | i0 i1 | w0 w1", "replay_action 0 1"],
  [2, "n0 n1 | s0 | x0 | s1 | x1", "next_action 2 3"],
];

for (const [max, text, next] of LEGAL) {
  Deno.test(`advance() reads ${text} with ${max} at once, and ${next} comes next`, () => {
    const plan = planRecovery(after(max, text), {
      modelCall: "never",
      openAction: () => "replayable",
      concurrent: () => true,
      canResolve: false,
    });
    assertEquals([plan.kind, ...ordinalsOf(plan)].join(" "), next);
  });
}

function ordinalsOf(next: Next): readonly number[] {
  if ("actions" in next) return next.actions.map(({ ordinal }) => ordinal);
  return "action" in next ? [next.action.ordinal] : [];
}

/** The same, where the last record cannot stand, and what the error says. */
const REFUSED: readonly (readonly [number, string, string])[] = [
  [1, "n0 n1", "more actions run at once than 1"],
  [2, "n0 n1 n2", "more actions run at once than 2"],
  [2, "n0 | n1", "an action begins though another has no result"],
  [3, "n0 n1 | x0 n2", "an action begins though another has no result"],
  [2, "n1", "action 1 stands where action 0 is"],
  [3, "n0 n2", "action 2 stands where action 1 is"],
  [2, "i0 n1 | i0 n1", "replayed that must not be"],
  [1, "r1", "action 1 stands where action 0 is"],
  [2, "r2", "action 2 stands where action 0 is"],
  [2, "n0 | r1", "refused though another has no result"],
  [2, "x0", "without an intent"],
  [2, "n0 n1 | x0 | x0", "action 0 has its result"],
  [2, "n0 n1 | b0 | x1 n2", "though the step had ended"],
  [2, "n0 n1 | w0 | x1 | w1", "action 1 has its result"],
  [2, "n0 n1 | x4", "was not decided"],
];

for (const [max, text, message] of REFUSED) {
  Deno.test(`advance() refuses ${text} with ${max} at once: ${message}`, () => {
    after(max, `| ${text.replace(/ ?\S+$/, "")}`.trimEnd());
    assertThrows(() => after(max, text), RunLogCorruptError, message);
  });
}

Deno.test("planRecovery() lets no more run at once than the run may, the executor says, and stand side by side", () => {
  const alone = (...ordinals: number[]) => (max: number) => {
    const next = planRecovery(decided(max), {
      modelCall: "never",
      openAction: () => "never",
      concurrent: ({ ordinal }) => !ordinals.includes(ordinal),
      canResolve: false,
    });
    return ordinalsOf(next).join("");
  };
  assertEquals([1, 2, 3, 4, 9].map(alone()), ["0", "01", "012", "0123", "0123"]);
  assertEquals([1, 2, 4].map(alone(0)), ["0", "0", "0"]);
  assertEquals([2, 4].map(alone(1)), ["0", "0"]);
  assertEquals([2, 4].map(alone(2)), ["01", "01"]);
});

Deno.test("advance() keeps the actions of a step in order, whatever the order of their results", () => {
  const outcomes: readonly (readonly [string, StepOutcome])[] = [
    ["r2 n0 n1 n3 | x3 | x0 | x1", "acted"],
    ["n0 n1 n2 n3 | x3 | b2 | x0 | x1", "environment_failed"],
    ["n0 n1 n2 n3 | u3 | x2 | x0 | x1", "action_outcome_unknown"],
  ];
  for (const [text, outcome] of outcomes) {
    const end: LogRecord = { type: "step", stepIndex: 0, outcome, durationMs: 0 };
    const { actions = [] } = advance(after(4, text), end, 99).tally.last ?? {};
    assertEquals(actions.map(({ actionId }) => actionId.at(-1)).join(""), "0123");
  }
});
