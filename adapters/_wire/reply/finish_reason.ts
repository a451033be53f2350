import { type FinishReason, ModelCallError, type ModelCallErrorKind } from "../../../types/mod.ts";

const MEANINGS: ReadonlyMap<string, FinishReason> = new Map<string, FinishReason>([
  ["length", "length"],
  ["max_tokens", "length"],
  ["model_length", "length"],
  ["model_context_window_exceeded", "length"],
  ["content_filter", "content_filter"],
  ["refusal", "refusal"],
  ["pause_turn", "pause"],
  ["stop", "stop"],
  ["eos", "stop"],
  ["eos_token", "stop"],
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
]);

const FAILURES: ReadonlyMap<string, ModelCallErrorKind> = new Map<
  string,
  ModelCallErrorKind
>([
  ["error", "server"],
  ["abort", "server"],
  ["insufficient_system_resource", "overloaded"],
]);

/**
 * Why the model stopped, in the library's words: a cut or filtered answer is that, also beside tool calls; else what
 * the reply holds decides.
 *
 * @param raw The provider's own word for it; empty where it said nothing.
 */
export function finishReason(
  raw: string,
  holds: { readonly toolCalls: boolean; readonly refusal?: boolean },
): FinishReason {
  const meaning = MEANINGS.get(raw) ?? "unknown";
  if (meaning === "length" || meaning === "content_filter") return meaning;
  if (holds.refusal) return "refusal";
  if (meaning === "refusal" || meaning === "pause" || !holds.toolCalls) return meaning;
  return "tool_calls";
}

/** The failure that a finish reason says: some servers report that they gave up as a reason to stop. */
export function finishFailure(raw: string): ModelCallError | undefined {
  const kind = FAILURES.get(raw);
  return kind &&
    new ModelCallError(`the server gave up: its finish reason is "${raw}"`, {
      kind,
      retriable: true,
    });
}
