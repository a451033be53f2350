import {
  type JsonObject,
  type JsonValue,
  ModelCallError,
  type ModelReply,
  present,
  type Usage,
} from "../../../types/mod.ts";
import type { JsonSource } from "../json_source.ts";
import type { FinishedReader } from "../model_call.ts";
import { asArray, asCount, asObject, asText, recordable, usageOf } from "../unknown_json.ts";
import { Choice, type ChoiceCall, MESSAGE_MEMBERS, type SaidPiece, saysEnd } from "./choice.ts";
import { decidingWord, finishReason } from "./finish_reason.ts";
import { OpaqueMembers } from "./opaque_members.ts";
import type { ReplySettings } from "./reply_settings.ts";
import { replyTexts } from "./reply_texts.ts";
import { replyToolCalls } from "./reply_tool_calls.ts";
import { TokenCounts } from "./token_counts.ts";
import { ToldPieces } from "./told_pieces.ts";

/** Marks the `providerData` of this adapter, beside the model. */
export const CHAT_COMPLETIONS = "chat_completions";

/** Reads one answer of an OpenAI-compatible server. */
export class ChatCompletionsReader implements FinishedReader {
  readonly #settings: ReplySettings;
  readonly #told: ToldPieces;
  readonly #choices = new Map<number, Choice>();
  readonly #tokens = new TokenCounts();
  #servedModel: string | undefined;
  #responseId: string | undefined;

  constructor(settings: ReplySettings) {
    this.#settings = settings;
    this.#told = new ToldPieces(settings.onDelta, settings.inlineThoughts === "split");
  }

  text(): string | undefined {
    return this.#choices.size === 0 ? undefined : this.#inOrder().map(({ text }) => text).join("");
  }

  takeBody(body: JsonValue, source: JsonSource): boolean {
    const answer = asObject(body);
    if (answer === undefined) return false;
    this.#takeEnvelope(answer);
    const choices = asArray(answer.choices).map(asObject);
    const order = choices.map((_, at) => at).sort((a, b) =>
      (asCount(choices[a]?.index) ?? a) - (asCount(choices[b]?.index) ?? b)
    );
    for (const [place, at] of order.entries()) {
      this.#takeChoice(place, choices[at] ?? {}, () => source.member("choices").item(at));
    }
    return choices.some((choice) => asObject(choice?.message ?? choice?.delta) !== undefined) ||
      this.#inOrder().some(({ isWithheld }) => isWithheld);
  }

  takeEvent(event: JsonValue, source: JsonSource): boolean {
    const chunk = asObject(event);
    if (chunk === undefined) return false;
    this.#takeEnvelope(chunk);
    for (const [at, value] of asArray(chunk.choices).entries()) {
      const choice = asObject(value) ?? {};
      const place = asCount(choice.index) ?? at;
      this.#takeChoice(place, choice, () => source.member("choices").item(at));
    }
    return false;
  }

  /** A text without calls is the answer: each piece of it needs an end of its own. */
  isComplete(done: boolean): boolean {
    const choices = this.#inOrder();
    const open = choices.filter(({ hasEnded }) => !hasEnded);
    if (open.length === choices.length) return false;
    const hasCalls = choices.some(({ calls }) => calls.length > 0);
    return open.length === 0 || (done && (hasCalls || open.every(({ text }) => text === "")));
  }

