/** What was used, wherever a server says it, and however it counts. */
import { assertEquals } from "@std/assert";
import type { JsonValue, Usage } from "../../../types/mod.ts";
import { modelCall } from "../model_calls.ts";
import { jsonAnswer, type RawAnswer, rawHttpServer, streamAnswer } from "../raw_http_server.ts";
import {
  ANTHROPIC,
  ANTHROPIC_STREAMED,
  CHAT,
  CHAT_STREAMED,
  chatAnswers,
  type Dialect,
  sse,
} from "./dialects.ts";

async function usageOf(dialect: Dialect, answer: RawAnswer): Promise<Usage | undefined> {
  await using server = rawHttpServer(answer);
  return (await dialect.model(server.origin).call(modelCall())).usage;
}

const CHUNK = { choices: [{ index: 0, delta: { content: "ok" }, finish_reason: "stop" }] };

/** A usage in the usual place of a body, and of the last chunk. */
function usual(usage: JsonValue): [Dialect, RawAnswer][] {
  const message = { choices: [{ message: { content: "ok" }, finish_reason: "stop" }], usage };
  return [
    [CHAT, jsonAnswer(message)],
    [CHAT_STREAMED, streamAnswer(sse({ ...CHUNK, usage: null }, { choices: [], usage }, "[DONE]"))],
  ];
}

Deno.test("the output includes the reasoning, which is added where the total shows that it was left out", async () => {
  const rows: [prompt: number, completion: number, total: number | undefined, output: number][] = [
    [12, 1, 399, 387],
    [12, 400, 412, 400],
    [12, 1, 13, 1],
    [12, 1, 398, 1],
    [12, 1, undefined, 1],
    [12, 1, 0, 1],
    [12, 1, 500, 387],
  ];
  for (const [prompt_tokens, completion_tokens, total, outputTokens] of rows) {
    const usage = {
      prompt_tokens,
      completion_tokens,
      ...(total !== undefined && { total_tokens: total }),
      completion_tokens_details: { reasoning_tokens: 386 },
    };
    for (const [dialect, answer] of usual(usage)) {
      const expected = { inputTokens: 12, outputTokens, reasoningTokens: 386 };
      assertEquals(await usageOf(dialect, answer), expected);
    }
  }
  const flat = { prompt_tokens: 12, completion_tokens: 1, total_tokens: 19, reasoning_tokens: 6 };
  for (const [dialect, answer] of usual(flat)) {
    const expected = { inputTokens: 12, outputTokens: 7, reasoningTokens: 6 };
    assertEquals(await usageOf(dialect, answer), expected);
  }
  const [[dialect, answer]] = usual({
    prompt_tokens: 1,
    completion_tokens: 2,
    total_tokens: 9,
  }) as [
    [Dialect, RawAnswer],
  ];
  assertEquals(await usageOf(dialect, answer), { inputTokens: 1, outputTokens: 2 });
});

Deno.test("a usage in another place is read, and the usual place goes before it", async () => {
  const usage = { prompt_tokens: 9, completion_tokens: 2, cached_tokens: 4 };
  const other = { prompt_tokens: 7, completion_tokens: 1 };
  const expected = { inputTokens: 9, outputTokens: 2, cachedInputTokens: 4 };
  const choice = { index: 0, finish_reason: "stop" };
  const message = { content: "ok" };
  const places: Record<string, JsonValue>[] = [
    { choices: [{ ...choice, usage }] },
    { choices: [choice], x_groq: { id: "r", usage } },
    { choices: [{ ...choice, usage: other }], x_groq: { usage: other }, usage },
    { choices: [{ ...choice, usage: null }], x_groq: { usage }, usage: null },
    { choices: [{ ...choice, usage }], usage: { prompt_tokens: 0, completion_tokens: 0 } },
    { choices: [choice], x_any: { usage } },
    { choices: [choice], meta: { usage } },
    { choices: [choice], usage: { input_tokens: 9, output_tokens: 2, cached_tokens: 4 } },
  ];
  for (const place of places) {
    const [only] = place.choices as Record<string, JsonValue>[];
    const body = { ...place, choices: [{ ...only, message }] };
    const chunk = { ...place, choices: [{ ...only, delta: {} }] };
    assertEquals(await usageOf(CHAT, jsonAnswer(body)), expected);
    const start = { choices: [{ index: 0, delta: message }] };
    assertEquals(await usageOf(CHAT_STREAMED, streamAnswer(sse(start, chunk, "[DONE]"))), expected);
  }
});

