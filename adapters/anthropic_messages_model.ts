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
 *   "request.max_tokens": "4096",
 *   "request.tool_choice": '{"disable_parallel_tool_use":true,"type":"auto"}',
 * });
 * ```
 *
 * @module
 */
import type { ModelCall, ModelPort } from "../ports/mod.ts";
import { type JsonValue, type KnownFields, refuseUnknownFields } from "../types/mod.ts";
import { checkWhole } from "./_check_whole.ts";
import { anthropicPrompt, anthropicTools } from "./_wire/prompt/anthropic_messages_prompt.ts";
import {
  ANTHROPIC_MESSAGES,
  AnthropicMessagesReader,
} from "./_wire/reply/anthropic_messages_reply.ts";
import { callModel } from "./_wire/model_call.ts";
import { modelEndpoint } from "./_wire/model_endpoint.ts";
import { checkApiKey } from "./_wire/request_parts.ts";
import { callTimes, checkModel, modelParameters, requestMembers } from "./_wire/model_options.ts";
import { toolNames } from "./_wire/prompt/tool_names.ts";

/** How {@link anthropicMessagesModel} reaches a model, and what it asks of it. */
export interface AnthropicMessagesModelOptions {
  /**
   * The address before `/v1/messages`, such as `https://api.anthropic.com`. A query is kept. It may hold no user name
   * and password.
   */
  readonly baseUrl: string;
  /** The model's name, as the server knows it. */
  readonly model: string;
  /** How many tokens a reply may have: a whole number, 1 or more. The API has no default. */
  readonly maxTokens: number;
  /**
   * Sent as `x-api-key`. It appears in no parameter, error or log. Absent: no such header.
   */
  readonly apiKey?: string;
  /**
   * More headers of every request, such as `anthropic-beta`. They go before the adapter's own, and their values are
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
   * More members of the request's body: `temperature`, `thinking`, `tool_choice`, … Each is a parameter of the run.
   * Not `model`, `max_tokens`, `system`, `messages`, `tools` and `stream`. Absent: none.
   */
  readonly request?: Readonly<Record<string, JsonValue>>;
}

/** The longest name of a tool that the API takes. */
const MAX_TOOL_NAME_LENGTH = 128;

const OPTIONS: KnownFields<AnthropicMessagesModelOptions> = {
  baseUrl: true,
  model: true,
  maxTokens: true,
  apiKey: true,
  headers: true,
  stream: true,
  request: true,
  idempotencyKey: true,
  timeoutMs: true,
  idleTimeoutMs: true,
};

/**
 * A model behind Anthropic's Messages API. A call is one request: nothing is tried again.
 *
 * System messages go into the top-level `system`, wherever they stood; a tool result is a block of the user's turn and
 * comes first in it; messages of one role in a row are one turn of several blocks. What the wire cannot carry: texts
 * without anything but space (left out), lone surrogates (U+FFFD stands for them), tool names with other characters
 * than letters, digits, `_` and `-` (they are mapped one to one, and back in replies). Blocks of the model's reasoning
 * go back unchanged, with their signatures, through `providerData`.
 *
 * @throws {InvalidRequestError} For an option that is not as it must be.
 * @throws {SerializationError} For a member of `request` that JSON cannot carry.
 */
export function anthropicMessagesModel(options: AnthropicMessagesModelOptions): ModelPort {
  refuseUnknownFields(options, OPTIONS, { hideValues: true });
  const { model, apiKey, maxTokens, stream = false } = options;
  checkApiKey(apiKey);
  checkModel(model);
  const times = callTimes(options);
  checkWhole("maxTokens", maxTokens, 1);
  const members = {
    max_tokens: maxTokens,
    ...requestMembers(options.request ?? {}, RESERVED_MEMBERS),
  };
  const endpoint = modelEndpoint("/v1/messages", {
    baseUrl: options.baseUrl,
    apiKey,
    headers: options.headers,
    idempotencyKey: options.idempotencyKey,
    ownHeaders: {
      "content-type": "application/json",
      accept: stream ? "text/event-stream" : "application/json",
      "anthropic-version": "2023-06-01",
      ...(apiKey && { "x-api-key": apiKey }),
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
          const { system, messages: turns } = anthropicPrompt(messages, names, model);
          const body = {
            model,
            ...(system.length > 0 && { system }),
            messages: turns,
            ...(tools.length > 0 && { tools: anthropicTools(tools, names) }),
            ...(stream && { stream }),
            ...members,
          };
          return { body, reader: new AnthropicMessagesReader(names, model, call.onDelta) };
        },
      }, call),
    parameters: () => modelParameters(ANTHROPIC_MESSAGES, model, members),
  };
}

const RESERVED_MEMBERS = ["model", "max_tokens", "system", "messages", "tools", "stream"];
