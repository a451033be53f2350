import { assert, assertEquals } from "@std/assert";
import { run, type RunSpec, textMessage } from "../../mod.ts";
import { countCodePoints } from "../../types/mod.ts";
import { defineTool, ToolRegistry } from "../../logic/tools/mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import {
  agentOf,
  EXECUTED,
  hearing,
  now,
  requestOf,
  scriptModel,
  wordExecutor,
} from "../session/world.ts";
import { calling, nativeCase } from "./agents.ts";

Deno.test("interleaved runs on one agent give the trajectories of single runs", async () => {
  const script = ["do a", "do b", "answer 1"];
  const shared = agentOf(script);
  const ids = Array.from({ length: 20 }, (_, i) => `run-${i}`);
  const together = await Promise.all(
    ids.map((runId) => run(shared, requestOf({ runId }), { now })),
  );
  for (const [i, runId] of ids.entries()) {
    assertEquals(together[i], await run(agentOf(script), requestOf({ runId }), { now }));
  }
});

Deno.test("the caller's signal has the same listeners after 1,000 steps as after one", async () => {
  for (const steps of [1, 1_000]) {
    const { signal } = new AbortController();
    const most = { now: 0, ever: 0 };
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      most.ever = Math.max(most.ever, ++most.now);
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      most.now--;
      remove(...args);
    };
    const budget = { maxSteps: steps, maxModelCalls: steps, maxPromptChars: 1_000_000 };
    await run(agentOf(Array(steps).fill("do a")), requestOf({ budget }), { now, signal });
    assertEquals(most, { now: 0, ever: 1 });
  }
});

Deno.test("what a port is handed is frozen and never changes, and a report says what was sent", async () => {
  const model = scriptModel(["do a", "do b", "answer 1"]);
  const events = hearing();
  await run(agentOf(model, { events }), requestOf(), { now });
  const receipts = events.heard.filter((event) => event.type === "prompt_assembled");
  for (const [i, { messages }] of model.calls.entries()) {
    assert(Object.isFrozen(messages) && messages.every(Object.isFrozen));
    assertEquals(model.prompts[i], `r/s${i}: ${JSON.stringify([messages, null])}`);
    assertEquals(receipts[i]?.promptMessages, messages.length);
    const chars = messages.flatMap(({ content }) => content)
      .reduce((sum, block) => sum + countCodePoints("text" in block ? block.text : ""), 0);
    assertEquals(receipts[i]?.promptChars, chars);
  }
});

Deno.test("sizes are code points everywhere: full-width text and emoji count 1 each", async () => {
  const goal = "漢字🌊👨‍👩‍👧‍👦";
  const context = { runLevel: [], goalLevel: [textMessage("user", goal)] };
  const size = 2 + 1 + 7;
  for (
    const [maxPromptChars, reason] of [[size, "final_answer"], [
      size - 1,
      "context_overflow",
    ]] as const
  ) {
    const request = requestOf({ context, budget: { maxPromptChars } });
    const { stopReason } = await run(agentOf(["answer 1"]), request, { now });
    assertEquals(stopReason, reason);
  }
});

Deno.test("an observation that is cut keeps its emoji whole, and says how much is gone", async () => {
  const tool = defineTool({
    name: "read",
    description: "Reads.",
    parameters: { type: "object" },
    maxObservationChars: 3,
    execute: () => "🌊🌊🌊🌊🌊",
  });
  const { agent, request } = nativeCase([calling("read"), "done"], [tool]);
  const { steps } = await run(agent, request, { now });
  const [action] = steps[0]!.actions;
  assertEquals(action?.truncatedChars, 2);
  assertEquals(action?.observation, "🌊\n[2 more characters were cut off]\n🌊🌊");
});

Deno.test("tools and channels in any insertion order give the same prompts and the same digest", async () => {
  const tools = ["read", "list", "write"].map((name) =>
    defineTool({ name, description: name, parameters: { type: "object" }, execute: () => "" })
  );
  const channels = {
    a: [{ entryId: "1", content: "x" }],
    "🌊": [],
    "\uffff": [{ entryId: "2", content: "y" }],
  };
  const orders = [tools, tools.toReversed()];
  const seen = await Promise.all(orders.map(async (order, i) => {
    const registry = ToolRegistry.of(order);
    const entries = Object.entries(channels);
    const injections = Object.fromEntries(i === 0 ? entries : entries.toReversed());
    const spec: Partial<RunSpec> = { tools: registry, injections, toolProtocol: "native" };
    const store = memoryStore();
    const model = scriptModel(["answer 1"]);
    const agent = agentOf(model, { store, protocol: "native" });
    const { steps } = await run(agent, requestOf(spec), { now });
    const [started] = JSON.parse((await store.readRun("r"))![0]!).records;
    return [model.prompts, steps[0]?.promptDigest, started.contextDigest, started.inputs.tools];
  }));
  assertEquals(seen[0], seen[1]);
});

Deno.test("an observation goes into its template literally", async () => {
  for (const text of ["$&", "$1 $$", "{observation}", "{{}}", "\\", "$`"]) {
    const executor = {
      ...wordExecutor(),
      execute: () => Promise.resolve({ ...EXECUTED, observation: text }),
    };
    const model = scriptModel(["do a", "answer 1"]);
    const observationTemplate = "<{observation}|{{$&}}|{observation}>";
    await run(agentOf(model), requestOf({ executor, observationTemplate }), { now });
    assertEquals(model.calls[1]?.messages.at(-1), textMessage("user", `<${text}|{$&}|${text}>`));
  }
});
