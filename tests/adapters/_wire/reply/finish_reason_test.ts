import { assertEquals } from "@std/assert";
import { finishFailure, finishReason } from "../../../../adapters/_wire/reply/finish_reason.ts";
import type { FinishReason } from "../../../../types/mod.ts";

Deno.test("finishReason() lets what the reply holds decide, for every word", () => {
  // Each word with what it means alone, beside tool calls, and beside a refusal.
  const table: [string[], FinishReason, FinishReason, FinishReason][] = [
    [
      ["length", "max_tokens", "model_length", "model_context_window_exceeded"],
      "length",
      "length",
      "length",
    ],
    [["content_filter"], "content_filter", "content_filter", "content_filter"],
    [["refusal"], "refusal", "refusal", "refusal"],
    [["pause_turn"], "pause", "pause", "refusal"],
    [["stop", "eos", "eos_token", "end_turn", "stop_sequence"], "stop", "tool_calls", "refusal"],
    [
      ["", "tool_calls", "tool_use", "function_call", "STOP", "toString"],
      "unknown",
      "tool_calls",
      "refusal",
    ],
  ];
  for (const [words, alone, besideCalls, besideRefusal] of table) {
    for (const word of words) {
      assertEquals(finishReason(word, { toolCalls: false }), alone, word);
      assertEquals(finishReason(word, { toolCalls: true }), besideCalls, word);
      assertEquals(finishReason(word, { toolCalls: true, refusal: true }), besideRefusal, word);
    }
  }
});

Deno.test("finishFailure() knows the words of a server that gave up", () => {
  const kinds = ["error", "abort", "insufficient_system_resource", "stop", ""].map((word) =>
    finishFailure(word)?.kind
  );
  assertEquals(kinds, ["server", "server", "overloaded", undefined, undefined]);
  assertEquals(finishFailure("error")?.retriable, true);
});
