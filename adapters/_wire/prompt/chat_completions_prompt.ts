import type {
  ContentBlock,
  JsonObject,
  JsonValue,
  Message,
  ToolCallBlock,
  ToolSchema,
} from "../../../types/mod.ts";
import { CHAT_COMPLETIONS } from "../reply/chat_completions_reply.ts";
import { CALL_MEMBERS, FUNCTION_MEMBERS, MESSAGE_MEMBERS } from "../reply/choice.ts";
import { asArray, asObject, asText, wellFormed } from "../unknown_json.ts";
import { goesBack } from "./echo.ts";
import { isBlank, joinTexts, messagesToSend, type SentMessage } from "./message_blocks.ts";
import type { PromptSettings } from "./prompt_settings.ts";
import { toolParameters } from "./tool_parameters.ts";
import type { ToolNames } from "./tool_names.ts";
import { withWireIds } from "./wire_call_ids.ts";

/** A message on this wire, while others may still join it. */
type WireMessage =
  | { readonly role: "system" | "user"; readonly texts: readonly string[] }
  | {
    readonly role: "assistant";
    readonly texts: readonly string[];
    /** The parts of the content that are no text, and where the texts stand between them. */
    readonly parts: readonly JsonValue[];
    readonly calls: readonly JsonValue[];
    readonly extras: JsonObject;
  }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

/**
 * A prompt as OpenAI-compatible servers take it. Messages of one role in a row are one, since templates want turns to
 * alternate; a message that says nothing is left out.
 *
 * @throws {ModelCallError} `bad_request`, for what cannot be said on this wire.
 */
export function chatCompletionsMessages(
  messages: readonly Message[],
  settings: PromptSettings,
): readonly JsonValue[] {
  const sent = messagesToSend(messages, { ...settings, adapter: CHAT_COMPLETIONS });
  const joined: WireMessage[] = [];
  for (const message of withWireIds(sent, givenIds)) {
    for (const next of wireMessages(message, settings)) {
      const both = joinedWith(joined.at(-1), next);
      if (both !== undefined) joined.pop();
      joined.push(both ?? next);
    }
  }
  return joined.map(written);
}

/** Tools as OpenAI-compatible servers take them. */
export function chatCompletionsTools(
  tools: readonly ToolSchema[],
  names: ToolNames,
): readonly JsonValue[] {
  return tools.map(({ name, description, parameters }) => ({
    type: "function",
    function: {
      name: names.toWire(name),
      description: description.toWellFormed(),
      parameters: wellFormed(toolParameters(parameters)),
    },
  }));
}

/** What the adapter kept of the calls of a message, as many as it has. */
function keptCalls({ providerData, blocks }: SentMessage): readonly (JsonObject | undefined)[] {
  const calls = asArray(providerData?.calls).map(asObject);
  const count = blocks.filter(({ type }) => type === "tool_call").length;
  return calls.length === count ? calls : [];
}

function givenIds(message: SentMessage): readonly (string | undefined)[] {
  return keptCalls(message).map((call) => asText(call?.id));
}

function wireMessages(message: SentMessage, settings: PromptSettings): readonly WireMessage[] {
  const { role, blocks } = message;
  const texts = blocks.filter((block) => block.type === "text").map(({ text }) =>
    text.toWellFormed()
  );
  if (role === "assistant") {
    const kept = keptCalls(message);
    const calls = blocks.filter((block) => block.type === "tool_call").map((call, i) =>
      toolCall(call, kept[i], settings)
    );
    const extras = extraMembers(asObject(message.providerData?.message), MESSAGE_MEMBERS, settings);
    const parts = keptParts(message, settings);
    const isSilent = texts.every(isBlank) && calls.length + parts.length === 0 &&
      Object.values(extras).every((value) => value === "");
    return isSilent ? [] : [{ role, texts, parts, calls, extras }];
  }
  const results = blocks.flatMap(toolMessage);
  return role === "tool" || texts.every(isBlank) ? results : [...results, { role, texts }];
}

/** The parts of a message's content that go back, where some are no text. */
function keptParts({ providerData }: SentMessage, { echo }: PromptSettings): readonly JsonValue[] {
  const parts = asArray(providerData?.parts).filter((part) => {
    const type = asText(asObject(part)?.type) ?? "";
    return type === "text" || goesBack(echo, type);
  });
  return parts.some((part) => asObject(part)?.type !== "text") ? parts : [];
}

/** There is no place for `isError`: the text has to say it. */
function toolMessage(block: ContentBlock): readonly WireMessage[] {
  if (block.type !== "tool_result") return [];
  const tool_call_id = block.toolCallId.toWellFormed();
  return [{ role: "tool", tool_call_id, content: block.text.toWellFormed() }];
}

function toolCall(
  call: ToolCallBlock,
  kept: JsonObject | undefined,
  settings: PromptSettings,
): JsonValue {
  return {
    ...extraMembers(kept, CALL_MEMBERS, settings),
    id: call.toolCallId.toWellFormed(),
    type: "function",
    function: {
      ...extraMembers(asObject(kept?.function), FUNCTION_MEMBERS, settings),
      name: settings.names.toWire(call.name),
      arguments: JSON.stringify(wellFormed(call.arguments)),
    },
  };
}

/** The members that only the server understands, as they came. */
function extraMembers(
  kept: JsonObject | undefined,
  understood: ReadonlySet<string>,
  { echo }: PromptSettings,
): JsonObject {
  const members = Object.entries(kept ?? {});
  return Object.fromEntries(
    members.filter(([name]) => !understood.has(name) && goesBack(echo, name)),
  );
}

/** Two messages as one. Absent: they have to stay two. */
function joinedWith(before: WireMessage | undefined, next: WireMessage): WireMessage | undefined {
  if (before === undefined || before.role === "tool" || next.role === "tool") return undefined;
  if (before.role !== next.role) return undefined;
  const texts = joinTexts(before.texts, next.texts);
  if (before.role !== "assistant" || next.role !== "assistant") return { ...before, texts };
  const [own, others] = [before.extras, next.extras].map((extras) => Object.keys(extras).length);
  if (before.parts.length + next.parts.length > 0) return undefined;
  if (before.calls.length > 0 || (own !== 0 && others !== 0)) return undefined;
  return { ...next, texts, extras: own === 0 ? next.extras : before.extras };
}

function written(message: WireMessage): JsonValue {
  if (message.role === "tool") return { ...message };
  const { role, texts } = message;
  if (message.role !== "assistant") return { role, content: contentOf(texts) };
  const { parts, calls, extras } = message;
  const content = parts.length > 0 ? withTexts(parts, texts) : contentOf(texts);
  return { ...extras, role, content, ...(calls.length > 0 && { tool_calls: calls }) };
}

/** One text as it is; several of one message as an array, so that their borders stay; `null` for none. */
function contentOf(texts: readonly string[]): JsonValue {
  if (texts.length < 2) return texts[0] ?? null;
  return texts.map((text) => ({ type: "text", text }));
}

/** The parts of a content with the texts in the place of the first that was one, or at the end. */
function withTexts(parts: readonly JsonValue[], texts: readonly string[]): JsonValue {
  const said = texts.map((text) => ({ type: "text", text }));
  const isText = (part: JsonValue) => asObject(part)?.type === "text";
  const at = parts.findIndex(isText);
  const before = at === -1 ? parts : parts.slice(0, at);
  const after = at === -1 ? [] : parts.slice(at + 1).filter((part) => !isText(part));
  return [...before, ...said, ...after];
}
