/**
 * A model behind any server with OpenAI's Chat Completions interface: OpenAI itself, LiteLLM, vLLM, Ollama, OpenRouter,
 * the llama.cpp server.
 *
 * @example
 * ```ts
 * import { chatCompletionsModel } from "@polyloop/polyloop/adapters/chat-completions-model";
 * import { assertEquals } from "@std/assert";
 *
 * const model = chatCompletionsModel({
 *   baseUrl: "http://localhost:11434/v1",
 *   model: "qwen3",
 *   request: { temperature: 0 },
 * });
 * assertEquals(model.parameters(), {
 *   kind: "chat_completions",
 *   model: "qwen3",
 *   "request.temperature": "0",
 * });
 * ```
 *
 * @module
 */
import type { ModelCall, ModelPort } from "../ports/mod.ts";
import { type JsonValue, type KnownFields, refuseUnknownFields } from "../types/mod.ts";
import {
  chatCompletionsMessages,
  chatCompletionsTools,
} from "./_wire/prompt/chat_completions_prompt.ts";
import { CHAT_COMPLETIONS, ChatCompletionsReader } from "./_wire/reply/chat_completions_reply.ts";
import { callModel } from "./_wire/model_call.ts";
import { modelEndpoint } from "./_wire/model_endpoint.ts";
import { checkApiKey } from "./_wire/request_parts.ts";
import { callTimes, checkModel, modelParameters, requestMembers } from "./_wire/model_options.ts";
import { toolNames } from "./_wire/prompt/tool_names.ts";

/** How {@link chatCompletionsModel} reaches a model, and what it asks of it. */
export interface ChatCompletionsModelOptions {
  /**
   * The address before `/chat/completions`, such as `http://localhost:11434/v1`. A query is kept. It may hold no user
   * name and password.
   */
  readonly baseUrl: string;
  /** The model's name, as the server knows it. */
  readonly model: string;
  /**
   * Sent as `Authorization: Bearer …`. It appears in no parameter, error or log. Absent: no such header.
   */
  readonly apiKey?: string;
  /**
   * More headers of every request. They go before the adapter's own, and their values are
   * treated as secrets. A function makes them for each call, from its id, its attempt and the request's `modelBinding`.
   * Absent: none.
   */
  readonly headers?:
    | Readonly<Record<string, string>>
    | ((
      call: Pick<ModelCall, "callId" | "attempt" | "binding">,
    ) => Readonly<Record<string, string>>);
  /**
   * Whether to send an `Idempotency-Key`. `true` names the request: `<callId>#<attempt>`, and `.<n>` after it where a
   * `retryingModel` or `fallbackModel` makes several at one call. `"call"` names the call, `<callId>`, for a server
   * that is to give a replayed call the reply that it gave before.
   *
   * @default {false}
   */
  readonly idempotencyKey?: boolean | "call";
  /**
   * How long the whole call may take, in milliseconds; 0 is for ever. What takes longer is a failed call of kind
   * `timeout`, retriable.
   *
   * @default {600000}
   */
  readonly timeoutMs?: number;
  /**
   * How long the server may be silent, in milliseconds; 0 is for ever. Any byte is life, a comment of a stream, too.
   * What is silent for longer is a failed call of kind `timeout`, retriable.
   *
   * @default {stream ? 120000 : 0}
   */
  readonly idleTimeoutMs?: number;
  /**
   * Whether to ask for a stream: `onDelta` gets pieces as they arrive rather than the whole at the end, and a reply
   * that breaks off leaves its text in the error. The reply is the same.
   *
   * @default {false}
   */
  readonly stream?: boolean;
  /**
   * More members of the request's body: `temperature`, `max_tokens`, `parallel_tool_calls`, … Each is a parameter of
   * the run. Not `model`, `messages`, `tools` and `stream`. Absent: none.
   */
  readonly request?: Readonly<Record<string, JsonValue>>;
}

/** The longest name of a function that OpenAI takes. */
const MAX_TOOL_NAME_LENGTH = 64;

const OPTIONS: KnownFields<ChatCompletionsModelOptions> = {
  baseUrl: true,
  model: true,
  apiKey: true,
  headers: true,
  stream: true,
  request: true,
  idempotencyKey: true,
  timeoutMs: true,
  idleTimeoutMs: true,
};

/**
 * A model behind a server with OpenAI's Chat Completions interface. A call is one request: nothing is tried again.
 *
 * What the wire cannot carry: whether a tool result is an error (its text has to say it), empty texts (left out), lone
 * surrogates (U+FFFD stands for them), tool names with other characters than letters, digits, `_` and `-` or of more
 * than 64 (they are mapped one to one, and back in replies). Reasoning text goes back as it came, through
 * `providerData`. A tool call that came without an id, or with an id that the reply has already, gets one made up.
 *
 * @throws {InvalidRequestError} For an option that is not as it must be.
 * @throws {SerializationError} For a member of `request` that JSON cannot carry.
 */
export function chatCompletionsModel(options: ChatCompletionsModelOptions): ModelPort {
  refuseUnknownFields(options, OPTIONS, { hideValues: true });
  const { model, apiKey, stream = false } = options;
  checkApiKey(apiKey);
  checkModel(model);
  const times = callTimes(options);
  const members = requestMembers(options.request ?? {}, ["model", "messages", "tools", "stream"]);
  const endpoint = modelEndpoint("/chat/completions", {
    baseUrl: options.baseUrl,
    apiKey,
    headers: options.headers,
    idempotencyKey: options.idempotencyKey,
    ownHeaders: {
      "content-type": "application/json",
      accept: stream ? "text/event-stream" : "application/json",
      ...(apiKey && { authorization: `Bearer ${apiKey}` }),
    },
  });

  return {
    call: ({ messages, tools = [], ...call }) =>
      callModel(endpoint, {
        model,
        stream,
        times,
        prepare() {
          const names = toolNames(tools, MAX_TOOL_NAME_LENGTH);
          const body = {
            model,
            messages: chatCompletionsMessages(messages, names, model),
            ...(tools.length > 0 && { tools: chatCompletionsTools(tools, names) }),
            ...(stream && { stream, stream_options: { include_usage: true } }),
            ...members,
          };
          return { body, reader: new ChatCompletionsReader(names, model, call.onDelta) };
        },
      }, call),
    parameters: () => modelParameters(CHAT_COMPLETIONS, model, members),
  };
}