Deno.test("a later zero, or null, takes no count back", async () => {
  const counted = {
    prompt_tokens: 9,
    completion_tokens: 2,
    prompt_tokens_details: { cached_tokens: 4 },
  };
  const zeros = {
    prompt_tokens: 0,
    completion_tokens: 0,
    prompt_tokens_details: { cached_tokens: 0 },
  };
  const expected = { inputTokens: 9, outputTokens: 2, cachedInputTokens: 4 };
  for (const later of [zeros, null, {}, { prompt_tokens: null, completion_tokens: null }]) {
    const streams = [
      sse({ ...CHUNK, usage: counted }, { choices: [], usage: later }, "[DONE]"),
      sse({ ...CHUNK, usage: later }, { choices: [], usage: counted }, "[DONE]"),
    ];
    for (const stream of streams) {
      assertEquals(await usageOf(CHAT_STREAMED, streamAnswer(stream)), expected);
    }
  }
  for (const [dialect, answer] of chatAnswers({ content: "ok", usage: counted })) {
    assertEquals(await usageOf(dialect, answer), expected, "in the message");
  }
  const running = sse({ ...CHUNK, usage: { completion_tokens: 1 } }, {
    choices: [],
    usage: { completion_tokens: 5 },
  });
  assertEquals(await usageOf(CHAT_STREAMED, streamAnswer(running)), { outputTokens: 5 });
  const [[dialect, answer]] = usual(zeros) as [[Dialect, RawAnswer]];
  assertEquals(await usageOf(dialect, answer), {
    inputTokens: 0,
    outputTokens: 0,
    cachedInputTokens: 0,
  });
});

Deno.test("an Anthropic server may count the input at the beginning, at the end, or at both", async () => {
  const start = (usage: JsonValue) => ({ type: "message_start", message: { usage } });
  const end = (usage: JsonValue) => ({
    type: "message_delta",
    delta: { stop_reason: "end_turn" },
    usage,
  });
  const caches = { cache_read_input_tokens: 3, cache_creation_input_tokens: 2 };
  const rows: [JsonValue, JsonValue, Usage][] = [
    [{ input_tokens: 25 }, { input_tokens: 0, output_tokens: 15 }, {
      inputTokens: 25,
      outputTokens: 15,
    }],
    [{ input_tokens: 0, output_tokens: 0 }, { input_tokens: 25, output_tokens: 15 }, {
      inputTokens: 25,
      outputTokens: 15,
    }],
    [{ input_tokens: 25, ...caches }, {
      input_tokens: null,
      output_tokens: 15,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: null,
    }, { inputTokens: 30, outputTokens: 15, cachedInputTokens: 3, cacheWriteTokens: 2 }],
    [null, { output_tokens: 15 }, { outputTokens: 15 }],
  ];
  for (const [first, last, expected] of rows) {
    const stream = sse(start(first), end(last), { type: "message_stop" });
    assertEquals(await usageOf(ANTHROPIC_STREAMED, streamAnswer(stream)), expected);
  }
  const usage = { input_tokens: 25, output_tokens: 15 };
  const late = [
    [{ type: "message_delta", delta: { stop_reason: "end_turn", usage } }],
    [end(null), { type: "message_stop", usage }],
  ];
  for (const events of late) {
    const stream = sse(start(null), ...events);
    assertEquals(await usageOf(ANTHROPIC_STREAMED, streamAnswer(stream)), {
      inputTokens: 25,
      outputTokens: 15,
    });
  }
  const body = { content: [], stop_reason: "end_turn", usage };
  assertEquals(await usageOf(ANTHROPIC, jsonAnswer(body)), { inputTokens: 25, outputTokens: 15 });
});
