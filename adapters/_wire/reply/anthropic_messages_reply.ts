import {
  isJsonArray,
  type JsonObject,
  type JsonValue,
  ModelCallError,
  type ModelReply,
  present,
} from "../../../types/mod.ts";
import { finishReason, laterWord } from "./finish_reason.ts";
import { type JsonSource, textOf } from "../json_source.ts";
import type { FinishedReader } from "../model_call.ts";
import { replyToolCalls } from "./reply_tool_calls.ts";
import type { ReplySettings } from "./reply_settings.ts";
import { replyTexts } from "./reply_texts.ts";
import { TokenCounts } from "./token_counts.ts";
import { ToldPieces } from "./told_pieces.ts";
import { asObject, asText, parsedJson, recordable, usageOf } from "../unknown_json.ts";

/** Marks the `providerData` of this adapter, beside the model. */
export const ANTHROPIC_MESSAGES = "anthropic_messages";

/** The members of a block of a tool call that are read; whatever else is there goes back as it came. */
export const TOOL_USE_MEMBERS: ReadonlySet<string> = new Set(["type", "id", "name", "input"]);

/** A content block while it arrives. */
interface BlockDraft {
  /** The block as it began. */
  readonly start: JsonObject;
  /** Text, or reasoning text. */
  text: string;
  signature: string;
  /** The text of a tool's input. */
  input: string;
  /** Whether every piece of it was understood. */
  isWhole: boolean;
}

/** Reads one answer of the Anthropic Messages API. */
export class AnthropicMessagesReader implements FinishedReader {
  readonly #settings: ReplySettings;
  readonly #told: ToldPieces;
  #hasBegun = false;
  readonly #blocks: BlockDraft[] = [];
  readonly #blockAtIndex = new Map<JsonValue | undefined, BlockDraft>();
  readonly #tokens = new TokenCounts();
  #stopReason = "";
  #servedModel: string | undefined;
  #responseId: string | undefined;

  constructor(settings: ReplySettings) {
    this.#settings = settings;
    this.#told = new ToldPieces(settings.onDelta, settings.inlineThoughts === "split");
  }

  text(): string | undefined {
    return this.#hasBegun ? this.#textOfType("text") : undefined;
  }

  takeBody(body: JsonValue, source: JsonSource): boolean {
    const message = asObject(body);
    if (message === undefined || !isJsonArray(message.content)) return false;
    this.#takeEnvelope(message);
    const content = source.member("content");
    message.content.forEach((value, i) => {
      const start = asObject(value);
      if (start === undefined) return;
      this.#beginBlock(start, textOf(start.input, () => content.item(i).member("input")));
    });
    const reason = textOf(message.stop_reason, () => source.member("stop_reason"));
    this.#stopReason = laterWord(this.#stopReason, reason);
    return true;
  }

  takeEvent(value: JsonValue, source: JsonSource): boolean {
    const event = asObject(value);
    if (event?.type !== "message") {
      for (const place of [event, event?.delta]) this.#tokens.take(asObject(place)?.usage);
    }
    switch (event?.type) {
      case "message":
        return this.takeBody(value, source);
      case "message_start":
        this.#takeEnvelope(asObject(event.message) ?? {});
        return false;
      case "content_block_start":
        this.#takeBlockStart(event, source);
        return false;
      case "content_block_delta":
        this.#takeBlockDelta(event);
        return false;
      case "message_delta": {
        const reason = textOf(
          asObject(event.delta)?.stop_reason,
          () => source.member("delta").member("stop_reason"),
        );
        this.#stopReason = laterWord(this.#stopReason, reason);
        return false;
      }
      default:
        return event?.type === "message_stop";
    }
  }

  isComplete(): boolean {
    return this.#stopReason !== "";
  }

