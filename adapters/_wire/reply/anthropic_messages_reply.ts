import type { ModelDelta } from "../../../ports/mod.ts";
import {
  isJsonArray,
  type JsonObject,
  type JsonValue,
  ModelCallError,
  type ModelReply,
  present,
} from "../../../types/mod.ts";
import { finishFailure, finishReason } from "./finish_reason.ts";
import { type JsonSource, textOf } from "../json_source.ts";
import type { ReplyReader } from "../model_call.ts";
import { replyToolCalls } from "./reply_tool_calls.ts";
import type { ToolNames } from "../prompt/tool_names.ts";
import { asCount, asObject, asText, usageOf } from "../unknown_json.ts";

/** Marks the `providerData` of this adapter, beside the model. */
export const ANTHROPIC_MESSAGES = "anthropic_messages";

/** A content block while it arrives. */
interface BlockDraft {
  /** The block as it began. */
  readonly start: JsonObject;
  /** Text, or reasoning text. */
  text: string;
  signature: string;
  /** The text of a tool's input. */
  input: string;
}

/** Reads one answer of the Anthropic Messages API. */
export class AnthropicMessagesReader implements ReplyReader {
  readonly #names: ToolNames;
  readonly #model: string;
  readonly #onDelta: (delta: ModelDelta) => void;
  #hasBegun = false;
  readonly #blocks: BlockDraft[] = [];
  readonly #blockAtIndex = new Map<JsonValue | undefined, BlockDraft>();
  readonly #tokens = new Map<string, number>();
  #stopReason = "";
  #servedModel: string | undefined;
  #responseId: string | undefined;

  constructor(names: ToolNames, model: string, onDelta: (delta: ModelDelta) => void = () => {}) {
    this.#names = names;
    this.#model = model;
    this.#onDelta = onDelta;
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
    this.#stopReason = textOf(message.stop_reason, () => source.member("stop_reason"));
    return true;
  }

  takeEvent(value: JsonValue, source: JsonSource): boolean {
    const event = asObject(value);
    switch (event?.type) {
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
        if (reason !== "") this.#stopReason = reason;
        this.#takeUsage(event.usage);
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
    const failure = finishFailure(raw);
    if (failure !== undefined) throw failure;
    const calls = this.#blocks.filter(({ start }) => start.type === "tool_use").map((
      { start, input },
    ) => present({ id: asText(start.id), name: asText(start.name) ?? "", rawArguments: input }));
    const toolCalls = calls.length > 0;
    return present({
      text: this.#textOfType("text"),
      reasoning: asText(this.#textOfType("thinking")),
      toolCalls: toolCalls ? replyToolCalls(calls, this.#names.fromWire) : undefined,
      finishReason: finishReason(raw, { toolCalls }),
      rawFinishReason: asText(raw),
      usage: this.#usage(),
      servedModel: this.#servedModel,
      responseId: this.#responseId,
      providerData: providerData(this.#blocks, this.#model),
    });
  }

  #textOfType(type: string): string {
    return this.#blocks.filter(({ start }) => start.type === type).map(({ text }) => text).join("");
  }

  #takeEnvelope(message: JsonObject): void {
    this.#hasBegun = true;
    this.#servedModel = asText(message.model);
    this.#responseId = asText(message.id);
    this.#takeUsage(message.usage);
  }

  /** Counts are running totals: the last one counts. */
  #takeUsage(usage: JsonValue | undefined): void {
    for (const [name, value] of Object.entries(asObject(usage) ?? {})) {
      const count = asCount(value);
      if (count !== undefined) this.#tokens.set(name, count);
    }
  }

  #usage(): ModelReply["usage"] | undefined {
    const input = this.#tokens.get("input_tokens");
    const cached = this.#tokens.get("cache_read_input_tokens");
    const written = this.#tokens.get("cache_creation_input_tokens");
    return usageOf({
      inputTokens: input === undefined ? undefined : input + (cached ?? 0) + (written ?? 0),
      outputTokens: this.#tokens.get("output_tokens"),
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
    const block = { start, text: "", signature: asText(start.signature) ?? "", input };
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
    }
  }

  #takeText(block: BlockDraft, kind: ModelDelta["kind"], text: string): void {
    block.text += text;
    if (text !== "") this.#onDelta({ kind, text });
  }
}

/**
 * The blocks of the model's reasoning as they came, for the API wants them back unchanged, and where texts and tool
 * calls stood between them. Absent: there was no reasoning.
 */
function providerData(blocks: readonly BlockDraft[], model: string): JsonValue | undefined {
  const content = blocks.flatMap(({ start, text, signature }): JsonObject[] => {
    switch (start.type) {
      case "thinking":
        return [present({ ...start, thinking: text, signature: asText(signature) })];
      case "redacted_thinking":
        return [start];
      case "text":
      case "tool_use":
        return [{ type: start.type }];
      default:
        return [];
    }
  });
  const isReasoning = ({ type }: JsonObject) => type !== "text" && type !== "tool_use";
  return content.some(isReasoning) ? { adapter: ANTHROPIC_MESSAGES, model, content } : undefined;
}
