import { assert, assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { type DecisionInterpreter, resume, run } from "../../mod.ts";
import { PortContractError } from "../../types/mod.ts";
import { SYNTHETIC_OBSERVATIONS, verifyLog } from "../../session/mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import { forged } from "./logs/forged.ts";
import { agentOf, commands, now, requestOf, scriptModel, shapeOf, tellingStore } from "./world.ts";

Deno.test("run() lets an interpreter's throw out, and resume() goes on from the recorded reply with a fixed one", async () => {
  for (const throws of ["at once", "later"]) {
    const store = tellingStore();
    const bug = new Error("own bug");
    const broken: DecisionInterpreter = {
      ...commands(),
      interpret: () => {
        if (throws === "at once") throw bug;
        return Promise.reject(bug);
      },
    };
    const error = await assertRejects(() =>
      run(agentOf(["answer 1"], { store, interpreter: broken }), requestOf(), { now })
    );
    assertStrictEquals(error, bug);
    assertEquals(store.asked.slice(-2), ["writeOutcome", "releaseRun"]);
    assertEquals(shapeOf(await store.readRun("r")), [
      "run_started",
      "model_call_intent",
      "model_reply",
    ]);
    const model = scriptModel([]);
    const { answer, counters } = await resume(agentOf(model, { store }), requestOf(), { now });
    assertEquals({ answer, modelCalls: counters.modelCalls, asked: model.calls.length }, {
      answer: "1",
      modelCalls: 1,
      asked: 0,
    });
  }
});

Deno.test("run() calls the interpreter once a reply, with a frozen reply and context", async () => {
  const seen: unknown[] = [];
  const inner = commands();
  const interpreter: DecisionInterpreter = {
    ...inner,
    interpret: (reply, context) => {
      const { signal, ...rest } = context;
      assert(Object.isFrozen(reply) && Object.isFrozen(context) && !signal.aborted);
      seen.push([reply.text, { ...rest }]);
      return inner.interpret(reply, context);
    },
  };
  await run(agentOf(["do it", "answer 1"], { interpreter }), requestOf(), { now });
  assertEquals(seen, [["do it", { runId: "r", stepIndex: 0 }], ["answer 1", {
    runId: "r",
    stepIndex: 1,
  }]]);
});

Deno.test("run() takes several actions by the text protocol as an invalid decision, with a text of its own", async () => {
  const model = scriptModel(["do a; do b", "answer 1"]);
  const store = memoryStore();
  const { steps } = await run(agentOf(model, { store }), requestOf(), { now });
  const explanation = "The reply asks for several actions; ask for one at a time.";
  assertEquals([steps[0]?.outcome, steps[0]?.actions], ["invalid_decision", []]);
  assertEquals([steps[0]?.observation, steps[0]?.observationSynthetic], [explanation, true]);
  assertEquals(steps[0]?.decision, { kind: "invalid", explanation, synthetic: true });
  assertEquals(model.calls[1]?.messages.slice(2).map(({ role, content }) => [role, content]), [
    ["assistant", [{ type: "text", text: "do a; do b" }]],
    ["user", [{ type: "text", text: `[${explanation}]` }]],
  ]);
});

Deno.test("run() takes no explanation of an interpreter for the library's own, whatever its words", async () => {
  const { severalActions: explanation } = SYNTHETIC_OBSERVATIONS;
  const interpreter: DecisionInterpreter = {
    interpret: ({ text }) => ({ decision: { kind: "invalid", explanation }, historyText: text }),
    parameters: () => ({}),
  };
  const store = memoryStore();
  const request = requestOf({ budget: { maxConsecutiveFailures: 1 } });
  const { steps } = await run(agentOf(["x"], { store, interpreter }), request, { now });
  assertEquals(steps[0]?.decision, { kind: "invalid", explanation });
  assertEquals([steps[0]?.observation, steps[0]?.observationSynthetic], [explanation, false]);
  assertEquals(verifyLog((await store.readRun("r"))!).fault, undefined);
});

Deno.test("verifyLog() finds a decision that is called the library's own and is not", async () => {
  for (const [protocol, explanation] of [["text", "gibberish"], ["native", undefined]] as const) {
    const store = memoryStore();
    const request = requestOf({ toolProtocol: protocol, budget: { maxConsecutiveFailures: 1 } });
    const own = explanation ?? SYNTHETIC_OBSERVATIONS.severalActions;
    const interpreter: DecisionInterpreter = {
      interpret: () => ({ decision: { kind: "invalid", explanation: own }, historyText: "" }),
      parameters: () => ({}),
    };
    await run(agentOf(["x"], { store, interpreter, protocol }), request, { now });
    const lines = (await store.readRun("r"))!;
    assertEquals(verifyLog(lines).fault, undefined);
    const { fault } = verifyLog(forged(lines, (record) => {
      if (record.type === "step") return { ...record, observationSynthetic: true };
      if (record.type !== "decision") return record;
      return { ...record, decision: { ...record.decision, synthetic: true } };
    }));
    assertEquals(fault?.code, "step_words", protocol);
  }
});

Deno.test("run() shows an invalid decision under native as text alone, without calls and provider data", async () => {
  const reply = {
    text: "gibberish",
    toolCalls: [{ name: "a", arguments: null, rawArguments: "{", argumentsError: "cut off" }],
    providerData: { signed: "x" },
  };
  const model = scriptModel([reply, "do a", "answer 1"]);
  const agent = agentOf(model, { protocol: "native" });
  const { steps } = await run(agent, requestOf({ toolProtocol: "native" }), { now });
  assertEquals([steps[0]?.outcome, steps[0]?.reply], ["invalid_decision", reply]);
  assertEquals<unknown>(model.calls[2]?.messages.slice(2), [
    { role: "assistant", content: [{ type: "text", text: "gibberish" }] },
    { role: "user", content: [{ type: "text", text: '[cannot read "gibberish"]' }] },
    {
      role: "assistant",
      content: [
        { type: "text", text: "do a" },
        { type: "tool_call", toolCallId: "s1_a0", name: "do", arguments: { word: "a" } },
      ],
    },
    {
      role: "tool",
      content: [{ type: "tool_result", toolCallId: "s1_a0", text: "did a", isError: false }],
    },
  ]);
});

Deno.test("run() keeps a reply whose interpretation was junk, and lets nothing of it act", async () => {
  const store = memoryStore();
  const junk = { ...commands(), interpret: () => ({ historyText: "" }) } as object;
  const agent = agentOf(["do it"], { store, interpreter: junk as DecisionInterpreter });
  await assertRejects(() => run(agent, requestOf(), { now }), PortContractError);
  await assertRejects(() => resume(agent, requestOf(), { now }), PortContractError);
  assertEquals(shapeOf(await store.readRun("r")).at(-1), "model_reply");
});
