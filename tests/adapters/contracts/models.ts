/** The contract of every model of this library: on whatever runtime has Node's modules. */
import { createServer, type Server, type ServerResponse } from "node:http";
import type { ModelPort } from "@polyloop/polyloop";
import { anthropicMessagesModel } from "@polyloop/polyloop/adapters/anthropic-messages-model";
import { chatCompletionsModel } from "@polyloop/polyloop/adapters/chat-completions-model";
import { fallbackModel } from "@polyloop/polyloop/adapters/fallback-model";
import { retryingModel } from "@polyloop/polyloop/adapters/retrying-model";
import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
import {
  type ContractCase,
  modelContract,
  type ModelContractOptions,
} from "@polyloop/polyloop/contract";
import { ModelCallError } from "@polyloop/polyloop/types";

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

/** Gives a request's body its answer; where it gives none, the client waits. */
type Answer = (body: string, response: ServerResponse) => void;

/** Says what the last turn of a prompt says. */
function echo({ whole, events }: Wire, stream: boolean): Answer {
  return (body, response) => {
    const content = JSON.parse(body).messages.at(-1)?.content ?? "";
    const text = typeof content === "string" ? content : content.at(-1)?.text ?? "";
    const [start, end] = [text.slice(0, 3), text.slice(3)];
    const lines = events(start, end).map((event) => `data: ${JSON.stringify(event)}\n\n`);
    response.setHeader("content-type", stream ? "text/event-stream" : "application/json");
    response.end(stream ? lines.join("") : JSON.stringify(whole(start, end)));
  };
}

function served(
  wire: Wire,
  stream: boolean,
  modelAt: (baseUrl: string) => ModelPort,
): ModelContractOptions<ModelPort> {
  const servers = new WeakMap<ModelPort, Server>();
  const at = async (answer: Answer): Promise<ModelPort> => {
    const server = createServer(async (request, response) => {
      request.setEncoding("utf8");
      let body = "";
      for await (const piece of request) body += piece;
      answer(body, response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (address === null || typeof address === "string") throw new TypeError("no port");
    const model = modelAt(`http://127.0.0.1:${address.port}`);
    servers.set(model, server);
    return model;
  };
  return {
    makeModel: () => at(echo(wire, stream)),
    makeSilentModel: () => at(() => {}),
    makeFailingModel: () => at((_, response) => void response.writeHead(503).end("no")),
    expectedText: (prompt) => prompt,
    async dispose(model) {
      const server = servers.get(model);
      server?.closeAllConnections();
      await new Promise((resolve) => server ? server.close(resolve) : resolve(undefined));
    },
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

/** The cases of each model. */
export const MODEL_CASES: Readonly<Record<string, readonly ContractCase[]>> = Object.fromEntries(
  Object.entries(MODELS).map(([subject, options]) => [subject, modelContract(options)]),
);
