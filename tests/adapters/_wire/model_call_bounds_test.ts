/**
 * What takes many or large answers: a local response stands for the server's.
 *
 * @module
 */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { MAX_ERROR_BYTES } from "../../../adapters/_wire/model_call.ts";
import { MAX_ANSWER_BYTES, MAX_LINE_LENGTH } from "../../../adapters/_wire/read_answer.ts";
import { ModelCallError } from "../../../types/mod.ts";
import { fuzzSample } from "../../tasks/fuzz_rounds.ts";
import { fixture, read } from "./read_response.ts";

const SSE = { headers: { "content-type": "text/event-stream" } };
const JSON_TYPE = { headers: { "content-type": "application/json" } };

Deno.test("callModel() never takes a cut answer for another one", async () => {
  for (
    const [id, dialect] of [
      ["oa-sse-tool.sse", "openai"],
      ["oa-sse-tool-interleaved.sse", "openai"],
      ["oa-sse-reasoning.sse", "openai"],
      ["oa-sse-utf8-split.sse", "openai"],
      ["an-sse-tool.sse", "anthropic"],
      ["an-sse-thinking.sse", "anthropic"],
      ["oa-json-tool-parallel.json", "openai"],
      ["an-json-tool-use.json", "anthropic"],
    ] as const
  ) {
    const bytes = await fixture(id);
    const type = id.endsWith(".sse") ? SSE : JSON_TYPE;
    const whole = await read(new Response(bytes, type), dialect);
    let complete = 0;
    const sizes = fuzzSample(Array.from(bytes.keys()));
    const lineEnds = Array.from(bytes.keys()).filter((size) => bytes[size - 1] === 0x0a);
    for (const size of new Set([...sizes, ...lineEnds])) {
      try {
        const reply = await read(new Response(bytes.slice(0, size), type), dialect);
        assertEquals(reply, whole, `${id} cut at ${size}`);
        complete++;
      } catch (error) {
        assert(error instanceof ModelCallError && error.retriable, `${id} cut at ${size}`);
        const kind = type === SSE ? "stream_truncated" : "malformed_response";
        assertEquals(error.kind, kind, `${id} cut at ${size}`);
      }
    }
    assert(complete < sizes.length / 4, `${id}: ${complete} cuts were complete`);
  }
});

Deno.test("callModel() reads any shape as a reply or as a typed error", async () => {
  const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
  const junk = [
    "null",
    "0",
    "-1",
    "1e400",
    "true",
    '""',
    '"x"',
    "[]",
    "{}",
    "[null]",
    "[{}]",
    deep,
  ];
  let readings = 0;
  for await (
    const { name } of Deno.readDir(new URL("../../testdata/wire/fixtures", import.meta.url))
  ) {
    const dialect = name.startsWith("an-") ? "anthropic" : "openai";
    const text = new TextDecoder().decode(await fixture(name));
    const isStream = name.endsWith(".sse");
    for (const mutated of mutations(text, junk)) {
      try {
        const reply = await read(new Response(mutated, isStream ? SSE : JSON_TYPE), dialect);
        assertEquals(typeof reply.text, "string");
        for (const call of reply.toolCalls ?? []) assertEquals(typeof call.rawArguments, "string");
      } catch (error) {
        assert(error instanceof ModelCallError, `${mutated.slice(0, 500)}: ${error}`);
      }
      readings++;
    }
  }
  assert(readings > fuzzSample(Array(5_000).fill(0)).length, `${readings}`);
});

/** A text with each JSON value of it replaced by each piece of junk; of a stream the values of three events. */
function* mutations(text: string, junk: readonly string[]): Generator<string> {
  const values = /"(?:[^"\\]|\\.)*"(?!\s*:)|-?\d+|null|true|false|\[\]|\{\}/g;
  const containers = /(?<=[:,]\s*)[[{]/g;
  const spots = [...text.matchAll(values)].map(({ index, 0: value }) => [index, value.length]);
  for (const { index } of text.matchAll(containers)) {
    spots.push([index, endOfValue(text, index) - index]);
  }
  const step = Math.max(1, Math.floor(spots.length / 12));
  const some = spots.filter((_, i) => i % step === 0);
  for (const [start = 0, length = 0] of fuzzSample(some)) {
    for (const piece of junk) yield text.slice(0, start) + piece + text.slice(start + length);
  }
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    if ("[{".includes(text[i]!)) depth++;
    if ("]}".includes(text[i]!) && --depth === 0) return i + 1;
  }
  return text.length;
}