  reply(): ModelReply {
    const { names, model, acceptFinishReasons, inlineThoughts } = this.#settings;
    const choices = this.#inOrder();
    const raw = decidingWord(
      choices.map(({ finishReason }) => finishReason).filter((word) => word !== ""),
      acceptFinishReasons,
    );
    const calls = choices.flatMap(({ calls }) => calls);
    const opaque = new OpaqueMembers(MESSAGE_MEMBERS);
    for (const choice of choices) opaque.take(choice.opaque.value() ?? {});
    const message = opaque.value();
    const toolCalls = calls.length > 0;
    const refusal = asText(message?.refusal) !== undefined ||
      choices.some(({ isRefused }) => isRefused);
    const filtered = choices.some(({ isFiltered }) => isFiltered);
    const malformed = choices.some(({ isMalformed }) => isMalformed);
    const holds = { toolCalls, refusal, filtered, malformed };
    const reason = finishReason(raw, holds, acceptFinishReasons);
    const texts = replyTexts(
      this.text() ?? "",
      choices.map(({ reasoning }) => reasoning).join(""),
      inlineThoughts,
    );
    this.#told.finish(texts.text, texts.reasoning ?? "");
    return present({
      ...texts,
      toolCalls: toolCalls ? replyToolCalls(calls, names.fromWire) : undefined,
      finishReason: reason,
      rawFinishReason: asText(raw),
      usage: usage(this.#tokens),
      servedModel: this.#servedModel,
      responseId: this.#responseId,
      providerData: providerData(model, {
        message,
        parts: choices.flatMap(({ parts }) => parts),
        calls,
      }),
    });
  }

  #inOrder(): readonly Choice[] {
    const byPlace = [...this.#choices].sort(([a], [b]) => a - b);
    return byPlace.map(([, choice]) => choice);
  }

  #takeEnvelope(answer: JsonObject): void {
    this.#servedModel ??= asText(answer.model);
    this.#responseId ??= asText(answer.id);
    this.#tokens.take(answer.usage);
    for (const choice of asArray(answer.choices).map(asObject)) {
      for (const place of [choice, choice?.message, choice?.delta]) {
        this.#tokens.take(asObject(place)?.usage, 1);
      }
    }
    for (const extension of Object.values(answer)) this.#tokens.take(asObject(extension)?.usage, 2);
  }

  /** Takes a choice, or a piece of one: in either kind of answer some servers send what belongs into the other. */
  #takeChoice(place: number, fields: JsonObject, source: () => JsonSource): void {
    const delta = asObject(fields.delta);
    const message = asObject(fields.message);
    if (delta === undefined && message === undefined) {
      if (asText(fields.text) !== undefined) throw unknownForm();
      if (!saysEnd(fields)) return;
    }
    const choice = this.#choices.get(place) ?? new Choice();
    this.#choices.set(place, choice);
    if (delta !== undefined) this.#tell(choice.takeDelta(delta, () => source().member("delta")));
    else if (message !== undefined) {
      this.#tell(choice.takeMessage(message, () => source().member("message")));
    }
    choice.takeFinish(fields, source);
  }

  #tell({ text, reasoning }: SaidPiece): void {
    this.#told.takeReasoning(reasoning);
    this.#told.takeText(text);
  }
}

/** No choice is passed over: what it holds may be the half of the reply. */
function unknownForm(): ModelCallError {
  return new ModelCallError("a choice of the answer has its text in a form that is not known", {
    kind: "malformed_response",
    retriable: true,
  });
}

/** What goes back to the model with its message: what only its server understands, and the ids that it gave. */
function providerData(
  model: string,
  { message, parts, calls }: {
    readonly message: JsonObject | undefined;
    readonly parts: readonly JsonValue[];
    readonly calls: readonly ChoiceCall[];
  },
): JsonValue | undefined {
  const kept = calls.map(({ id, opaque, opaqueFunction }): JsonObject =>
    present({ ...opaque.value(), id, function: opaqueFunction.value() })
  );
  const data: JsonObject = present({
    message,
    parts: parts.length > 0 ? parts : undefined,
    calls: kept.some((call) => Object.keys(call).length > 0) ? kept : undefined,
  });
  return Object.keys(data).length > 0
    ? recordable({ adapter: CHAT_COMPLETIONS, model, ...data })
    : undefined;
}

/**
 * What was reported of tokens. The output includes the reasoning: where the total shows that the server counted it
 * apart, it is added.
 */
function usage(tokens: TokenCounts): Usage | undefined {
  const prompt = tokens.get("prompt_tokens", "input_tokens");
  const completion = tokens.get("completion_tokens", "output_tokens");
  const total = tokens.get("total_tokens");
  const reasoning = tokens.get(
    "completion_tokens_details.reasoning_tokens",
    "output_tokens_details.reasoning_tokens",
    "reasoning_tokens",
  );
  const isApart = total !== undefined && reasoning !== undefined && completion !== undefined &&
    total >= (prompt ?? 0) + completion + reasoning;
  return usageOf({
    inputTokens: prompt,
    outputTokens: isApart ? completion + reasoning : completion,
    cachedInputTokens: tokens.get(
      "prompt_tokens_details.cached_tokens",
      "input_tokens_details.cached_tokens",
      "prompt_cache_hit_tokens",
      "cached_tokens",
    ),
    reasoningTokens: reasoning,
  });
}
