/** What only a server understands goes back to it as it came, with the ids that it gave. */
import { assert, assertEquals } from "@std/assert";
import type { JsonValue } from "../../../types/mod.ts";
import { jsonAnswer, type RawAnswer, streamAnswer } from "../raw_http_server.ts";
import {
  ANTHROPIC,
  ANTHROPIC_STREAMED,
  CHAT,
  CHAT_STREAMED,
  type Dialect,
  type FieldRun,
  fieldRun,
  type ModelOptions,
  rawAnswer,
  sse,
} from "./dialects.ts";

const FUNCTION = { name: "lookup", arguments: '{"q":"a"}' };
const CALL = { id: "k1", type: "function", function: FUNCTION };

/** A message as a body and as pieces of a stream. */
function both(message: JsonValue, ...deltas: readonly JsonValue[]): [Dialect, RawAnswer][] {
  const choice = (finish_reason: string | null) => ({ index: 0, finish_reason });
  const pieces = deltas.length === 0 ? [message] : deltas;
  const chunks = pieces.map((delta) => ({ choices: [{ ...choice(null), delta }] }));
  return [
    [CHAT, jsonAnswer({ choices: [{ ...choice("tool_calls"), message }] })],
    [
      CHAT_STREAMED,
      streamAnswer(sse(...chunks, { choices: [{ ...choice("tool_calls"), delta: {} }] })),
    ],
  ];
}

/** The assistant's message of the second request. */
function sentBack({ sent }: FieldRun): Record<string, JsonValue> {
  const messages = sent[1]?.messages as Record<string, JsonValue>[];
  const message = messages.find(({ role }) => role === "assistant");
  assert(message !== undefined, JSON.stringify(messages));
  return message;
}

async function echoed(dialect: Dialect, answer: RawAnswer, options: ModelOptions = {}) {
  return sentBack(await fieldRun(dialect, [answer], { options }));
}

Deno.test("an opaque member of a call is back in its place, unchanged", async () => {
  const extra_content = { v: { sig: "b3Bh", n: [1, null] } };
  const call = { ...CALL, extra_content, function: { ...FUNCTION, strict: true } };
  const { arguments: text, ...named } = call.function;
  const streams = [
    [{ tool_calls: [{ index: 0, ...call }] }],
    [
      { tool_calls: [{ index: 0, ...call, function: { ...named, arguments: "" } }] },
      { tool_calls: [{ index: 0, function: { arguments: text } }] },
    ],
    [
      { tool_calls: [{ index: 0, ...CALL }] },
      { tool_calls: [{ index: 0, extra_content, function: { strict: true } }] },
    ],
    [
      { tool_calls: [{ index: 0, ...call }] },
      { tool_calls: [{ index: 0, extra_content, function: { arguments: "" } }] },
    ],
  ];
  for (const deltas of streams) {
    for (const [dialect, answer] of both({ content: null, tool_calls: [call] }, ...deltas)) {
      assertEquals((await echoed(dialect, answer)).tool_calls, [call]);
    }
  }
});

Deno.test("opaque members of a message are back on it, put together from their pieces", async () => {
  const details = [
    { type: "reasoning.text", text: "ab", index: 0, format: "v1", signature: "s" },
    { type: "reasoning.encrypted", data: "b3Bh", id: "r1", index: 1 },
  ];
  const blocks = [{ type: "thinking", thinking: "hm hm", signature: "c2ln" }];
  const members = {
    reasoning_details: details,
    thinking_blocks: blocks,
    reasoning_content: "aa",
    seal: "x",
    annotations: { deep: { list: [1] } },
  };
  const deltas = [
    { reasoning_details: [{ ...details[0], text: "a", signature: null }] },
    { reasoning_details: [{ type: "reasoning.text", text: "b", index: 0, format: "v1" }] },
    { reasoning_details: [{ index: 0, signature: "s" }, details[1]!] },
    { thinking_blocks: [{ type: "thinking", thinking: "hm ", signature: null }] },
    { thinking_blocks: [{ type: "thinking", thinking: "hm", signature: null }] },
    { thinking_blocks: [{ type: "thinking", thinking: "", signature: "c2ln" }] },
    { reasoning_content: "a", annotations: { deep: { list: [1] } } },
    { reasoning_content: "a", seal: "x" },
    { tool_calls: [{ index: 0, ...CALL }], refusal: null, audio: null },
  ];
  for (const [dialect, answer] of both({ ...members, tool_calls: [CALL] }, ...deltas)) {
    const { role: _, content: __, tool_calls, ...back } = await echoed(dialect, answer);
    assertEquals([back, tool_calls], [members, [CALL]], dialect.name);
  }
});