/** Gives a piece again and again, until it is no longer wanted. */
function endless(piece: Uint8Array): { body: ReadableStream<Uint8Array>; given: () => number } {
  let given = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      given += piece.length;
      controller.enqueue(piece);
    },
  });
  return { body, given: () => given };
}

Deno.test("callModel() ends on an answer that does not", async () => {
  const blank = new Uint8Array(1024 * 1024).fill(0x20);
  const comments = new TextEncoder().encode(`: ${"x".repeat(1_000)}\n`.repeat(1_000));
  const lineOnly = new Uint8Array(1024 * 1024).fill(0x78);
  const cases: [Uint8Array, ResponseInit, string, number][] = [
    [blank, JSON_TYPE, `larger than ${MAX_ANSWER_BYTES} bytes`, MAX_ANSWER_BYTES],
    [comments, SSE, `larger than ${MAX_ANSWER_BYTES} bytes`, MAX_ANSWER_BYTES],
    [lineOnly, SSE, `longer than ${MAX_LINE_LENGTH} characters`, MAX_LINE_LENGTH],
    [blank, { ...JSON_TYPE, status: 503 }, "answered 503 (overloaded)", MAX_ERROR_BYTES],
  ];
  for (const [piece, init, said, limit] of cases) {
    const { body, given } = endless(piece);
    const error = await assertRejects(
      () => read(new Response(body, init), "openai"),
      ModelCallError,
      said,
    );
    const isOverload = init.status === 503;
    assertEquals(error.kind, isOverload ? "overloaded" : "malformed_response");
    assertEquals(error.retriable, isOverload);
    assert(given() <= limit + 3 * piece.length, `${given()} bytes were read`);
  }
});

Deno.test("callModel() takes time by an answer's length, not by its square", async () => {
  const count = 10_000;
  const whole = { function: { name: "n", arguments: { a: 1 } } };
  const body = { choices: [{ message: { tool_calls: Array(count).fill(whole) } }] };
  const many = await read(new Response(JSON.stringify(body), JSON_TYPE), "openai");
  assertEquals(many.toolCalls?.length, count);

  const piece = { index: 0, function: { name: "n", arguments: '{"a":"}' } };
  const event = `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [piece] } }] })}\n\n`;
  const end = { choices: [{ delta: {}, finish_reason: "tool_calls" }] };
  const stream = `${event.repeat(count)}data: ${JSON.stringify(end)}\n\n`;
  const one = await read(new Response(stream, SSE), "openai");
  assertEquals(one.toolCalls?.map((call) => call.argumentsError), ["invalid_json"]);
  assertEquals(one.toolCalls?.[0]?.rawArguments.length, 7 * count);

  const content = Array(count).fill({ type: "tool_use", id: "t", name: "n", input: { a: 1 } });
  const uses = await read(new Response(JSON.stringify({ content }), JSON_TYPE), "anthropic");
  assertEquals(uses.toolCalls?.at(-1)?.rawArguments, '{"a":1}');
});

Deno.test("callModel() stops reading where the stream says that it is over", async () => {
  const encoder = new TextEncoder();
  for (
    const [last, dialect] of [["[DONE]", "openai"], [
      '{"type":"message_stop"}',
      "anthropic",
    ]] as const
  ) {
    let cancelled = false;
    const start =
      '{"type":"message_delta","delta":{"stop_reason":"end_turn"},"choices":[{"finish_reason":"stop"}]}';
    const body = new ReadableStream<Uint8Array>({
      start: (controller) =>
        controller.enqueue(encoder.encode(`data: ${start}\n\ndata: ${last}\n\n`)),
      cancel: () => void (cancelled = true),
    });
    assertEquals((await read(new Response(body, SSE), dialect)).text, "");
    assert(cancelled);
  }
});
