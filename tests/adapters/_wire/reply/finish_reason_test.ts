import { assertEquals, assertThrows } from "@std/assert";
import { decidingWord, finishReason } from "../../../../adapters/_wire/reply/finish_reason.ts";
import { type FinishReason, ModelCallError } from "../../../../types/mod.ts";

/** Words with what they mean alone, beside tool calls, and beside a refusal. */
const TABLE: readonly (readonly [string[], FinishReason, FinishReason, FinishReason])[] = [
  [
    [
      ...["length", "max_tokens", "MAX_TOKENS", "maxTokens", "model_length", "incomplete"],
      ...["model_context_window_exceeded", "FINISH_REASON_MAX_TOKENS", "max output tokens"],
      ...["truncated", "token_limit"],
    ],
    ...["length", "length", "length"] as const,
  ],
  [
    [
      ...["content_filter", "SAFETY", "RECITATION", "sensitive", "PROHIBITED_CONTENT", "SPII"],
      ...["content_filter: SAFETY", "IMAGE_SAFETY", "BLOCKLIST", "guardrail_intervened"],
      ...["ContentFilter", "content_filtered", "ERROR_TOXIC"],
    ],
    ...["content_filter", "content_filter", "content_filter"] as const,
  ],
  [
    ["MALFORMED_FUNCTION_CALL", "malformed_tool_use", "UNEXPECTED_TOOL_CALL"],
    ...["malformed", "malformed", "malformed"] as const,
  ],
  [["refusal", "REFUSAL"], "refusal", "refusal", "refusal"],
  [["pause_turn", "pauseTurn"], "pause", "pause", "refusal"],
  [
    [
      ...["stop", "STOP", "eos", "eos_token", "end_turn", "End_Turn", "endTurn", "stop_sequence"],
      ...["stop sequence", "FinishReason.STOP", "", "finish_reason_stop"],
    ],
    ...["stop", "tool_calls", "refusal"] as const,
  ],
  [
    ["tool_calls", "tool_use", "function_call", "TOOL_CALLS", "toolUse"],
    ...["tool_calls", "tool_calls", "refusal"] as const,
  ],
  [
    [
      ...["finished", "toString", "STOP_V2", "not_stop", "stopped by user", "42", "完成", "?"],
      ...["tool_calls_pending", "other", "FINISH_REASON_UNSPECIFIED", '{"type":"stop"}'],
    ],
    ...["unknown", "tool_calls", "refusal"] as const,
  ],
];

Deno.test("finishReason() lets what the reply holds decide, for every word", () => {
  for (const [words, alone, besideCalls, besideRefusal] of TABLE) {
    for (const word of words) {
      assertEquals(finishReason(word, { toolCalls: false }), alone, word);
      assertEquals(finishReason(word, { toolCalls: true }), besideCalls, word);
      assertEquals(finishReason(word, { toolCalls: true, refusal: true }), besideRefusal, word);
    }
  }
});

Deno.test("finishReason() throws for the words of a server that gave up", () => {
  const kinds: [string, string][] = [
    ["error", "server"],
    ["ERROR", "server"],
    ["abort", "server"],
    ["aborted", "server"],
    ["network_error", "server"],
    ["cancelled", "server"],
    ["timeout", "timeout"],
    ["TimedOut", "timeout"],
    ["insufficient_system_resource", "overloaded"],
  ];
  for (const [word, kind] of kinds) {
    for (const toolCalls of [false, true]) {
      const error = assertThrows(() => finishReason(word, { toolCalls }), ModelCallError, word);
      assertEquals([error.kind, error.retriable], [kind, true]);
    }
  }
});

Deno.test("finishReason() takes an accepted word for stop, and no word that means something else", () => {
  const accepted = ["finished", "length", "完成"];
  const reason = (word: string) => finishReason(word, { toolCalls: false }, accepted);
  assertEquals(["finished", "FINISHED!", "完成", "完"].map(reason), [
    ...["stop", "stop", "stop", "unknown"] as const,
  ]);
  assertEquals(reason("length"), "length");
  assertEquals(reason("done"), "unknown");
});

Deno.test("decidingWord() is the word that leaves least of a reply", () => {
  assertEquals(decidingWord(["stop", "tool_calls"], []), "tool_calls");
  assertEquals(decidingWord(["stop", "max_tokens", "tool_calls"], []), "max_tokens");
  assertEquals(decidingWord(["length", "SAFETY"], []), "SAFETY");
  assertEquals(decidingWord(["SAFETY", "error"], []), "error");
  assertEquals(decidingWord(["stop", "finished"], []), "finished");
  assertEquals(decidingWord(["tool_calls", "finished"], ["finished"]), "tool_calls");
  assertEquals(decidingWord([], []), "");
});