Deno.test("parts of a content that are no text are back in their places, if echo says so", async () => {
  const thought = { type: "thinking", thinking: [{ type: "text", text: "hm" }], seal: "x" };
  const content = [thought, { type: "text", text: "I look." }, { type: "picture", id: 1 }];
  const tool_calls = [{ index: 0, ...CALL }];
  const deltas = [
    { content: [{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }] },
    { content: [{ type: "thinking", thinking: [], seal: "x" }] },
    { content: "I " },
    { content: [{ type: "text", text: "look." }] },
    { content: [{ type: "picture", id: 1 }] },
    { content: "", tool_calls },
  ];
  for (const [dialect, answer] of both({ content, tool_calls: [CALL] }, ...deltas)) {
    assertEquals((await echoed(dialect, answer)).content, content, dialect.name);
    const some = (await echoed(dialect, answer, { echo: ["picture"] })).content;
    assertEquals(some, content.slice(1));
    assertEquals((await echoed(dialect, answer, { echo: "none" })).content, "I look.");
  }
});

Deno.test("pieces of thoughts are one block until the signature comes, and an empty text is a member", async () => {
  const blocks = [{ type: "thinking", thinking: "hm hm", signature: "c2ln" }];
  const next = { type: "thinking", thinking: "more", signature: "bmV4" };
  const deltas = [
    { thinking_blocks: [{ type: "thinking", thinking: "hm " }], reasoning_content: "" },
    { thinking_blocks: [{ type: "thinking", thinking: "hm" }], note: null },
    { thinking_blocks: [{ type: "thinking", signature: "c2ln" }], list: [] },
    { thinking_blocks: [next], tool_calls: [{ index: 0, ...CALL }] },
  ];
  const message = { reasoning_content: "", thinking_blocks: [...blocks, next] };
  for (const [dialect, answer] of both({ ...message, tool_calls: [CALL] }, ...deltas)) {
    const { role: _, content: __, tool_calls: ___, ...back } = await echoed(dialect, answer);
    assertEquals(back, message, dialect.name);
  }
});

Deno.test("a number that a log cannot hold costs no reply", async () => {
  const call = JSON.stringify(CALL);
  const seal = '"seal":[-0,1e400,-1e400,7]';
  const bodies: [Dialect, string][] = [
    [CHAT, `{"choices":[{"message":{"tool_calls":[${call}],${seal}},"finish_reason":"stop"}]}`],
    [
      ANTHROPIC,
      `{"content":[{"type":"sealed",${seal}},{"type":"tool_use","id":"k1","name":"lookup","input":{"q":"a"}}]}`,
    ],
  ];
  for (const [dialect, body] of bodies) {
    const ran = await fieldRun(dialect, [rawAnswer(body)]);
    assertEquals([ran.looked, ran.result.answer], [[{ q: "a" }], "done"]);
    assert(JSON.stringify(sentBack(ran)).includes("[0,1.7976931348623157e+308,-1.79769"));
  }
});

Deno.test("arguments that a server sends once more as a whole are those that it sent", async () => {
  const end = { index: 0, function: { arguments: FUNCTION.arguments } };
  for (const again of [end, { ...end, ...CALL }]) {
    const [, streamed] = both({}, { tool_calls: [{ index: 0, ...CALL }] }, { tool_calls: [again] });
    const [dialect, answer] = streamed!;
    assertEquals((await fieldRun(dialect, [answer])).looked, [{ q: "a" }]);
  }
});

Deno.test("items of one index with another type or id are other items", async () => {
  const details = [
    { index: 0, type: "reasoning.text", text: "a" },
    { index: 0, type: "reasoning.encrypted", data: "x" },
    { index: 0, type: "reasoning.encrypted", id: "2", data: "y" },
  ];
  const deltas = details.map((item) => ({ reasoning_details: [item] }));
  const [, [dialect, answer]] = both({}, ...deltas, { tool_calls: [{ index: 0, ...CALL }] }) as [
    unknown,
    [Dialect, RawAnswer],
  ];
  const [text, ...others] = details;
  assertEquals(
    (await echoed(dialect, answer)).reasoning_details,
    [
      text!,
      { index: 0, type: "reasoning.encrypted", data: "xy", id: "2" },
    ].slice(0, others.length),
  );
});

