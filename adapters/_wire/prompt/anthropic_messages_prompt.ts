import {
  type ContentBlock,
  type JsonObject,
  type JsonValue,
  type Message,
  ModelCallError,
  present,
  type ToolSchema,
} from "../../../types/mod.ts";
import { ANTHROPIC_MESSAGES, TOOL_USE_MEMBERS } from "../reply/anthropic_messages_reply.ts";
import { asArray, asObject, asText, wellFormed } from "../unknown_json.ts";
import { goesBack } from "./echo.ts";
import { isBlank, joinTexts, messagesToSend, type SentMessage } from "./message_blocks.ts";
import type { PromptSettings } from "./prompt_settings.ts";
import { toolParameters } from "./tool_parameters.ts";
import type { ToolNames } from "./tool_names.ts";
import { withWireIds } from "./wire_call_ids.ts";

/** A block on this wire. */
type WireBlock = { readonly type: string } & JsonObject;

/** A turn on this wire. */
interface Turn {
  readonly role: "user" | "assistant";
  readonly content: readonly WireBlock[];
}

/** A prompt on this wire: system messages stand apart, wherever they stood. */
export interface AnthropicPrompt {
  /** What the system messages say, in order. */
  readonly system: readonly JsonValue[];
  /** The other messages, with turns that alternate. */
  readonly messages: readonly JsonValue[];
}

/**
 * A prompt as the Anthropic Messages API takes it: tool results are the user's and come first in their turn, messages
 * of one role in a row are one turn, and blank texts are left out.
 *
 * @throws {ModelCallError} `bad_request`, for what cannot be said on this wire.
 */
export function anthropicPrompt(
  messages: readonly Message[],
  settings: PromptSettings,
): AnthropicPrompt {
  const sent = messagesToSend(messages, { ...settings, adapter: ANTHROPIC_MESSAGES });
  const system: WireBlock[] = [];
  const turns: Turn[] = [];
  for (const message of withWireIds(sent, givenIds)) {
    const content = wireBlocks(message, settings);
    if (message.role === "system") {
      for (const block of content) system.push(block);
    } else if (content.length > 0) {
      const role = message.role === "assistant" ? "assistant" : "user";
      const last = turns.at(-1);
      if (last?.role !== role) turns.push({ role, content });
      else turns[turns.length - 1] = { role, content: joinBlocks(last.content, content) };
    }
  }
  return { system, messages: turns.map(resultsFirst) };
}

/** Tools as the Anthropic Messages API takes them. */
export function anthropicTools(
  tools: readonly ToolSchema[],
  names: ToolNames,
): readonly JsonValue[] {
  return tools.map(({ name, description, parameters }) => ({
    name: names.toWire(name),
    description: description.toWellFormed(),
    input_schema: wellFormed(toolParameters(parameters)),
  }));
}

/** The blocks of two messages that become one turn: results come first, and texts that meet are one. */
function joinBlocks(
  before: readonly WireBlock[],
  after: readonly WireBlock[],
): readonly WireBlock[] {
  const others = before.filter((block) => !isResult(block));
  const next = after.filter((block) => !isResult(block));
  const results = [...before, ...after].filter(isResult);
  const [last, first] = [others.at(-1), next[0]].map((block) =>
    block?.type === "text" ? asText(block.text) : undefined
  );
  if (last === undefined || first === undefined) return [...results, ...others, ...next];
  const joined = joinTexts([last], [first]).flatMap(textBlocks);
  return [...results, ...others.slice(0, -1), ...joined, ...next.slice(1)];
}

function resultsFirst({ role, content }: Turn): JsonValue {
  const others = content.filter((block) => !isResult(block));
  return { role, content: [...content.filter(isResult), ...others] };
}

function isResult({ type }: WireBlock): boolean {
  return type === "tool_result";
}

/** Where the blocks of the model's message stood, and what the adapter kept of them. */
function keptBlocks({ providerData }: SentMessage): readonly WireBlock[] {
  return asArray(providerData?.content).filter(isWireBlock);
}

/** What was kept of the calls of a message, as many as it has. */
function keptCalls(message: SentMessage): readonly WireBlock[] {
  const kept = keptBlocks(message).filter(({ type }) => type === "tool_use");
  const count = message.blocks.filter(({ type }) => type === "tool_call").length;
  return kept.length === count ? kept : [];
}

function givenIds(message: SentMessage): readonly (string | undefined)[] {
  return keptCalls(message).map(({ id }) => asText(id));
}

function wireBlocks(message: SentMessage, settings: PromptSettings): readonly WireBlock[] {
  const kept = keptCalls(message);
  let call = 0;
  const blocks = message.blocks.flatMap((block): readonly WireBlock[] =>
    block.type === "tool_call"
      ? [toolUse(block, kept[call++], settings)]
      : block.type === "text"
      ? textBlocks(block.text)
      : [toolResult(block)]
  );
  return message.role === "assistant" ? withReasoning(message, blocks, settings) : blocks;
}

/** The API refuses texts without anything but space. */
function textBlocks(text: string): readonly WireBlock[] {
  return isBlank(text) ? [] : [{ type: "text", text: text.toWellFormed() }];
}

function toolResult(block: ContentBlock & { readonly type: "tool_result" }): WireBlock {
  return present({
    type: "tool_result",
    tool_use_id: block.toolCallId.toWellFormed(),
    content: textBlocks(block.text),
    is_error: block.isError || undefined,
  });
}

function toolUse(
  block: ContentBlock & { readonly type: "tool_call" },
  kept: JsonObject | undefined,
  { names, echo }: PromptSettings,
): WireBlock {
  const extras = Object.entries(kept ?? {}).filter(([name]) =>
    !TOOL_USE_MEMBERS.has(name) && goesBack(echo, name)
  );
  return {
    ...Object.fromEntries(extras),
    type: "tool_use",
    id: block.toolCallId.toWellFormed(),
    name: names.toWire(block.name),
    input: toolInput(block.arguments),
  };
}

function toolInput(value: JsonValue): JsonValue {
  if (asObject(value) !== undefined) return wellFormed(value);
  throw new ModelCallError("the arguments of a tool call in the prompt are not an object", {
    kind: "bad_request",
    retriable: false,
  });
}

function isWireBlock(value: JsonValue): value is WireBlock {
  return typeof asObject(value)?.type === "string";
}

/** The blocks with those of the model's reasoning back in their places, as they were. */
function withReasoning(
  message: SentMessage,
  blocks: readonly WireBlock[],
  { echo }: PromptSettings,
): readonly WireBlock[] {
  const places = keptBlocks(message);
  if (places.length === 0) return blocks;
  const texts = blocks.filter((block) => block.type === "text");
  const calls = blocks.filter((block) => block.type === "tool_use");
  const result: WireBlock[] = [];
  for (const place of places) {
    const block = place.type === "text"
      ? texts.shift()
      : place.type === "tool_use"
      ? calls.shift()
      : goesBack(echo, place.type)
      ? place
      : undefined;
    if (block !== undefined) result.push(block);
  }
  return [...result, ...texts, ...calls];
}
