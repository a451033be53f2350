import { assert, assertEquals } from "@std/assert";
import { run, type RunOptions } from "../../../mod.ts";
import { digest, type LogRecord } from "../../../types/mod.ts";
import {
  agentOf,
  AT,
  hearing,
  now,
  recordsOf,
  requestOf,
  type Said,
  shapeOf,
  tellingStore,
  wordExecutor,
} from "../world.ts";

const OUTCOME = {
  failed: false,
  observationSynthetic: false,
  completed: false,
  toolCompletes: false,
  truncatedChars: 0,
  durationMs: 0,
};

Deno.test("run() writes exactly these entries and records for one action a step", async () => {
  const store = tellingStore();
  const usage = { inputTokens: 4, outputTokens: 2 };
  const agent = agentOf([{ text: "do it #thinking", usage }, "answer 42"], { store });
  const { logHead } = await run(agent, requestOf(), { now });
  const lines = await store.readRun("r");
  const [[started], ...entries] = recordsOf(lines) as [LogRecord[], ...LogRecord[][]];
  assert(started?.type === "run_started");
  const { parameters: _, contextDigest, runtime, ...begun } = started;
  assertEquals<unknown>(begun, {
    type: "run_started",
    runId: "r",
    inputs: { context: requestOf().context, injections: {} },
    at: AT,
  });
  assertEquals(Object.keys(runtime), ["polyloop", "deno"]);
  const [first, second] = entries.flat()
    .filter((record) => record.type === "model_call_intent")
    .map(({ promptDigest }) => promptDigest);
  assertEquals(contextDigest, first);
  const call = { type: "model_call_intent", attempt: 1, at: AT };
  const which = { stepIndex: 0, ordinal: 0, actionId: "r/s0_a0" };
  const call0 = { stepIndex: 0, callId: "r/s0" };
  const call1 = { stepIndex: 1, callId: "r/s1" };
  const grown = "be good".length + "go".length + "do it".length + "[did it]".length;
  assertEquals<unknown>(entries, [
    [{ ...call, ...call0, promptDigest: first, promptChars: 9, promptMessages: 2 }],
    [
      { type: "model_reply", ...call0, attempt: 1, reply: { text: "do it #thinking", usage } },
      {
        type: "decision",
        stepIndex: 0,
        decision: { kind: "action", actions: [{ action: { do: "it" } }] },
        historyText: "do it",
      },
      { type: "action_intent", ...which, attempt: 1, replayPolicy: "never", at: AT },
    ],
    [
      {
        type: "action_result",
        ...which,
        ...OUTCOME,
        status: "executed",
        observation: "did it",
      },
      { type: "step", stepIndex: 0, outcome: "acted", durationMs: 0 },
    ],
    [{ ...call, ...call1, promptDigest: second, promptChars: grown, promptMessages: 4 }],
    [
      { type: "model_reply", ...call1, attempt: 1, reply: { text: "answer 42" } },
      {
        type: "decision",
        stepIndex: 1,
        decision: { kind: "final_answer", answer: "42" },
      },
      { type: "step", stepIndex: 1, outcome: "final_answer", durationMs: 0 },
    ],
    [{
      type: "run_finished",
      stopReason: "final_answer",
      stopConditions: ["final_answer"],
      answer: "42",
      counters: {
        steps: 2,
        modelCalls: 2,
        withdrawnCalls: 0,
        totalTokens: 6,
        largestPromptChars: grown,
      },
      abandoned: [],
      at: AT,
    }],
  ]);
  assertEquals(JSON.parse(lines!.at(-1)!).hash, logHead);
  assertEquals(JSON.parse(lines![0]!).prev, digest("r"));
});

const ALLOW: RunOptions = { approveAction: { id: "me", decide: () => ({ allow: true }) } };
const DENY: RunOptions = { approveAction: { id: "me", decide: () => ({ allow: false }) } };
const START = "startRun: run_started";
const CALL = "writeIntent: model_call_intent";
const ANSWERED = "writeOutcome: model_reply decision step";
const FINISH = "finishRun: run_finished";

