import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  type DecisionInterpreter,
  InvalidRequestError,
  resume,
  run,
  type RunRequest,
} from "../../../mod.ts";
import { codeFenceInterpreter } from "../../../adapters/code_fence_interpreter.ts";
import { jsonActionInterpreter } from "../../../adapters/json_action_interpreter.ts";
import { nativeToolsInterpreter } from "../../../adapters/native_tools_interpreter.ts";
import { readLog } from "../../../session/mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import {
  agentOf,
  commands,
  now,
  rejection,
  requestOf,
  scriptModel,
  tellingStore,
  WORLD_TOOLS,
} from "../world.ts";

Deno.test("run() uses the protocol that its interpreter reads", async () => {
  for (
    const interpreter of [jsonActionInterpreter(), codeFenceInterpreter({ languages: ["ts"] })]
  ) {
    const model = scriptModel(["1", '{"final_answer": 1}']);
    await run(agentOf(model, { interpreter }), requestOf({ tools: WORLD_TOOLS }), { now });
    assertEquals(model.calls[0]?.tools, undefined);
  }
  const model = scriptModel(["1"]);
  const store = memoryStore();
  const agent = agentOf(model, { store, interpreter: nativeToolsInterpreter() });
  await run(agent, requestOf({ tools: WORLD_TOOLS }), { now });
  assertEquals(model.calls[0]?.tools?.map(({ name }) => name), ["submit", "the"]);
  const { started, settings } = readLog((await store.readRun("r"))!);
  assertEquals(settings.toolProtocol, "native");
  assertEquals(started.parameters["request.tool_protocol"], "native");
});

const own = (toolCallId: string) => ({
  runLevel: [],
  goalLevel: [{
    role: "assistant" as const,
    content: [{ type: "tool_call" as const, toolCallId, name: "n", arguments: 1 }],
  }],
});

/** Agents and requests that do not fit, the field that is named, and part of the message. */
const MISFITS: readonly (readonly [
  DecisionInterpreter,
  object,
  string,
  string,
])[] = [
  [jsonActionInterpreter(), { toolProtocol: "native" }, "toolProtocol", 'reads replies by "text"'],
  [nativeToolsInterpreter(), { toolProtocol: "text" }, "toolProtocol", '"native"'],
  [nativeToolsInterpreter(), {}, "tools", "ToolRegistry.of"],
  [commands("native"), { toolProtocol: "native", tools: undefined }, "tools", "ToolRegistry.of"],
  [
    nativeToolsInterpreter(),
    { tools: WORLD_TOOLS, context: own("s0_a12") },
    "context.goalLevel[0].content[0].toolCallId",
    "own calls",
  ],
];

Deno.test("run() and resume() refuse an agent and a request that do not fit, before anything is asked", async () => {
  for (const [interpreter, spec, field, detail] of MISFITS) {
    for (const verb of [run, resume]) {
      const store = tellingStore();
      const model = scriptModel([]);
      const error = await rejection(verb(agentOf(model, { store, interpreter }), requestOf(spec)));
      assert(error instanceof InvalidRequestError, String(error));
      assertEquals(error.field, field);
      assertStringIncludes(error.message, detail);
      assertEquals([store.asked, model.calls], [[], []]);
    }
  }
});

Deno.test("run() takes the ids of its own calls in a context by the text protocol", async () => {
  await run(agentOf(["answer 1"]), requestOf({ context: own("s0_a12") }), { now });
});

Deno.test("run() tells the interpreter which tools are visible", async () => {
  const told: unknown[] = [];
  for (const tools of [WORLD_TOOLS, undefined]) {
    const interpreter: DecisionInterpreter = {
      interpret: ({ text }, context) => {
        told.push(context.toolNames, Object.isFrozen(context.toolNames));
        return { decision: { kind: "final_answer", answer: text }, historyText: text };
      },
      parameters: () => ({}),
    };
    const request: RunRequest = requestOf(tools && { tools });
    await run(agentOf(["x"], { interpreter }), request, { now });
  }
  assertEquals(told, [["submit", "the"], true, undefined, true]);
});
