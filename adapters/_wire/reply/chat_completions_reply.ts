import type { ModelDelta } from "../../../ports/mod.ts";
import {
  type JsonObject,
  type JsonValue,
  type ModelReply,
  present,
  type Usage,
} from "../../../types/mod.ts";
import { finishFailure, finishReason } from "./finish_reason.ts";
import { type JsonSource, textOf } from "../json_source.ts";
import type { ReplyReader } from "../model_call.ts";
import { replyToolCalls, type ToolCallDraft } from "./reply_tool_calls.ts";
import type { ToolNames } from "../prompt/tool_names.ts";
import { WholeObjectScan } from "./whole_object_scan.ts";
import { asArray, asCount, asObject, asText, usageOf } from "../unknown_json.ts";

/** Marks the `providerData` of this adapter, beside the model. */
export const CHAT_COMPLETIONS = "chat_completions";

const REASONING_MEMBERS = ["reasoning_content", "reasoning"];

/** The members of an assistant message, beside text and tool calls, that a server may want back as they were. */
export const EXTRA_MEMBERS: readonly string[] = [...REASONING_MEMBERS, "refusal"];

/** A tool call, or a piece of one. */
interface ToolCallPiece extends ToolCallDraft {
  readonly index?: number;
}

/** A tool call that arrives in pieces. */
interface StreamedToolCall extends ToolCallDraft {
  readonly scan: WholeObjectScan;
}

/** Reads one answer of an OpenAI-compatible server. */
export class ChatCompletionsReader implements ReplyReader {
  readonly #names: ToolNames;
  readonly #model: string;
  readonly #onDelta: (delta: ModelDelta) => void;
  #text: string | undefined;
  #reasoning = "";
  /** What has arrived of {@link EXTRA_MEMBERS}. */
  readonly #extras: Record<string, string> = {};
  readonly #streamedCalls: StreamedToolCall[] = [];
  /** All calls: those of a body, or the streamed ones. */
  #calls: readonly ToolCallDraft[] = this.#streamedCalls;
  readonly #callAtIndex = new Map<number, StreamedToolCall>();
  readonly #callOfId = new Map<string, StreamedToolCall>();
  #rawFinish = "";
  #usage: Usage | undefined;
  #servedModel: string | undefined;
  #responseId: string | undefined;

  constructor(names: ToolNames, model: string, onDelta: (delta: ModelDelta) => void = () => {}) {
    this.#names = names;
    this.#model = model;
    this.#onDelta = onDelta;
  }

  text(): string | undefined {
    return this.#text;
  }

  takeBody(body: JsonValue, source: JsonSource): boolean {
    const answer = asObject(body);
    const choice = asObject(asArray(answer?.choices)[0]);
    const message = asObject(choice?.message);
    if (answer === undefined || choice === undefined || message === undefined) return false;
    const choiceSource = () => source.member("choices").item(0);
    this.#takeEnvelope(answer);
    this.#takeMessage(message);
    this.#calls = toolCallPieces(message, () => choiceSource().member("message"));
    this.#rawFinish = textOf(choice.finish_reason, () => choiceSource().member("finish_reason"));
    return true;
  }

  takeEvent(event: JsonValue, source: JsonSource): boolean {
    const chunk = asObject(event);
    if (chunk === undefined) return false;
    this.#takeEnvelope(chunk);
    const choices = asArray(chunk.choices).map(asObject);
    const at = choices.findIndex((choice) => choice !== undefined && (choice.index ?? 0) === 0);
    const choice = choices[at];
    if (choice === undefined) return false;
    const choiceSource = () => source.member("choices").item(at);
    const delta = asObject(choice.delta) ?? {};
    this.#takeMessage(delta);
    for (const piece of toolCallPieces(delta, () => choiceSource().member("delta"))) {
      this.#takeToolCallPiece(piece);
    }
    const raw = textOf(choice.finish_reason, () => choiceSource().member("finish_reason"));
    if (raw !== "") this.#rawFinish = raw;
    return false;
  }

  isComplete(done: boolean): boolean {
    return done || this.#rawFinish !== "";
  }

