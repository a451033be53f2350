import { assert, assertEquals } from "@std/assert";
import { run } from "../../../mod.ts";
import {
  digest,
  frameLogLine,
  type LogCheck,
  type LogRecord,
  toolsSize,
} from "../../../types/mod.ts";
import { verifyLog } from "../../../session/mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import { aborted } from "../cancel_world.ts";
import { agentOf, now, recordsOf, requestOf, WORLD_TOOLS } from "../world.ts";
import { forged, type Forgery } from "./forged.ts";
import { recorded } from "./recorded_run.ts";

Deno.test("verifyLog() never cries wolf over what the kernel wrote, at any prefix", async () => {
  const logs = [
    (await recorded()).lines,
    (await recorded({ recordInputs: false })).lines,
    await (await aborted({ name: "action", count: 1 }, "never")).store.readRun("r"),
  ];
  for (const lines of logs) {
    for (let length = 1; length <= lines!.length; length++) {
      const { ok, fault, checked, unchecked } = verifyLog(lines!.slice(0, length));
      assert(ok && checked.length > 0 && unchecked.length > 0, fault?.message);
    }
  }
  const unchecked = ["end", "cancellation", "answers", "decisions"] as const;
  assertEquals(verifyLog(logs[0]!).unchecked, [...unchecked]);
  assertEquals(verifyLog(logs[1]!).unchecked, [...unchecked, "inputs"]);
});

const finish = (change: object): Forgery => (record) =>
  record.type === "run_finished" ? { ...record, ...change } : record;
const start =
  (change: (record: LogRecord & { type: "run_started" }) => object): Forgery => (record) =>
    record.type === "run_started" ? { ...record, ...change(record) } : record;
const limit = (key: string, value: string | undefined) =>
  start(({ parameters }) => ({
    parameters: Object.fromEntries(
      Object.entries({ ...parameters, [`request.budget.${key}`]: value })
        .filter(([, text]) => text !== undefined),
    ),
  }));

/** Logs that a forger hashed anew, with what is wrong and where. */
const FORGERIES: readonly (readonly [string, Forgery, LogCheck, string, number])[] = [
  [
    "another reason",
    finish({ stopReason: "final_answer", stopConditions: ["final_answer"] }),
    "stop_decisions",
    "must not end",
    12,
  ],
  [
    "a condition less",
    finish({ stopConditions: ["tool_completed"] }),
    "stop_decisions",
    "must not end",
    12,
  ],
  ["an answer nobody gave", finish({ answer: 1 }), "finish", "answer", 12],
  [
    "other counters",
    finish({
      counters: {
        steps: 4,
        modelCalls: 4,
        withdrawnCalls: 0,
        totalTokens: 9,
        largestPromptChars: 0,
      },
    }),
    "grammar",
    "counters",
    12,
  ],
  ["a prompt that it had not", finish({ promptChars: 3 }), "finish", "size of the last prompt", 12],
  [
    "a smaller step limit",
    limit("max_steps", "2"),
    "stop_decisions",
    "in spite of step_budget_exhausted",
    7,
  ],
  [
    "a smaller call limit",
    limit("max_model_calls", "1"),
    "stop_decisions",
    "model_call_budget_exhausted",
    5,
  ],
  [
    "a smaller prompt limit",
    limit("max_prompt_chars", String(12 + toolsSize(WORLD_TOOLS.schemaForModel()))),
    "stop_decisions",
    "context_overflow",
    5,
  ],
  [
    "fewer failures",
    limit("max_consecutive_failures", "1"),
    "stop_decisions",
    "invalid_decisions",
    7,
  ],
  ["no limit at all", limit("max_steps", undefined), "stop_decisions", 'the limit "maxSteps"', 0],
  ["a limit that is none", limit("max_steps", "many"), "stop_decisions", 'the limit "maxSteps"', 0],
  [
    "another template",
    start(({ parameters }) => ({
      parameters: { ...parameters, "request.observation_template": "{observation}!" },
    })),
    "prompts",
    "prompt",
    7,
  ],
  [
    "no template",
    start(({ parameters }) => ({
      parameters: { ...parameters, "request.observation_template": "{" },
    })),
    "inputs",
    "no prompt can be made",
    0,
  ],
  [
    "another context",
    start(({ inputs }) => ({
      inputs: { ...inputs!, injections: {} },
    })),
    "inputs",
    "context digest",
    0,
  ],
  [
    "another digest",
    (record) =>
      record.type === "model_call_intent" ? { ...record, promptDigest: digest("x") } : record,
    "prompts",
    "prompt",
    1,
  ],
  [
    "another observation",
    (record) => record.type === "action_result" ? { ...record, observation: "better" } : record,
    "prompts",
    "prompt",
    5,
  ],
  [
    "another protocol",
    start(({ parameters }) => ({
      parameters: { ...parameters, "request.tool_protocol": "text" },
    })),
    "prompts",
    "do not give the prompt",
    1,
  ],
  [
    "no tool call",
    (record) =>
      record.type === "decision" && record.decision.kind === "action"
        ? { ...record, decision: { kind: "action", actions: [{ action: 1 }, { action: 2 }] } }
        : record,
    "grammar",
    "no tool call",
    2,
  ],
];

