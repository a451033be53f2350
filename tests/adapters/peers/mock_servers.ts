/**
 * Mock servers of others, asked by the models.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import { errorInfo } from "../../../types/mod.ts";
import { say } from "../../tasks/say.ts";
import { CHAT, CHAT_STREAMED, type Dialect, DIALECTS, lookupRun } from "../field/dialects.ts";
import { failureOf, message, modelCall } from "../model_calls.ts";

interface MockServer {
  readonly url: string;
  onMessage(pattern: string, response: object): this;
  on(match: object, response: object): this;
  start(): Promise<unknown>;
  stop(): Promise<unknown>;
}

interface AimockModule {
  readonly LLMock: new (options: object) => MockServer;
}

/** Asks each server in each dialect that it speaks; answers how many did not do as they should. */
export async function askMockServers(): Promise<number> {
  return await asked("@copilotkit/aimock", askAimock) +
    await asked("@dwmkerr/mock-llm", askMockLlm);
}

async function asked(name: string, ask: () => Promise<void>): Promise<number> {
  try {
    await ask();
    say(`${name} was asked`);
    return 0;
  } catch (error) {
    say(`FAILED: ${name}: ${errorInfo(error).message}`);
    return 1;
  }
}

async function askAimock(): Promise<void> {
  const specifier = "npm:@copilotkit/aimock@1";
  const { LLMock }: AimockModule = await import(specifier);
  const mock = new LLMock({ port: 0 })
    .onMessage("hello", { content: "Hi there!", reasoning: "They greet." })
    .onMessage("busy", { error: { message: "slow down", type: "rate_limit_error" }, status: 429 })
    .onMessage("long", { content: "The first of", finishReason: "length" })
    .on({ userMessage: "go", hasToolResult: true }, { content: "done" })
    .onMessage("go", { toolCalls: [{ name: "lookup", arguments: '{"q":"a"}' }] });
  await mock.start();
  try {
    for (const dialect of DIALECTS) {
      const isChat = dialect === CHAT || dialect === CHAT_STREAMED;
      const model = dialect.model(isChat ? `${mock.url}/v1` : mock.url);
      const say = (text: string) => model.call(modelCall({ messages: [message("user", text)] }));
      const { text, reasoning, finishReason } = await say("hello");
      assertEquals([text, reasoning, finishReason], ["Hi there!", "They greet.", "stop"]);
      assertEquals((await say("long")).finishReason, "length");
      const failed = await failureOf(model, { messages: [message("user", "busy")] });
      assertEquals([failed.kind, failed.retriable, failed.status], ["rate_limit", true, 429]);
      const { result, looked } = await lookupRun(model);
      assertEquals([result.answer, looked], ["done", [{ q: "a" }]], dialect.name);
    }
  } finally {
    await mock.stop();
  }
}

const CALL = {
  id: "call_1",
  type: "function",
  function: { name: "lookup", arguments: '{"q":"a"}' },
};

/** The rules of the server: the last one that matches decides. JSON is YAML. */
const RULES = {
  rules: [
    ["@", 200, { content: "Hi there!" }, "stop"],
    ["body.messages[-1].content == 'go'", 200, { content: null, tool_calls: [CALL] }, "tool_calls"],
    ["body.messages[-1].role == 'tool'", 200, { content: "done" }, "stop"],
    ["body.messages[-1].content == 'key'", 401, undefined, ""],
  ].map(([match, status, message, finish_reason]) => ({
    path: "/v1/chat/completions",
    match,
    response: {
      status,
      content: JSON.stringify(
        message === undefined
          ? { error: { message: "Incorrect API key provided.", code: "invalid_api_key" } }
          : { id: "c", model: "fx", choices: [{ index: 0, message, finish_reason }] },
      ),
    },
  })),
};

async function askMockLlm(): Promise<void> {
  const port = freePort();
  const config = await Deno.makeTempFile({ suffix: ".yaml" });
  await Deno.writeTextFile(config, JSON.stringify(RULES));
  const server = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-lock", "npm:@dwmkerr/mock-llm@0.1", "--config", config],
    env: { PORT: `${port}`, HOST: "127.0.0.1" },
    stdout: "null",
    stderr: "null",
  }).spawn();
  try {
    const origin = `http://127.0.0.1:${port}`;
    await answering(`${origin}/health`, server);
    for (const dialect of [CHAT, CHAT_STREAMED]) await askRules(dialect, `${origin}/v1`);
  } finally {
    server.kill("SIGKILL");
    await server.status;
    await Deno.remove(config);
  }
}

async function askRules(dialect: Dialect, baseUrl: string): Promise<void> {
  const model = dialect.model(baseUrl);
  const { text, finishReason } = await model.call(modelCall());
  assertEquals([text, finishReason], ["Hi there!", "stop"], dialect.name);
  const failed = await failureOf(model, { messages: [message("user", "key")] });
  assertEquals([failed.kind, failed.retriable], ["auth", false]);
  if (dialect.stream) return; // it streams texts alone
  const { result, looked } = await lookupRun(model);
  assertEquals([result.answer, looked], ["done", [{ q: "a" }]], dialect.name);
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/** Waits until a server answers, or has ended. */
async function answering(url: string, server: Deno.ChildProcess): Promise<void> {
  let ended = false;
  server.status.then(() => ended = true);
  for (;;) {
    if (ended) throw new Error("it ended before it answered");
    try {
      const response = await fetch(url);
      await response.body?.cancel();
      if (response.ok) return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
