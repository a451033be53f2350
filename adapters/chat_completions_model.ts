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
 *   accept_finish_reasons: "[]",
 *   inline_thoughts: "split",
 *   echo: "all",
 *   empty_text: "(empty)",
 *   "request.temperature": "0",
 * });
 * ```
 *
 * @module
 */
import type { ModelPort } from "../ports/mod.ts";
import type { JsonValue, KnownFields } from "../types/mod.ts";
import { httpModel, type ModelDialect } from "./_wire/http_model.ts";
import {
  HTTP_MODEL_OPTIONS,
  type HttpModelOptions,
  httpModelSettings,
  requestMembers,
} from "./_wire/http_model_options.ts";
import { modelEndpoint } from "./_wire/model_endpoint.ts";
import {
  chatCompletionsMessages,
  chatCompletionsTools,
} from "./_wire/prompt/chat_completions_prompt.ts";
import { CHAT_COMPLETIONS, ChatCompletionsReader } from "./_wire/reply/chat_completions_reply.ts";

export type { HttpModelOptions };

/** How {@link chatCompletionsModel} reaches a model, and what it asks of it. The key is sent as `Authorization: Bearer …`. */
export interface ChatCompletionsModelOptions extends HttpModelOptions {
  /**
   * The address before `/chat/completions`, such as `http://localhost:11434/v1`, or with it. A query is kept. It may hold
   * no user name and password.
   */
  readonly baseUrl: string;
  /**
   * More members of the request's body: `temperature`, `max_tokens`, `parallel_tool_calls`, … Each is a parameter of
   * the run. Not `model`, `messages`, `tools`, `stream`, nor `n`: a call has one reply. Absent: none.
   */
  readonly request?: Readonly<Record<string, JsonValue>>;
}

const OPTIONS: KnownFields<ChatCompletionsModelOptions> = {
  ...HTTP_MODEL_OPTIONS,
  baseUrl: true,
  request: true,
};

const RESERVED_MEMBERS = ["model", "messages", "tools", "stream", "n"];

const DIALECT: ModelDialect = {
  kind: CHAT_COMPLETIONS,
  maxToolNameLength: 64, // of OpenAI
  body: ({ messages, tools }, settings) => ({
    model: settings.model,
    messages: chatCompletionsMessages(messages, settings),
    ...(tools.length > 0 && { tools: chatCompletionsTools(tools, settings.names) }),
    ...(settings.stream && { stream: true, stream_options: { include_usage: true } }),
  }),
  reader: (settings) => new ChatCompletionsReader(settings),
};

/**
 * A model behind a server with OpenAI's Chat Completions interface. A call is one request: nothing is tried again.
 *
 * What a reply holds beside text and tool calls goes back with it, through `providerData` (see `echo`), and so do the
 * ids that the server gave to its tool calls. A call without an id of its own gets one made up in the reply, and on the
 * wire nine letters and digits. Messages of one role in a row are sent as one, with a blank line between their texts. A
 * tool's schema is sent with `type` and `properties`, and without `$schema`.
 *
 * What the wire cannot carry: whether a tool result is an error (its text has to say it), texts that are empty (a turn
 * of the user is sent as `emptyText`), white space at the end of a last text of the assistant, lone surrogates (U+FFFD
 * stands for them), tool names with other characters than letters, digits, `_` and `-` or of more than 64 (they are
 * mapped one to one, and back in replies).
 *
 * @throws {InvalidRequestError} For an option that is not as it must be.
 * @throws {SerializationError} For a member of `request` that JSON cannot carry.
 */
export function chatCompletionsModel(options: ChatCompletionsModelOptions): ModelPort {
  const settings = httpModelSettings(options, OPTIONS);
  const { apiKey, stream } = settings;
  const endpoint = modelEndpoint("/chat/completions", {
    ...options,
    ownHeaders: {
      "content-type": "application/json",
      accept: stream ? "text/event-stream" : "application/json",
      ...(apiKey && { authorization: `Bearer ${apiKey}` }),
    },
  });
  return httpModel(DIALECT, endpoint, settings, requestMembers(options.request, RESERVED_MEMBERS));
}