for (const [what, forgery, code, message, seq] of FORGERIES) {
  Deno.test(`verifyLog() finds a forged log: ${what}`, async () => {
    const { ok, fault } = verifyLog(forged((await recorded()).lines, forgery));
    assertEquals(
      { ok, code: fault?.code, seq: fault?.seq },
      { ok: false, code, seq },
      fault?.message,
    );
    assert(fault!.message.includes(message), fault!.message);
  });
}

Deno.test("verifyLog() holds a recorded answer to the decision, whatever it is", async () => {
  const store = memoryStore();
  const decision = { kind: "final_answer", answer: { a: [1] } } as const;
  const interpreter = { interpret: () => ({ decision, historyText: "" }), parameters: () => ({}) };
  await run(agentOf(["x"], { store, interpreter }), requestOf(), { now });
  const lines = (await store.readRun("r"))!;
  for (
    const [answer, ok] of [[{ a: [1] }, true], [{ a: 1 }, false], [null, false], [undefined, false]]
  ) {
    assertEquals(verifyLog(forged(lines, finish({ answer }))).ok, ok, JSON.stringify(answer));
  }
});

Deno.test("verifyLog() finds two intents in one entry, and a log that starts with no start", async () => {
  const { lines } = await recorded();
  const entries = recordsOf(lines);
  const merged = [entries[0]!, [...entries[1]!, ...entries[2]!]];
  let prev = digest("r");
  const relined = merged.map((records, seq) => {
    const entry = frameLogLine(seq, prev, records.map((r) => JSON.stringify(r)).join(","));
    prev = entry.hash;
    return entry.line;
  });
  assertEquals(verifyLog(relined).fault?.message.includes("two intents"), true);
  const headless = frameLogLine(0, digest(""), JSON.stringify(entries[1]![0])).line;
  for (const none of [[], [headless], ["x"]]) {
    const { ok, fault, checked } = verifyLog(none);
    assertEquals({ ok, seq: fault?.seq, checked }, { ok: false, seq: 0, checked: [] });
  }
});

Deno.test("verifyLog() says that a log is of a later version, and never throws", async () => {
  const { lines } = await recorded();
  const content = lines[0]!.slice(0, lines[0]!.lastIndexOf(',"hash":')).replace('"1.0"', '"2.0"');
  const later = `${content},"hash":"${digest(content)}"}`;
  assertEquals(verifyLog([later]).fault?.code, "schema_version");
  for (const lines of [[null], [5], [undefined, "x"]] as object as string[][]) {
    assertEquals(verifyLog(lines).ok, false);
  }
});