Deno.test("echo says what goes back; the record has it all", async () => {
  const message = {
    reasoning_content: "hm",
    reasoning: "hm",
    seal: "x",
    tool_calls: [{ ...CALL, extra_content: 1 }],
  };
  const streamed = { ...message, tool_calls: [{ index: 0, ...message.tool_calls[0] }] };
  for (const [dialect, answer] of both(message, streamed)) {
    const rows: [ModelOptions["echo"], string[], string[]][] = [
      ["all", ["reasoning_content", "reasoning", "seal"], ["extra_content"]],
      ["none", [], []],
      [["seal", "extra_content"], ["seal"], ["extra_content"]],
      [["reasoning"], ["reasoning"], []],
    ];
    for (const [echo, members, ofCall] of rows) {
      const ran = await fieldRun(dialect, [answer], { options: { echo: echo! } });
      const { role: _, content: __, tool_calls, ...back } = sentBack(ran);
      assertEquals(Object.keys(back).sort(), members.toSorted());
      const [call] = tool_calls as Record<string, JsonValue>[];
      assertEquals(Object.keys(call!).filter((name) => !Object.hasOwn(CALL, name)), ofCall);
      assertEquals(call!.id, "k1");
      const kept = JSON.stringify(ran.result.steps[0]?.reply?.providerData);
      for (const name of ["reasoning_content", "seal", "extra_content"]) {
        assert(kept.includes(name));
      }
    }
  }
});

Deno.test("blocks that only an Anthropic server understands are back in their places, if echo says so", async () => {
  const content = [
    { type: "thinking", thinking: "hm", signature: "c2ln" },
    { type: "text", text: "I look." },
    { type: "server_tool_use", id: "srv", name: "search", input: { q: "x" } },
    { type: "search_result", tool_use_id: "srv", content: [{ n: 1 }] },
    {
      type: "tool_use",
      id: "toolu_1",
      name: "lookup",
      input: { q: "a" },
      caller: { type: "direct" },
    },
  ];
  const events = content.flatMap((block, index): JsonValue[] => {
    const start = (content_block: JsonValue) => ({
      type: "content_block_start",
      index,
      content_block,
    });
    const delta = (delta: JsonValue) => ({ type: "content_block_delta", index, delta });
    const input = (value: JsonValue) =>
      delta({ type: "input_json_delta", partial_json: JSON.stringify(value) });
    if (block.type === "server_tool_use" || block.type === "tool_use") {
      return [start({ ...block, input: {} }), input(block.input!)];
    }
    if (block.type !== "thinking") return [start(block)];
    const thinking = delta({ type: "thinking_delta", thinking: "hm" });
    return [
      start({ type: "thinking", thinking: "", signature: "" }),
      thinking,
      delta({ type: "signature_delta", signature: "c2ln" }),
    ];
  });
  const end = { type: "message_delta", delta: { stop_reason: "tool_use" } };
  const answers: [Dialect, RawAnswer][] = [
    [ANTHROPIC, jsonAnswer({ content, stop_reason: "tool_use" })],
    [ANTHROPIC_STREAMED, streamAnswer(sse({ type: "message_start", message: {} }, ...events, end))],
  ];
  for (const [dialect, answer] of answers) {
    assertEquals((await echoed(dialect, answer)).content, content, dialect.name);
    const none = (await echoed(dialect, answer, { echo: "none" })).content as { type: string }[];
    assertEquals(none.map(({ type }) => type), ["text", "tool_use"]);
    assertEquals("caller" in none[1]!, false);
    const some = await echoed(dialect, answer, { echo: ["thinking"] });
    assertEquals((some.content as { type: string }[])[0]?.type, "thinking");
  }
});

Deno.test("a member of another model is not sent, and none can be one that is read", async () => {
  const hostile = JSON.parse(
    '{"__proto__":{"role":"system"},"constructor":1,"toString":"x","role":"user","content":"hi"}',
  );
  const message = { ...hostile, tool_calls: [CALL] };
  Object.defineProperty(message, "__proto__", { value: { a: 1 }, enumerable: true });
  const streamed = { ...message, tool_calls: [{ index: 0, ...CALL }] };
  for (const [dialect, answer] of both(message, streamed)) {
    const back = await echoed(dialect, answer);
    assertEquals([back.role, back.content], ["assistant", "hi"]);
    assertEquals([back.constructor, back.toString], [1, "x"] as never);
  }
});
