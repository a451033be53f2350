/**
 * Answers as large as they may be, and larger: 50 MB, a million pieces, a line of 100 MB in `deno task fuzz`, a hundredth
 * of that elsewhere. Work that grows with the square of the size would not end.
 */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { MAX_ANSWER_BYTES, MAX_LINE_LENGTH } from "../../../adapters/_wire/read_answer.ts";
import { ModelCallError } from "../../../types/mod.ts";
import { fuzzRounds } from "../../tasks/fuzz_rounds.ts";
import { read, type WireDialect } from "../_wire/read_response.ts";

const REPLY_CHARS = fuzzRounds(50_000_000);
const PIECES = fuzzRounds(1_000_000);
/** Of pieces that are twice as long: more would be more than an answer may have. */
const LONGER_PIECES = PIECES / 2;
const LINE_CHARS = fuzzRounds(100_000_000);

/** A stream of these texts, none of which is there before it is wanted. */
function response(texts: Iterable<string>, type: string): { response: Response; given(): number } {
  const encoder = new TextEncoder();
  const source = texts[Symbol.iterator]();
  let given = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      let text = "";
      while (text.length < 65_536) {
        const { done, value } = source.next();
        if (done) break;
        text += value;
      }
      if (text === "") return controller.close();
      given += text.length;
      controller.enqueue(encoder.encode(text));
    },
  });
  return {
    response: new Response(body, { headers: { "content-type": type } }),
    given: () => given,
  };
}

function reading(texts: Iterable<string>, dialect: WireDialect, type = "text/event-stream") {
  return read(response(texts, type).response, dialect, { onDelta: () => {} });
}

function* pieces(
  make: (i: number) => unknown,
  end: unknown,
  count = LONGER_PIECES,
): Generator<string> {
  for (let i = 0; i < count; i++) yield `data: ${JSON.stringify(make(i))}\n\n`;
  yield `data: ${JSON.stringify(end)}\n\n`;
}

const STOP = { choices: [{ delta: {}, finish_reason: "stop" }] };
const END_TURN = { type: "message_delta", delta: { stop_reason: "end_turn" } };

Deno.test("a large reply is read whole", async () => {
  const text = "x".repeat(REPLY_CHARS);
  const bodies: [string, WireDialect][] = [
    [`{"choices":[{"message":{"content":"${text}"},"finish_reason":"stop"}]}`, "openai"],
    [`{"content":[{"type":"text","text":"${text}"}],"stop_reason":"end_turn"}`, "anthropic"],
  ];
  for (const [body, dialect] of bodies) {
    const reply = await reading([body], dialect, "application/json");
    assertEquals(reply.text.length, REPLY_CHARS);
  }
  const thought = `{"choices":[{"message":{"content":"<think>${text}</think>7"}}]}`;
  const reply = await reading([thought], "openai", "application/json");
  assertEquals([reply.text, reply.reasoning?.length], ["7", REPLY_CHARS]);
});

Deno.test("a reply of very many pieces is read whole", async () => {
  const chunk = (delta: unknown) => ({ choices: [{ delta }] });
  const text = await reading(pieces(() => chunk({ content: "x" }), STOP, PIECES), "openai");
  assertEquals(text.text.length, PIECES);
  const thoughts = await reading(
    pieces((i) => chunk({ content: i === 0 ? "<think>" : " " }), STOP, PIECES),
    "openai",
  );
  assertEquals([thoughts.text, thoughts.reasoning, thoughts.rawText?.length], [
    "",
    undefined,
    PIECES + 6,
  ]);
  const call = (i: number) => ({
    index: 0,
    function: { name: "n", arguments: i === 0 ? "[" : "1," },
  });
  const calls = await reading(pieces((i) => chunk({ tool_calls: [call(i)] }), STOP), "openai");
  assertEquals(calls.toolCalls?.[0]?.rawArguments.length, 2 * LONGER_PIECES - 1);
  const details = await reading(
    pieces((i) => chunk({ content: "", reasoning_details: [{ index: i % 9, text: "x" }] }), STOP),
    "openai",
  );
  const kept = Object(details.providerData).message.reasoning_details;
  assertEquals([kept.length, kept[0].text.length > LONGER_PIECES / 10], [9, true]);
  const start = {
    type: "content_block_start",
    index: 0,
    content_block: { type: "text", text: "" },
  };
  const delta = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "x" } };
  const said = await reading(pieces((i) => i === 0 ? start : delta, END_TURN), "anthropic");
  assertEquals(said.text.length, LONGER_PIECES - 1);
});

Deno.test("a line that is longer than any may be is a typed error at its limit", async () => {
  const piece = "x".repeat(100_000);
  function* line(): Generator<string> {
    yield 'data: {"choices":[{"delta":{"content":"';
    for (let size = 0; size < LINE_CHARS; size += piece.length) yield piece;
    yield '"},"finish_reason":"stop"}]}\n\n';
  }
  const { response: answer, given } = response(line(), "text/event-stream");
  if (LINE_CHARS <= MAX_LINE_LENGTH) {
    assertEquals((await read(answer, "openai")).text.length >= LINE_CHARS, true);
    return;
  }
  const error = await assertRejects(() => read(answer, "openai"), ModelCallError, "longer than");
  assertEquals([error.kind, error.retriable], ["malformed_response", false]);
  assert(given() < MAX_LINE_LENGTH + 1_000_000, `${given()}`);
});

function* endless(start: string, piece: string): Generator<string> {
  yield start;
  for (;;) yield piece;
}

Deno.test("an answer that is larger than any may be is a typed error at its limit", async () => {
  const piece = `: ${"x".repeat(99_997)}\n`;
  for (const type of ["text/event-stream", "application/json"]) {
    const start = type === "application/json" ? '{"x":"' : "data: {}\n\n";
    const { response: answer, given } = response(endless(start, piece), type);
    const error = await assertRejects(() => read(answer, "openai"), ModelCallError, "larger than");
    assertEquals(error.kind, "malformed_response");
    assert(given() < MAX_ANSWER_BYTES + 1_000_000, `${given()}`);
  }
});
