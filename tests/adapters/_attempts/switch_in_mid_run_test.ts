import { assertEquals } from "@std/assert";
import { chatCompletionsModel } from "../../../adapters/chat_completions_model.ts";
import { fallbackModel } from "../../../adapters/fallback_model.ts";
import { nativeToolsInterpreter } from "../../../adapters/native_tools_interpreter.ts";
import { defineTool, ToolRegistry } from "../../../logic/tools/mod.ts";
import { defineAgent, defineRun, type JsonValue, resume, run, textMessage } from "../../../mod.ts";
import { memoryStore } from "../../../stores/memory.ts";

const LOOK = { id: "t", type: "function", function: { name: "look", arguments: "{}" } };

/** A server of two models: each thinks aloud and acts twice, and the large one fails its second call. */
function twoModels() {
  const seen: { readonly model: string; readonly thoughts: readonly JsonValue[] }[] = [];
  const calls = new Map<string, number>();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      const { model, messages } = await request.json();
      const call = (calls.get(model) ?? 0) + 1;
      calls.set(model, call);
      const thoughts = messages.flatMap((message: { reasoning?: JsonValue }) =>
        message.reasoning ?? []
      );
      seen.push({ model, thoughts });
      if (model === "large" && call === 2) return new Response("busy", { status: 503 });
      const said = seen.length > 3 ? { content: "4" } : { content: null, tool_calls: [LOOK] };
      const message = { ...said, reasoning: `${model} ${call}` };
      return Response.json({ choices: [{ message, finish_reason: "stop" }] });
    },
  );
  const modelOf = (name: string) =>
    chatCompletionsModel({ baseUrl: `http://127.0.0.1:${server.addr.port}`, model: name });
  return { server, seen, model: fallbackModel([modelOf("large"), modelOf("small")]) };
}

Deno.test("provider data goes back to the model that wrote it alone, also after a switch and a resume", async () => {
  const { server, seen, model } = twoModels();
  await using _server = server;
  const store = memoryStore();
  const stop = new AbortController();
  const tools = ToolRegistry.of([defineTool({
    name: "look",
    description: "Looks.",
    parameters: { type: "object" },
    execute() {
      if (seen.length === 3) stop.abort(new Error("for a while"));
      return "seen";
    },
  })]);
  const agent = defineAgent({ model, interpreter: nativeToolsInterpreter(), store });
  const request = defineRun({
    runId: "r",
    budget: { maxSteps: 9, maxModelCalls: 9, maxPromptChars: 50_000, maxConsecutiveFailures: 1 },
    executor: tools.executor(),
    tools,
    toolProtocol: "native",
    context: { runLevel: [], goalLevel: [textMessage("user", "Look around.")] },
  });
  await run(agent, request, { signal: stop.signal, onAbort: "suspend" }).catch(() => {});
  const { steps } = await resume(agent, request);
  assertEquals(seen, [
    { model: "large", thoughts: [] },
    { model: "large", thoughts: ["large 1"] },
    { model: "small", thoughts: [] },
    { model: "large", thoughts: ["large 1"] },
  ]);
  assertEquals(steps.map(({ reply }) => reply?.servedBy), [0, 1, 0]);
  assertEquals(steps[1]?.reply?.retries?.map(({ error }) => error.kind), ["overloaded"]);
});
