/** What choices hold: several of them are one reply, and the parts of a content are its text. */
import { assertEquals } from "@std/assert";
import type { JsonValue } from "../../../types/mod.ts";
import { failureOf, modelCall } from "../model_calls.ts";
import { jsonAnswer, type RawAnswer, rawHttpServer, streamAnswer } from "../raw_http_server.ts";
import {
  CHAT,
  CHAT_STREAMED,
  chatAnswers,
  type Dialect,
  expectTold,
  fieldRun,
  sse,
} from "./dialects.ts";

const CALL = {
  id: "k1",
  type: "function",
  function: { name: "lookup", arguments: '{"q":"a"}' },
};

async function failure(dialect: Dialect, answer: RawAnswer) {
  await using server = rawHttpServer(answer);
  return await failureOf(dialect.model(server.origin));
}

async function replied(dialect: Dialect, answer: RawAnswer) {
  await using server = rawHttpServer(answer);
  return await dialect.model(server.origin).call(modelCall());
}

Deno.test("a reply in more choices than were asked for is one reply", async () => {
  const text = { index: 0, delta: { content: "Two files are there." }, finish_reason: "stop" };
  const call = { index: 1, delta: { tool_calls: [{ index: 0, ...CALL }] } };
  const end = { index: 1, delta: {}, finish_reason: "tool_calls" };
  const streams = [
    sse({ choices: [call] }, { choices: [text] }, { choices: [end] }),
    sse({ choices: [text] }, { choices: [call] }, { choices: [end] }, "[DONE]"),
    sse({ choices: [call, text] }, { choices: [end] }),
  ];
  const message = ({ index, delta }: { index: number; delta: JsonValue }) => ({
    index,
    message: delta,
    finish_reason: index === 0 ? "stop" : "tool_calls",
  });
  const bodies = [[text, call], [call, text]].map((choices) => ({ choices: choices.map(message) }));
  const answers: [Dialect, RawAnswer][] = [
    ...streams.map((stream): [Dialect, RawAnswer] => [CHAT_STREAMED, streamAnswer(stream)]),
    ...bodies.map((body): [Dialect, RawAnswer] => [CHAT, jsonAnswer(body)]),
  ];
  for (const [dialect, answer] of answers) {
    const { result, looked } = await fieldRun(dialect, [answer]);
    assertEquals(result.steps[0]?.reply?.text, "Two files are there.");
    assertEquals([looked, result.answer], [[{ q: "a" }], "done"]);
  }
});

Deno.test("the texts of several choices join in their order", async () => {
  const choice = (index: number, content: string) => ({
    index,
    message: { content },
    finish_reason: "stop",
  });
  const rows = [[0, 1, 2], [2, 0, 1], [1, 2, 0]].map((order) =>
    order.map((i) => choice(i, ["One.", "Two.", "Three."][i]!))
  );
  for (const choices of rows) {
    const { text } = await replied(CHAT, jsonAnswer({ choices }));
    assertEquals(text, "One.Two.Three.");
    const events = choices.map(({ message, ...others }) => ({
      choices: [{ ...others, delta: message }],
    }));
    assertEquals((await replied(CHAT_STREAMED, streamAnswer(sse(...events)))).text, text);
  }
  const { index: _, ...unnumbered } = choice(0, "One.");
  const plain = jsonAnswer({ choices: [unnumbered, { ...unnumbered, message: { content: "2" } }] });
  assertEquals((await replied(CHAT, plain)).text, "One.2");
  const cut = { ...choice(1, "Two"), finish_reason: "length" };
  assertEquals(
    (await replied(CHAT, jsonAnswer({ choices: [choice(0, "One."), cut] }))).finishReason,
    "length",
  );
});