  reply(): ModelReply {
    const raw = this.#rawFinish;
    const failure = finishFailure(raw);
    if (failure !== undefined) throw failure;
    const toolCalls = this.#calls.length > 0;
    const refusal = this.#extras.refusal !== undefined;
    return present({
      text: this.#text ?? "",
      reasoning: asText(this.#reasoning),
      toolCalls: toolCalls ? replyToolCalls(this.#calls, this.#names.fromWire) : undefined,
      finishReason: finishReason(raw, { toolCalls, refusal }),
      rawFinishReason: asText(raw),
      usage: this.#usage,
      servedModel: this.#servedModel,
      responseId: this.#responseId,
      providerData: Object.keys(this.#extras).length > 0
        ? { adapter: CHAT_COMPLETIONS, model: this.#model, message: this.#extras }
        : undefined,
    });
  }

  #takeEnvelope(answer: JsonObject): void {
    this.#servedModel ??= asText(answer.model);
    this.#responseId ??= asText(answer.id);
    const usage = asObject(answer.usage);
    if (usage !== undefined) this.#usage = readUsage(usage);
  }

  /** Takes what a message, or a piece of one, holds beside tool calls. */
  #takeMessage(message: JsonObject): void {
    const thoughtName = REASONING_MEMBERS.find((name) => asText(message[name]));
    if (thoughtName !== undefined) {
      const thought = this.#takeExtra(message, thoughtName);
      this.#reasoning += thought;
      this.#onDelta({ kind: "reasoning", text: thought });
    }
    const text = contentText(message.content);
    this.#text = (this.#text ?? "") + text;
    if (text !== "") this.#onDelta({ kind: "text", text });
    this.#takeExtra(message, "refusal");
  }

  #takeExtra(message: JsonObject, name: string): string {
    const text = asText(message[name]) ?? "";
    if (text !== "") this.#extras[name] = (this.#extras[name] ?? "") + text;
    return text;
  }

  /** A piece belongs to its index, else to its id, else to the last call, unless it shows that it starts another. */
  #takeToolCallPiece({ index, ...piece }: ToolCallPiece): void {
    let call = index !== undefined
      ? this.#callAtIndex.get(index)
      : piece.id !== undefined
      ? this.#callOfId.get(piece.id)
      : this.#streamedCalls.at(-1);
    if (call === undefined || startsAnother(call, piece)) {
      call = { ...piece, scan: new WholeObjectScan() };
      this.#streamedCalls.push(call);
    } else {
      if (piece.id !== undefined) call.id ??= piece.id;
      call.name ||= piece.name;
      call.rawArguments += piece.rawArguments;
    }
    call.scan.push(piece.rawArguments);
    if (index !== undefined) this.#callAtIndex.set(index, call);
    if (call.id !== undefined) this.#callOfId.set(call.id, call);
  }
}

function startsAnother(call: StreamedToolCall, piece: ToolCallDraft): boolean {
  if (piece.id !== undefined) return call.id !== undefined && call.id !== piece.id;
  return piece.name !== "" && piece.rawArguments !== "" && call.scan.isWhole();
}

/** The calls of a message, or their pieces, in order; the old form with a single call included. */
function toolCallPieces(message: JsonObject, source: () => JsonSource): readonly ToolCallPiece[] {
  let sources: JsonSource | undefined;
  const pieces = asArray(message.tool_calls).flatMap((value, i) => {
    const call = asObject(value);
    if (call === undefined) return [];
    const functionSource = () =>
      (sources ??= source().member("tool_calls")).item(i).member("function");
    const piece = toolCallPiece(asObject(call.function), functionSource);
    return [present({ ...piece, id: asText(call.id), index: asCount(call.index) })];
  });
  const single = asObject(message.function_call);
  if (pieces.length > 0 || single === undefined) return pieces;
  return [toolCallPiece(single, () => source().member("function_call"))];
}

function toolCallPiece(call: JsonObject | undefined, source: () => JsonSource): ToolCallPiece {
  return {
    name: asText(call?.name) ?? "",
    rawArguments: textOf(call?.arguments, () => source().member("arguments")),
  };
}

function contentText(content: JsonValue | undefined): string {
  if (typeof content === "string") return content;
  return asArray(content).map((part) => {
    const { type, text } = asObject(part) ?? {};
    return type === "text" ? asText(text) ?? "" : "";
  }).join("");
}

function readUsage(usage: JsonObject): Usage | undefined {
  const prompt = asObject(usage.prompt_tokens_details);
  const completion = asObject(usage.completion_tokens_details);
  return usageOf({
    inputTokens: asCount(usage.prompt_tokens),
    outputTokens: asCount(usage.completion_tokens),
    cachedInputTokens: asCount(prompt?.cached_tokens) ?? asCount(usage.prompt_cache_hit_tokens),
    reasoningTokens: asCount(completion?.reasoning_tokens),
  });
}
