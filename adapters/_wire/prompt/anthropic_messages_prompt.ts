import {
  type JsonValue,
  type Message,
  ModelCallError,
  present,
  type ToolSchema,
} from "../../../types/mod.ts";
import { ANTHROPIC_MESSAGES } from "../reply/anthropic_messages_reply.ts";
import { blocksToSend, ownProviderData } from "./message_blocks.ts";
import type { ToolNames } from "./tool_names.ts";
import { toolParameters } from "./tool_parameters.ts";
import { asArray, asObject, wellFormed } from "../unknown_json.ts";

/** A block on this wire. */
type WireBlock = { readonly type: string } & { readonly [key: string]: JsonValue };

/** A message on this wire. */
interface WireMessage {
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
  names: ToolNames,
  model: string,
): AnthropicPrompt {
  const system: WireBlock[] = [];
  const turns: { role: WireMessage["role"]; content: WireBlock[] }[] = [];
  for (const message of messages) {
    const blocks = wireBlocks(message, names, model);
    if (message.role === "system") {
      system.push(...blocks);
      continue;
    }
    if (blocks.length === 0) continue;
    const role = message.role === "assistant" ? "assistant" : "user";
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else turns.push({ role, content: [...blocks] });
  }
  return { system, messages: turns.map(resultsFirst) };
}

/** Tools as the Anthropic Messages API takes them. */
export function anthropicTools(
  tools: readonly ToolSchema[],
  names: ToolNames,
): readonly JsonValue[] {
  return tools.map(({ name, description, parameters }) =>
    wellFormed({
      name: names.toWire(name),
      description,
      input_schema: toolParameters(parameters),
    })
  );
}

function resultsFirst({ role, content }: WireMessage): JsonValue {
  const isResult = (block: WireBlock) => block.type === "tool_result";
  return {
    role,
    content: [...content.filter(isResult), ...content.filter((block) => !isResult(block))],
  };
}

function wireBlocks(message: Message, names: ToolNames, model: string): readonly WireBlock[] {
  const blocks = blocksToSend(message).flatMap((block): WireBlock[] => {
    switch (block.type) {
      case "text":
        return textBlocks(block.text);
      case "tool_call":
        return [{
          type: "tool_use",
          id: block.toolCallId.toWellFormed(),
          name: names.toWire(block.name),
          input: toolInput(block.arguments),
        }];
      case "tool_result":
        return [present({
          type: "tool_result",
          tool_use_id: block.toolCallId.toWellFormed(),
          content: block.text.trim() === "" ? undefined : textBlocks(block.text),
          is_error: block.isError || undefined,
        })];
    }
  });
  return message.role === "assistant" ? withReasoning(message, blocks, model) : blocks;
}

/** The API refuses texts without anything but space. */
function textBlocks(text: string): WireBlock[] {
  return text.trim() === "" ? [] : [{ type: "text", text: text.toWellFormed() }];
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
  message: Message,
  blocks: readonly WireBlock[],
  model: string,
): readonly WireBlock[] {
  const recorded = asArray(ownProviderData(message, ANTHROPIC_MESSAGES, model)?.content);
  const places = recorded.filter(isWireBlock);
  if (places.length === 0) return blocks;
  const texts = blocks.filter((block) => block.type === "text");
  const calls = blocks.filter((block) => block.type === "tool_use");
  const result: WireBlock[] = [];
  for (const place of places) {
    if (place.type === "text") result.push(...texts.splice(0, 1));
    else if (place.type === "tool_use") result.push(...calls.splice(0, 1));
    else result.push(place);
  }
  return [...result, ...texts, ...calls];
}
