// deno run --allow-net=127.0.0.1 examples/native_tools.ts
// deno-lint-ignore-file no-console
/** The native tool protocol over HTTP, against a gateway with OpenAI's interface: here one of ten lines. */
import {
  defineAgent,
  defineRun,
  defineTool,
  run,
  textMessage,
  ToolRegistry,
} from "@polyloop/polyloop";
import { chatCompletionsModel } from "@polyloop/polyloop/adapters/chat-completions-model";
import { nativeToolsInterpreter } from "@polyloop/polyloop/adapters/native-tools-interpreter";
import { memoryStore } from "@polyloop/polyloop/stores/memory";

type Wire = { readonly messages: readonly { readonly role: string; readonly content: string }[] };
const call = (id: string, args: string) => ({ id, function: { name: "add", arguments: args } });
await using gateway = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen() {} },
  async (request) => {
    const { messages }: Wire = await request.json();
    const results = messages.filter(({ role }) => role === "tool").map(({ content }) => content);
    const message = results.length === 0
      ? { tool_calls: [call("x", '{"a": 1, "b": 2}'), call("y", '{"a": 30, "b": 4}')] }
      : { content: `They are ${results.join(" and ")}.` };
    const usage = { prompt_tokens: 20, completion_tokens: 8 };
    return Response.json({ model: "ten-lines", choices: [{ message }], usage });
  },
);

const number = { type: "number" } as const;
const add = defineTool({
  name: "add",
  description: "Adds two numbers.",
  parameters: {
    type: "object",
    properties: { a: number, b: number },
    required: ["a", "b"],
  } as const,
  execute: ({ a, b }) => a + b,
});
const tools = ToolRegistry.of([add]);
const baseUrl = `http://127.0.0.1:${gateway.addr.port}/v1`;
const agent = defineAgent({
  model: chatCompletionsModel({ baseUrl, model: "ten-lines" }),
  interpreter: nativeToolsInterpreter(),
  store: memoryStore(),
});
const request = defineRun({
  runId: "sums",
  budget: { maxSteps: 4, maxModelCalls: 4, maxPromptChars: 20_000, maxConsecutiveFailures: 1 },
  tools,
  context: { runLevel: [], goalLevel: [textMessage("user", "What are 1 + 2 and 30 + 4?")] },
});
const { answer, steps, counters } = await run(agent, request);
console.log(`${steps[0]?.actions.length} calls in one reply; ${counters.totalTokens} tokens`);
console.log(answer);
