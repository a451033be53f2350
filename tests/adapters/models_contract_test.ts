import { anthropicMessagesModel } from "../../adapters/anthropic_messages_model.ts";
import { chatCompletionsModel } from "../../adapters/chat_completions_model.ts";
import { fallbackModel } from "../../adapters/fallback_model.ts";
import { retryingModel } from "../../adapters/retrying_model.ts";
import { scriptedModel } from "../../adapters/scripted_model.ts";
import type { ModelPort } from "../../ports/mod.ts";
import { ModelCallError } from "../../types/mod.ts";
import { modelContract, type ModelContractOptions } from "../contract/mod.ts";

/** How a wire says a text in two pieces: as one answer, and as a stream. */
interface Wire {
  readonly whole: (start: string, end: string) => unknown;
  readonly events: (start: string, end: string) => readonly unknown[];
}

const CHAT: Wire = {
  whole: (start, end) => ({
    choices: [{ message: { content: start + end }, finish_reason: "stop" }],
  }),
  events: (start, end) => [
    { choices: [{ delta: { role: "assistant", content: start } }] },
    { choices: [{ delta: { content: end }, finish_reason: "stop" }] },
  ],
};

const MESSAGES: Wire = {
  whole: (start, end) => ({
    type: "message",
    content: [{ type: "text", text: start + end }],
    stop_reason: "end_turn",
  }),
  events: (start, end) => [
    { type: "message_start", message: { content: [] } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: start } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: end } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" } },
    { type: "message_stop" },
  ],
};

/** Says what the last turn of a prompt says. */
async function echo(request: Request, { whole, events }: Wire, stream: boolean): Promise<Response> {
  const { messages } = await request.json();
  const content = messages.at(-1)?.content ?? "";
  const text = typeof content === "string" ? content : content.at(-1)?.text ?? "";
  const [start, end] = [text.slice(0, 3), text.slice(3)];
  if (!stream) return Response.json(whole(start, end));
  const lines = events(start, end).map((event) => `data: ${JSON.stringify(event)}\n\n`);
  return new Response(lines.join(""), { headers: { "content-type": "text/event-stream" } });
}

function served(
  wire: Wire,
  stream: boolean,
  modelAt: (baseUrl: string) => ModelPort,
): ModelContractOptions<ModelPort> {
  const closing = new WeakMap<ModelPort, () => Promise<void>>();
  const at = (handler: (request: Request) => Response | Promise<Response>): ModelPort => {
    const controller = new AbortController();
    const { addr, finished } = Deno.serve(
      { hostname: "127.0.0.1", port: 0, signal: controller.signal, onListen() {} },
      handler,
    );
    const model = modelAt(`http://127.0.0.1:${addr.port}`);
    closing.set(model, () => {
      controller.abort();
      return finished;
    });
    return model;
  };
  return {
    makeModel: () => at((request) => echo(request, wire, stream)),
    makeSilentModel: () => at(() => new Promise(() => {})),
    makeFailingModel: () => at(() => new Response("no", { status: 503 })),
    expectedText: (prompt) => prompt,
    dispose: (model) => closing.get(model)?.(),
  };
}

const SCRIPTED: ModelContractOptions<ModelPort> = {
  makeModel: () =>
    scriptedModel(({ messages, onDelta }) => {
      const block = messages.at(-1)?.content[0];
      const text = block?.type === "text" ? block.text : "";
      onDelta?.({ kind: "text", text });
      return text;
    }),
  makeFailingModel: () => scriptedModel([new Error("no")]),
  expectedText: (prompt) => prompt,
};

const chat = (stream: boolean) =>
  served(
    CHAT,
    stream,
    (baseUrl) => chatCompletionsModel({ baseUrl, model: "echo", apiKey: "sk-1", stream }),
  );

const messages = (stream: boolean) =>
  served(
    MESSAGES,
    stream,
    (baseUrl) => anthropicMessagesModel({ baseUrl, model: "echo", maxTokens: 100, stream }),
  );

/** Fails after a piece of each call, before the model that says it all is asked. */
const failsFirst: ModelPort = {
  call: ({ onDelta }) => {
    onDelta?.({ kind: "text", text: "No" });
    return Promise.reject(new ModelCallError("no", { kind: "server", retriable: true }));
  },
  parameters: () => ({ kind: "fails_first" }),
};

/** Fails each first attempt at a call. */
const secondTry = (model: ModelPort): ModelPort => ({
  call: (call) => (call.subAttempt === "1" ? failsFirst : model).call(call),
  parameters: () => model.parameters(),
});

const silent: ModelPort = {
  call: ({ signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
      if (signal.aborted) reject(signal.reason);
    }),
  parameters: () => ({ kind: "silent" }),
};

const sleep = () => Promise.resolve();

const RETRYING: ModelContractOptions<ModelPort> = {
  ...SCRIPTED,
  makeModel: async () => retryingModel(secondTry(await SCRIPTED.makeModel()), { sleep }),
  makeSilentModel: () => retryingModel(silent),
  makeFailingModel: () => retryingModel(failsFirst, { sleep }),
};

const FALLBACK: ModelContractOptions<ModelPort> = {
  ...SCRIPTED,
  makeModel: async () => fallbackModel([failsFirst, await SCRIPTED.makeModel()]),
  makeSilentModel: () => fallbackModel([failsFirst, silent]),
  makeFailingModel: () => fallbackModel([failsFirst, failsFirst]),
};

const MODELS: Readonly<Record<string, ModelContractOptions<ModelPort>>> = {
  "scriptedModel()": SCRIPTED,
  "retryingModel()": RETRYING,
  "fallbackModel()": FALLBACK,
  "chatCompletionsModel() whole": chat(false),
  "chatCompletionsModel() streaming": chat(true),
  "anthropicMessagesModel() whole": messages(false),
  "anthropicMessagesModel() streaming": messages(true),
};

for (const [subject, options] of Object.entries(MODELS)) {
  for (const { name, run } of modelContract(options)) Deno.test(`${subject} ${name}`, run);
}
