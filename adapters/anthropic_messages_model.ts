/**
 * A model behind Anthropic's Messages API, or a gateway that speaks it.
 *
 * @example
 * ```ts
 * import { anthropicMessagesModel } from "@polyloop/polyloop/adapters/anthropic-messages-model";
 * import { assertEquals } from "@std/assert";
 *
 * const model = anthropicMessagesModel({
 *   baseUrl: "https://api.anthropic.com",
 *   model: "claude-sonnet-4-5",
 *   maxTokens: 4096,
 *   request: { tool_choice: { type: "auto", disable_parallel_tool_use: true } },
 * });
 * assertEquals(model.parameters(), {
 *   kind: "anthropic_messages",
 *   model: "claude-sonnet-4-5",
 *   accept_finish_reasons: "[]",
 *   inline_thoughts: "split",
 *   echo: "all",
 *   empty_text: "(empty)",
 *   "request.max_tokens": "4096",
 *   "request.tool_choice": '{"disable_parallel_tool_use":true,"type":"auto"}',
 * });
 * ```
 *
 * @module
 */
import type { ModelPort } from "../ports/mod.ts";
import type { JsonValue, KnownFields } from "../types/mod.ts";
import { checkWhole } from "./_check_whole.ts";
import { httpModel, type ModelDialect } from "./_wire/http_model.ts";
import {
  HTTP_MODEL_OPTIONS,
  type HttpModelOptions,
  httpModelSettings,
  requestMembers,
} from "./_wire/http_model_options.ts";
import { modelEndpoint } from "./_wire/model_endpoint.ts";
import { anthropicPrompt, anthropicTools } from "./_wire/prompt/anthropic_messages_prompt.ts";
import {
  ANTHROPIC_MESSAGES,
  AnthropicMessagesReader,
} from "./_wire/reply/anthropic_messages_reply.ts";

export type { HttpModelOptions };

/** How {@link anthropicMessagesModel} reaches a model, and what it asks of it. The key is sent as `x-api-key`. */
export interface AnthropicMessagesModelOptions extends HttpModelOptions {
  /**
   * The address before `/v1/messages`, such as `https://api.anthropic.com`, or with all or a part of it. A query is kept.
   * It may hold no user name and password.
   */
  readonly baseUrl: string;
  /** How many tokens a reply may have: a whole number, 1 or more. The API has no default. */
  readonly maxTokens: number;
  /**
   * More members of the request's body: `temperature`, `thinking`, `tool_choice`, … Each is a parameter of the run.
   * Not `model`, `max_tokens`, `system`, `messages`, `tools` and `stream`. Absent: none.
   */
  readonly request?: Readonly<Record<string, JsonValue>>;
}

const OPTIONS: KnownFields<AnthropicMessagesModelOptions> = {
  ...HTTP_MODEL_OPTIONS,
  baseUrl: true,
  maxTokens: true,
  request: true,
};

const RESERVED_MEMBERS = ["model", "max_tokens", "system", "messages", "tools", "stream"];

const DIALECT: ModelDialect = {
  kind: ANTHROPIC_MESSAGES,
  maxToolNameLength: 128,
  body({ messages, tools }, settings) {
    const { system, messages: turns } = anthropicPrompt(messages, settings);
    return {
      model: settings.model,
      ...(system.length > 0 && { system }),
      messages: turns,
      ...(tools.length > 0 && { tools: anthropicTools(tools, settings.names) }),
      ...(settings.stream && { stream: true }),
    };
  },
  reader: (settings) => new AnthropicMessagesReader(settings),
};

/**
 * A model behind Anthropic's Messages API. A call is one request: nothing is tried again.
 *
 * System messages go into the top-level `system`, wherever they stood; a tool result is a block of the user's turn and
 * comes first in it; messages of one role in a row are one turn, and where texts meet a blank line stands between them.
 * Blocks of the model's reasoning go back unchanged, with their signatures, through `providerData` (see `echo`), and so
 * do the ids that the server gave to its tool calls; other calls have nine letters and digits. A tool's schema is sent
 * with `type` and `properties`, and without `$schema`.
 *
 * What the wire cannot carry: texts without anything but space (left out; a turn of the user, or a result, is sent as
 * `emptyText`), white space at the end of a last text of the assistant, lone surrogates (U+FFFD stands for them), tool
 * names with other characters than letters, digits, `_` and `-` (they are mapped one to one, and back in replies).
 *
 * @throws {InvalidRequestError} For an option that is not as it must be.
 * @throws {SerializationError} For a member of `request` that JSON cannot carry.
 */
export function anthropicMessagesModel(options: AnthropicMessagesModelOptions): ModelPort {
  const settings = httpModelSettings(options, OPTIONS);
  const { apiKey, stream } = settings;
  const { maxTokens } = options;
  checkWhole("maxTokens", maxTokens, 1);
  const endpoint = modelEndpoint("/v1/messages", {
    ...options,
    ownHeaders: {
      "content-type": "application/json",
      accept: stream ? "text/event-stream" : "application/json",
      "anthropic-version": "2023-06-01",
      ...(apiKey && { "x-api-key": apiKey }),
    },
  });
  const members = {
    max_tokens: maxTokens,
    ...requestMembers(options.request, RESERVED_MEMBERS),
  };
  return httpModel(DIALECT, endpoint, settings, members);
}