  reply(): ModelReply {
    const raw = this.#stopReason;
    const calls = this.#blocks.filter(({ start }) => start.type === "tool_use").map((
      { start, input },
    ) => present({ id: asText(start.id), name: asText(start.name) ?? "", rawArguments: input }));
    const { names, model, acceptFinishReasons, inlineThoughts } = this.#settings;
    const toolCalls = calls.length > 0;
    const reason = finishReason(raw, { toolCalls }, acceptFinishReasons);
    const texts = replyTexts(
      this.#textOfType("text"),
      this.#textOfType("thinking"),
      inlineThoughts,
    );
    this.#told.finish(texts.text, texts.reasoning ?? "");
    return present({
      ...texts,
      toolCalls: toolCalls ? replyToolCalls(calls, names.fromWire) : undefined,
      finishReason: reason,
      rawFinishReason: asText(raw),
      usage: this.#usage(),
      servedModel: this.#servedModel,
      responseId: this.#responseId,
      providerData: providerData(this.#blocks, model),
    });
  }

  #textOfType(type: string): string {
    return this.#blocks.filter(({ start }) => start.type === type).map(({ text }) => text).join("");
  }

  #takeEnvelope(message: JsonObject): void {
    this.#hasBegun = true;
    this.#servedModel = asText(message.model);
    this.#responseId = asText(message.id);
    this.#tokens.take(message.usage);
  }

  #usage(): ModelReply["usage"] | undefined {
    const input = this.#tokens.get("input_tokens", "prompt_tokens");
    const cached = this.#tokens.get("cache_read_input_tokens");
    const written = this.#tokens.get("cache_creation_input_tokens");
    return usageOf({
      inputTokens: input === undefined ? undefined : input + (cached ?? 0) + (written ?? 0),
      outputTokens: this.#tokens.get("output_tokens", "completion_tokens"),
      cachedInputTokens: cached,
      cacheWriteTokens: written,
    });
  }

  #takeBlockStart(event: JsonObject, source: JsonSource): void {
    const start = asObject(event.content_block) ?? {};
    const hasInput = Object.keys(asObject(start.input) ?? {}).length > 0;
    const input = hasInput ? source.member("content_block").member("input").compact() : "";
    this.#blockAtIndex.set(event.index, this.#beginBlock(start, input));
  }

  #beginBlock(start: JsonObject, input: string): BlockDraft {
    const block = {
      start,
      text: "",
      signature: asText(start.signature) ?? "",
      input,
      isWhole: true,
    };
    this.#blocks.push(block);
    if (start.type === "text") this.#takeText(block, "text", asText(start.text) ?? "");
    if (start.type === "thinking") this.#takeText(block, "reasoning", asText(start.thinking) ?? "");
    return block;
  }

  #takeBlockDelta(event: JsonObject): void {
    const block = this.#blockAtIndex.get(event.index);
    if (block === undefined) {
      throw new ModelCallError("the stream brought a piece of a block that never began", {
        kind: "malformed_response",
        retriable: true,
      });
    }
    const delta = asObject(event.delta) ?? {};
    const piece = (name: string) => asText(delta[name]) ?? "";
    switch (delta.type) {
      case "text_delta":
        this.#takeText(block, "text", piece("text"));
        break;
      case "thinking_delta":
        this.#takeText(block, "reasoning", piece("thinking"));
        break;
      case "signature_delta":
        block.signature += piece("signature");
        break;
      case "input_json_delta":
        block.input += piece("partial_json");
        break;
      default:
        block.isWhole = false;
    }
  }

  #takeText(block: BlockDraft, kind: "text" | "reasoning", text: string): void {
    block.text += text;
    if (kind === "text") this.#told.takeText(text);
    else this.#told.takeReasoning(text);
  }
}

/**
 * What goes back to the model with its message: its reasoning and whatever else only the server understands, as it
 * came, the ids of its calls, and where texts and calls stood between them. Absent: nothing does.
 */
function providerData(blocks: readonly BlockDraft[], model: string): JsonValue | undefined {
  const content = blocks.flatMap(keptBlock);
  const isKept = (block: JsonObject) => block.type !== "text" && Object.keys(block).length > 1;
  return content.some(isKept)
    ? recordable({ adapter: ANTHROPIC_MESSAGES, model, content })
    : undefined;
}

function keptBlock({ start, text, signature, input, isWhole }: BlockDraft): readonly JsonObject[] {
  switch (start.type) {
    case "text":
      return [{ type: "text" }];
    case "tool_use": {
      const { name: _, input: __, ...kept } = start;
      return [kept];
    }
    case "thinking":
      return [present({ ...start, thinking: text, signature: asText(signature) })];
    default: {
      if (!isWhole || asText(start.type) === undefined) return [];
      const given = input === "" ? start.input : parsedJson(input);
      return input !== "" && given === undefined ? [] : [present({ ...start, input: given })];
    }
  }
}
