import { assert, assertEquals } from "@std/assert";
import type { ModelDelta } from "../../../../ports/mod.ts";
import type { JsonValue } from "../../../../types/mod.ts";
import { CHAT_OK as OK, chatExchange as exchange } from "../../model_calls.ts";
import { jsonAnswer, onePiece, streamAnswer } from "../../raw_http_server.ts";

const STREAM_END = `data: ${
  JSON.stringify({ choices: [{ delta: {}, finish_reason: "stop" }] })
}\n\ndata: [DONE]\n\n`;

function withToolCalls(...calls: readonly JsonValue[]): JsonValue {
  return { choices: [{ message: { tool_calls: calls }, finish_reason: "tool_calls" }] };
}

Deno.test("chatCompletionsModel() gives deltas in order, and without a stream the whole", async () => {
  const deltas: ModelDelta[] = [];
  const onDelta = (delta: ModelDelta) => void deltas.push(delta);
  const chunks = [
    { reasoning_content: "Low ", content: null },
    { reasoning: "first.", content: "" },
    { content: "Well " },
    { reasoning_content: "Yes.", content: "3" },
    {},
    { content: [{ type: "text", text: "." }] },
  ].map((delta) => `data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`);
  const { reply } = await exchange(
    { onDelta },
    { stream: true },
    streamAnswer(chunks.join("") + STREAM_END),
  );
  assertEquals(deltas, [
    { kind: "reasoning", text: "Low " },
    { kind: "reasoning", text: "first." },
    { kind: "text", text: "Well " },
    { kind: "reasoning", text: "Yes." },
    { kind: "text", text: "3" },
    { kind: "text", text: "." },
  ]);
  assertEquals([reply.text, reply.reasoning], ["Well 3.", "Low first.Yes."]);
  deltas.length = 0;
  await exchange({ onDelta });
  assertEquals(deltas, [{ kind: "text", text: "ok" }]);
});

Deno.test("chatCompletionsModel() keeps the served model and the response's id", async () => {
  const { reply } = await exchange({}, {}, jsonAnswer({ ...OK, id: "cmpl-1", model: "fx-0711" }));
  assertEquals(reply, {
    text: "ok",
    finishReason: "stop",
    rawFinishReason: "stop",
    servedModel: "fx-0711",
    responseId: "cmpl-1",
  });
});

Deno.test("chatCompletionsModel() flags arguments that JavaScript cannot hold, however they came", async () => {
  const cases: [string, string | undefined, string][] = [
    ['{"id":12345678901234567890}', "unfaithful_number", '{"id":12345678901234567890}'],
    ['{"id": 1, "id": 2}', "duplicate_key", '{"id":1,"id":2}'],
    ['{ "b": 1, "2": [ -0.5, "x } \\" y" ] }', undefined, '{"b":1,"2":[-0.5,"x } \\" y"]}'],
    ["[1]", "not_object", "[1]"],
    ["7", "not_object", "7"],
    ["false", "not_object", "false"],
  ];
  for (const stream of [false, true]) {
    for (const [text, fault, compact] of cases) {
      const member = stream ? "delta" : "message";
      const body =
        `{"choices":[{"${member}":{"tool_calls":[null,{"function":{"name":"n","arguments":${text}}}]},"finish_reason":"stop"}]}`;
      const answer = stream
        ? streamAnswer(`data: ${body}\n\n`)
        : { ...jsonAnswer(null), pieces: onePiece(body) };
      const { reply } = await exchange({}, { stream }, answer);
      const [call] = reply.toolCalls!;
      assertEquals([call!.argumentsError, call!.rawArguments], [fault, compact]);
      assertEquals(call!.arguments, fault === undefined ? JSON.parse(text) : null);
    }
  }
  const asText = withToolCalls({ function: { name: "n", arguments: '{"id": 1, "id": 2}' } });
  const { reply } = await exchange({}, {}, jsonAnswer(asText));
  assertEquals(reply.toolCalls?.[0]?.argumentsError, "duplicate_key");
  assertEquals(reply.toolCalls?.[0]?.rawArguments, '{"id": 1, "id": 2}');
});

Deno.test("chatCompletionsModel() makes up ids that no call of the reply has", async () => {
  const call = (id: string) => ({ id, function: { name: "n", arguments: "{}" } });
  const answer = jsonAnswer(
    withToolCalls(call(""), call("made_up_0"), call("x"), call("x"), call("")),
  );
  const { reply } = await exchange({}, {}, answer);
  assertEquals(reply.toolCalls?.map(({ id }) => id), [
    "made_up_1",
    "made_up_0",
    "x",
    "made_up_2",
    "made_up_3",
  ]);
});

Deno.test("chatCompletionsModel() starts a streamed call where the last one is whole and a new name comes without id", async () => {
  const pieces: JsonValue[] = [
    { index: 0, function: { name: "a", arguments: '{"x":' } },
    { index: 0, function: { name: "a", arguments: "1}" } },
    { index: 0, function: { name: "b", arguments: "{}" } },
    { function: { name: "c", arguments: "" } },
    { id: "1", function: { name: "d", arguments: "{" } },
    { id: "2", function: { name: "e", arguments: "{}" } },
    { id: "1", function: { arguments: "}" } },
    { index: 7, function: { name: "f", arguments: " " } },
    { index: 7, id: "3", function: { arguments: "\n" } },
  ];
  const events = pieces.map((piece) =>
    `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [piece] } }] })}\n\n`
  );
  const answer = streamAnswer(events.join("") + STREAM_END);
  const { reply } = await exchange({}, { stream: true }, answer);
  assertEquals(reply.toolCalls?.map(({ name, rawArguments }) => [name, rawArguments]), [
    ["a", '{"x":1}'],
    ["b", "{}"],
    ["d", "{}"],
    ["e", "{}"],
    ["f", " \n"],
  ]);
  assertEquals(reply.toolCalls?.at(-1)?.id, "3", "an id may come later");
  assertEquals(reply.toolCalls?.at(-1)?.arguments, {}, "blank arguments are none");
});

Deno.test("chatCompletionsModel() reports no usage that is no number of tokens", async () => {
  const usage = { prompt_tokens: -1, completion_tokens: "4", prompt_tokens_details: [] };
  assertEquals((await exchange({}, {}, jsonAnswer({ ...OK, usage }))).reply.usage, undefined);
  const pieces = onePiece(
    JSON.stringify({ ...OK, usage: { prompt_tokens: "Z", completion_tokens: 1.5 } })
      .replace('"Z"', "-0"),
  );
  const { reply } = await exchange({}, {}, { ...jsonAnswer(null), pieces });
  assertEquals(Object.entries(reply.usage ?? {}), [["inputTokens", 0]]);
  assert(Object.is(reply.usage?.inputTokens, 0), "-0 is no JSON that a log can carry");
});

Deno.test("chatCompletionsModel() records a finish reason of another shape, and lets the reply decide", async () => {
  for (const reason of [{ reason: "tool_calls" }, 3, ["finished"]]) {
    const body = { choices: [{ message: { content: "Hello!" }, finish_reason: reason }] };
    const { reply } = await exchange({}, {}, jsonAnswer(body));
    assertEquals([reply.text, reply.finishReason], ["Hello!", "unknown"]);
    assertEquals(reply.rawFinishReason, JSON.stringify(reason));
    assertEquals(reply.toolCalls, undefined);
  }
});
