import type {
  ContentBlock,
  JsonValue,
  Message,
  ToolCallBlock,
  ToolResultBlock,
  ToolSchema,
} from "../../../types/mod.ts";
import { CHAT_COMPLETIONS, EXTRA_MEMBERS } from "../reply/chat_completions_reply.ts";
import { blocksToSend, ownProviderData } from "./message_blocks.ts";
import type { ToolNames } from "./tool_names.ts";
import { toolParameters } from "./tool_parameters.ts";
import { asObject, asText, wellFormed } from "../unknown_json.ts";

/** A prompt as OpenAI-compatible servers take it. A message that says nothing is left out. */
export function chatCompletionsMessages(
  messages: readonly Message[],
  names: ToolNames,
  model: string,
): readonly JsonValue[] {
  return messages.flatMap((message) => {
    const blocks = blocksToSend(message);
    if (message.role === "assistant") return assistantMessage(message, blocks, { names, model });
    const results = blocks.filter((block) => block.type === "tool_result").map(toolMessage);
    const content = textContent(blocks);
    return content === null ? results : [...results, { role: message.role, content }];
  });
}

/** Tools as OpenAI-compatible servers take them. */
export function chatCompletionsTools(
  tools: readonly ToolSchema[],
  names: ToolNames,
): readonly JsonValue[] {
  return tools.map(({ name, description, parameters }) => ({
    type: "function",
    function: wellFormed({
      name: names.toWire(name),
      description,
      parameters: toolParameters(parameters),
    }),
  }));
}

function assistantMessage(
  message: Message,
  blocks: readonly ContentBlock[],
  { names, model }: { readonly names: ToolNames; readonly model: string },
): readonly JsonValue[] {
  const extras = extraMembers(message, model);
  if (blocks.length === 0 && Object.keys(extras).length === 0) return [];
  const calls = blocks.filter((block) => block.type === "tool_call");
  return [{
    ...extras,
    role: "assistant",
    content: textContent(blocks),
    ...(calls.length > 0 && { tool_calls: calls.map((call) => toolCall(call, names)) }),
  }];
}

function extraMembers(message: Message, model: string): Record<string, string> {
  const recorded = asObject(ownProviderData(message, CHAT_COMPLETIONS, model)?.message);
  const members: Record<string, string> = {};
  for (const name of EXTRA_MEMBERS) {
    const text = asText(recorded?.[name]);
    if (text !== undefined) members[name] = text;
  }
  return members;
}

function toolCall(call: ToolCallBlock, names: ToolNames): JsonValue {
  return {
    id: call.toolCallId.toWellFormed(),
    type: "function",
    function: {
      name: names.toWire(call.name),
      arguments: JSON.stringify(wellFormed(call.arguments)),
    },
  };
}

/** There is no place for `isError`: the text has to say it. */
function toolMessage(result: ToolResultBlock): JsonValue {
  return {
    role: "tool",
    tool_call_id: result.toolCallId.toWellFormed(),
    content: result.text.toWellFormed(),
  };
}

/** One text as it is; several as an array, so that their borders stay; `null` for none. */
function textContent(blocks: readonly ContentBlock[]): JsonValue {
  const texts = blocks.filter((block) => block.type === "text").map((block) =>
    block.text.toWellFormed()
  );
  if (texts.length < 2) return texts[0] ?? null;
  return texts.map((text) => ({ type: "text", text }));
}