/** Scripts, with what was asked of the store entry by entry. */
const SHAPES: readonly (readonly [
  string,
  "text" | "native",
  readonly Said[],
  RunOptions,
  readonly string[],
])[] = [
  ["an answer", "text", ["answer 1"], {}, [START, CALL, ANSWERED, FINISH]],
  ["one action", "text", ["do it", "answer 1"], {}, [
    START,
    CALL,
    "writeIntent: model_reply decision action_intent",
    "writeOutcome: action_result step",
    CALL,
    ANSWERED,
    FINISH,
  ]],
  ["several actions", "native", ["do a; do b; do c", "answer 1"], {}, [
    START,
    CALL,
    "writeIntent: model_reply decision action_intent",
    "writeIntent: action_result action_intent",
    "writeIntent: action_result action_intent",
    "writeOutcome: action_result step",
    CALL,
    ANSWERED,
    FINISH,
  ]],
  ["an action that ends its step", "native", ["do a; do break; do c", "answer 1"], {}, [
    START,
    CALL,
    "writeIntent: model_reply decision action_intent",
    "writeIntent: action_result action_intent",
    "writeOutcome: action_result action_result step",
    CALL,
    ANSWERED,
    FINISH,
  ]],
  ["a failed call", "text", [new Error("down"), "answer 1"], {}, [
    START,
    CALL,
    "writeOutcome: step",
    CALL,
    ANSWERED,
    FINISH,
  ]],
  ["an invalid decision", "text", ["gibberish", "answer 1"], {}, [
    START,
    CALL,
    ANSWERED,
    CALL,
    ANSWERED,
    FINISH,
  ]],
  ["approved actions", "native", ["do a; do b", "answer 1"], ALLOW, [
    START,
    CALL,
    "writeOutcome: model_reply decision",
    "writeIntent: action_intent",
    "writeOutcome: action_result",
    "writeIntent: action_intent",
    "writeOutcome: action_result step",
    CALL,
    ANSWERED,
    FINISH,
  ]],
  ["denied actions", "native", ["do a; do b", "answer 1"], DENY, [
    START,
    CALL,
    "writeOutcome: model_reply decision",
    "writeOutcome: action_result",
    "writeOutcome: action_result step",
    CALL,
    ANSWERED,
    FINISH,
  ]],
];

for (const [what, protocol, script, options, expected] of SHAPES) {
  Deno.test(`run() writes ${what} with these methods and in these entries`, async () => {
    const store = tellingStore();
    await run(agentOf(script, { store, protocol }), requestOf({ toolProtocol: protocol }), {
      now,
      ...options,
    });
    const asked = store.asked.filter((name) => name !== "releaseRun");
    const shape = shapeOf(await store.readRun("r"));
    assertEquals(asked.map((name, i) => `${name}: ${shape[i]}`), expected);
    assertEquals(store.asked.filter((name) => name === "releaseRun").length, 1);
  });
}

Deno.test("run() acts only when the intent is written, and asks once for each intent", async () => {
  const store = tellingStore();
  const order: string[] = store.asked;
  const executor = wordExecutor((word) => void order.push(`execute ${word}`));
  const model = {
    call: ({ callId }: { callId: string }) => {
      order.push(`call ${callId}`);
      return Promise.resolve({ text: callId === "r/s0" ? "do a; do b" : "answer 1" });
    },
    parameters: () => ({}),
  };
  await run(
    agentOf(model, { store, protocol: "native" }),
    requestOf({ executor, toolProtocol: "native" }),
    { now },
  );
  assertEquals(order, [
    "startRun",
    "writeIntent",
    "call r/s0",
    "writeIntent",
    "execute a",
    "writeIntent",
    "execute b",
    "writeOutcome",
    "writeIntent",
    "call r/s1",
    "writeOutcome",
    "finishRun",
    "releaseRun",
  ]);
});

Deno.test("run() gives the sink every event in the documented order, numbered from 0", async () => {
  const events = hearing();
  const script: Said[] = [
    (call) => {
      call.onDelta?.({ kind: "text", text: "do" });
      return Promise.resolve({ text: "do a; do b" });
    },
    "answer 1",
  ];
  await run(
    agentOf(script, { events, protocol: "native" }),
    requestOf({ toolProtocol: "native" }),
    { now },
  );
  const before = ["prompt_assembled", "step_started", "model_call_started"];
  const act = ["action_started", "action_finished"];
  assertEquals(events.heard.map(({ type }) => type), [
    "run_started",
    ...before,
    "model_delta",
    "model_call_finished",
    ...act,
    ...act,
    "step_recorded",
    ...before,
    "model_call_finished",
    "step_recorded",
    "run_finished",
  ]);
  assertEquals(events.heard.map(({ sequence }) => sequence), events.heard.map((_, i) => i));
  assertEquals(
    new Set(events.heard.map(({ runId, at }) => `${runId} ${at}`)),
    new Set([`r ${AT}`]),
  );
});
