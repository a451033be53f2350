import { assert, assertEquals } from "@std/assert";
import { type ModelDelta, run, type RunEvent } from "../../mod.ts";
import { readLog } from "../../session/mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import { summaryOf } from "./cancel_world.ts";
import { agentOf, hearing, now, requestOf, scriptModel } from "./world.ts";

Deno.test("run() drops a delta that is none or late, never throws at the model, never keeps its objects", async () => {
  const events = hearing();
  const own = { kind: "text", text: "ok", more: {} } as ModelDelta;
  let reads = 0;
  const hostile = [
    {
      get kind() {
        throw new Error("no");
      },
    },
    {
      kind: "text",
      get text() {
        return reads++ === 0 ? "ok" : 5;
      },
    },
  ];
  const deltas = [
    own,
    undefined,
    null,
    5,
    { kind: "text" },
    { kind: "audio", text: "x" },
    { kind: "restart", text: "x" },
    ...hostile,
  ];
  let late: ((delta: ModelDelta) => void) | undefined;
  const agent = agentOf([({ onDelta }) => {
    late = onDelta;
    for (const delta of deltas) onDelta!(delta as ModelDelta);
    return Promise.resolve({ text: "do a" });
  }, () => {
    late!({ kind: "text", text: "too late" });
    return Promise.resolve({ text: "answer 1" });
  }], { events });
  const { steps } = await run(agent, requestOf(), { now });
  late!({ kind: "text", text: "far too late" });
  const heard = events.heard.filter((event) => event.type === "model_delta");
  assertEquals(heard.map(({ kind, ...delta }) => [kind, "text" in delta ? delta.text : null]), [
    ["text", "ok"],
    ["restart", null],
    ["text", "ok"],
  ]);
  assertEquals(steps.map(({ outcome }) => outcome), ["acted", "final_answer"]);
  assert(!Object.isFrozen(own));
});

Deno.test("run() offers deltas only where a sink listens, and tools only by the native protocol", async () => {
  const schema = { name: "do", description: "Does.", parameters: { type: "object" } };
  const tools = { names: ["do"], schemaForModel: () => [schema], toolDigest: () => "d" };
  for (const toolProtocol of ["text", "native"] as const) {
    for (const events of [undefined, hearing()]) {
      const model = scriptModel(["answer 1"]);
      const agent = agentOf(model, { protocol: toolProtocol, ...(events && { events }) });
      await run(agent, requestOf({ toolProtocol, tools, modelBinding: { cell: "A" } }), { now });
      const [call] = model.calls;
      assertEquals(call?.tools, toolProtocol === "native" ? [schema] : undefined);
      assertEquals(typeof call?.onDelta, events === undefined ? "undefined" : "function");
      assertEquals([call?.binding, call?.callId, call?.attempt], [{ cell: "A" }, "r/s0", 1]);
    }
  }
});

Deno.test("run() keeps a call as failed that failed before the abort, with its error", async () => {
  const controller = new AbortController();
  const events = {
    emit: (event: RunEvent) => {
      if (event.type === "model_call_finished") controller.abort("enough");
    },
    parameters: () => ({}),
  };
  const store = memoryStore();
  const agent = agentOf([new RangeError("down")], { store, events });
  const { signal } = controller;
  const error = await run(agent, requestOf(), { now, signal }).catch((error) => error);
  const log = readLog((await store.readRun("r"))!);
  assertEquals([error, summaryOf(log)], ["enough", "model_call_failed, cancelled"]);
  assertEquals(log.steps[0]?.error, { name: "RangeError", message: "down" });
});
