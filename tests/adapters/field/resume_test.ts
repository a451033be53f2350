/** What only a server understands, and its ids, are in the prompt of a run that another process goes on with. */
import { assertEquals, assertRejects } from "@std/assert";
import { chatCompletionsModel } from "../../../adapters/chat_completions_model.ts";
import { nativeToolsInterpreter } from "../../../adapters/native_tools_interpreter.ts";
import {
  defineAgent,
  defineRun,
  defineTool,
  resume,
  run,
  textMessage,
  ToolRegistry,
} from "../../../mod.ts";
import { jsonlStore } from "../../../stores/jsonl.ts";
import { AMPLE } from "../../session/world.ts";
import { jsonAnswer, rawHttpServer } from "../raw_http_server.ts";
import { CHAT } from "./dialects.ts";

const FUNCTION = { name: "lookup", arguments: '{"q":"a"}' };
const CALLS = ["functions.lookup:0", undefined].map((id) => ({
  ...(id !== undefined && { id, extra_content: { v: { sig: "b3Bh" } } }),
  type: "function",
  function: FUNCTION,
}));
const MESSAGE = {
  content: null,
  reasoning_details: [{ type: "reasoning.encrypted", data: "b3Bh", index: 0 }],
  tool_calls: CALLS,
};

Deno.test("a resumed run hands back what its server gave before, under the same ids", async () => {
  const dir = await Deno.makeTempDir();
  await using server = rawHttpServer((_, place) =>
    place === 0
      ? jsonAnswer({ choices: [{ message: MESSAGE, finish_reason: "tool_calls" }] })
      : CHAT.answer({ text: "done" })
  );
  const goOn = (abort: () => void) => {
    const lookup = defineTool({
      name: "lookup",
      description: "Looks up.",
      parameters: { type: "object", properties: { q: { type: "string" } } },
      execute() {
        abort();
        return "found it";
      },
    });
    const agent = defineAgent({
      model: chatCompletionsModel({ baseUrl: server.origin, model: "fx" }),
      interpreter: nativeToolsInterpreter(),
      store: jsonlStore({ dir }),
    });
    const request = defineRun({
      runId: "resumed",
      budget: AMPLE,
      tools: ToolRegistry.of([lookup]),
      context: { runLevel: [], goalLevel: [textMessage("user", "go")] },
    });
    return { agent, request };
  };
  try {
    const controller = new AbortController();
    const first = goOn(() => controller.abort("later"));
    const options = { signal: controller.signal, onAbort: "suspend" } as const;
    await assertRejects(() => run(first.agent, first.request, options));
    const second = goOn(() => {});
    const { answer } = await resume(second.agent, second.request);
    const bodies = server.requests.map(({ body }) => JSON.parse(body));
    assertEquals([answer, bodies.length], ["done", 2]);
    const [, assistant, ...results] = bodies[1].messages;
    const [given, made] = assistant.tool_calls;
    assertEquals(assistant.reasoning_details, MESSAGE.reasoning_details);
    assertEquals(given, CALLS[0]);
    assertEquals(/^[a-zA-Z0-9]{9}$/.test(made.id), true);
    const ids = results.map((result: { tool_call_id: string }) => result.tool_call_id);
    assertEquals(ids, [given.id, made.id]);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