Deno.test("a text in a choice that never ended is no answer, one that announces calls may be there", async () => {
  const choice = (index: number, delta: JsonValue, finish_reason: string | null = null) => ({
    choices: [{ index, delta, finish_reason }],
  });
  const half = sse(choice(0, { content: "One." }, "stop"), choice(1, { content: "Tw" }), "[DONE]");
  assertEquals((await failure(CHAT_STREAMED, streamAnswer(half))).kind, "stream_truncated");
  const announced = sse(
    choice(0, { content: "I look." }),
    choice(1, { tool_calls: [{ index: 0, ...CALL }] }, "tool_calls"),
    "[DONE]",
  );
  const { looked, result } = await fieldRun(CHAT_STREAMED, [streamAnswer(announced)]);
  assertEquals([looked, result.answer], [[{ q: "a" }], "done"]);
  const silent = sse(choice(0, { content: "One." }, "stop"), choice(1, {}), "[DONE]");
  assertEquals((await replied(CHAT_STREAMED, streamAnswer(silent))).text, "One.");
});

Deno.test("a choice of a form that is not known is no reply", async () => {
  const unknown = { index: 1, text: "It is 4.", finish_reason: "stop" };
  const known = { index: 0, finish_reason: "stop" };
  const answers: [Dialect, RawAnswer][] = [
    [CHAT, jsonAnswer({ choices: [unknown] })],
    [CHAT, jsonAnswer({ choices: [{ ...known, message: { content: "One." } }, unknown] })],
    [
      CHAT_STREAMED,
      streamAnswer(sse({ choices: [{ ...known, delta: {} }] }, { choices: [unknown] })),
    ],
  ];
  for (const [dialect, answer] of answers) {
    assertEquals((await failure(dialect, answer)).kind, "malformed_response");
  }
});

Deno.test("calls in a form of their own are read, and one that cannot be read is no answer", async () => {
  const { id, type, function: { name, arguments: text } } = CALL;
  const forms: JsonValue[] = [
    CALL,
    [{ id, type, name, arguments: text }],
    [{ id, type, name, arguments: { q: "a" } }],
    { id, type, name, arguments: text },
  ];
  for (const tool_calls of forms) {
    for (const [dialect, answer] of chatAnswers({ content: "I look.", tool_calls })) {
      const { looked, sent } = await fieldRun(dialect, [answer]);
      assertEquals(looked, [{ q: "a" }], JSON.stringify(tool_calls));
      const messages = sent[1]!.messages as Record<string, JsonValue>[];
      assertEquals(messages.flatMap(({ tool_calls }) => tool_calls ?? []), [CALL]);
    }
  }
  const pieces = [{ id, index: 0, name }, { index: 0, arguments: text }].map((call) => ({
    choices: [{ index: 0, delta: { tool_calls: [call] } }],
  }));
  const end = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
  const streamed = await fieldRun(CHAT_STREAMED, [streamAnswer(sse(...pieces, end))]);
  assertEquals(streamed.looked, [{ q: "a" }]);
  for (const tool_calls of [JSON.stringify([CALL]), ["lookup"], [7]]) {
    for (const [dialect, answer] of chatAnswers({ content: "I look.", tool_calls })) {
      expectTold(await fieldRun(dialect, [answer]), "could not be read");
    }
  }
  for (const tool_calls of [[], {}, "", null, [null], false]) {
    for (const [dialect, answer] of chatAnswers({ content: "It is 4.", tool_calls })) {
      assertEquals((await fieldRun(dialect, [answer])).result.answer, "It is 4.");
    }
  }
});

Deno.test("the parts of a content are its text, whatever form they have, and a refusal is one", async () => {
  const contents: JsonValue[] = [
    [{ type: "text", text: "It is " }, { type: "output_text", text: "4." }],
    ["It is ", "4."],
    { type: "text", text: "It is 4." },
  ];
  for (const content of contents) {
    for (const [dialect, answer] of chatAnswers({ content })) {
      assertEquals((await replied(dialect, answer)).text, "It is 4.");
    }
  }
  const content = [{ type: "text", text: "Well." }, { type: "refusal", refusal: "No." }];
  for (const [dialect, answer] of chatAnswers({ content })) {
    assertEquals((await replied(dialect, answer)).finishReason, "refusal");
  }
});
