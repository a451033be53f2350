/** Errors where no standard has them, and answers under another label. */
import { assertEquals, assertFalse, assertStringIncludes } from "@std/assert";
import type { JsonValue } from "../../../types/mod.ts";
import { fuzzSample } from "../../tasks/fuzz_rounds.ts";
import { failureOf, modelCall } from "../model_calls.ts";
import { jsonAnswer, type RawAnswer, rawHttpServer, streamAnswer } from "../raw_http_server.ts";
import {
  ANTHROPIC,
  ANTHROPIC_STREAMED,
  CHAT,
  CHAT_STREAMED,
  chatAnswers,
  type Dialect,
  DIALECTS,
  inTurn,
  rawAnswer,
  sse,
} from "./dialects.ts";

const CALL = {
  id: "k1",
  type: "function",
  function: { name: "lookup", arguments: '{"q":"a"}' },
};
const HEL = { choices: [{ index: 0, delta: { content: "Hel" } }] };

async function failure(dialect: Dialect, answer: RawAnswer) {
  await using server = rawHttpServer(answer);
  return await failureOf(dialect.model(server.origin));
}

async function replied(dialect: Dialect, answer: RawAnswer) {
  await using server = rawHttpServer(answer);
  return await dialect.model(server.origin).call(modelCall());
}

Deno.test("an error that is a field of the stream fails the call, and so does an event that says so", async () => {
  const error = '{"code":503,"message":"engine stopped"}';
  const overflow = '{"error":{"code":400,"message":"Context length exceeded"}}';
  const fields = [
    ...[`error: ${error}\n\n`, `event: error\ndata: ${error}\n\n`, `error:${error}\n`],
    ...[`Error: ${error}\n\n`, `event: server_error\ndata: ${error}\n\n`],
  ];
  for (const field of fields) {
    for (const start of ["", sse(HEL)]) {
      for (const end of ["", sse("[DONE]")]) {
        const failed = await failure(CHAT_STREAMED, streamAnswer(start + field + end));
        assertEquals([failed.kind, failed.retriable, failed.partialText], [
          ...["overloaded", true, start === "" ? "" : "Hel"],
        ]);
        assertStringIncludes(failed.message, "engine stopped");
      }
    }
  }
  for (const field of [`error: ${overflow}\n\n`, `event: error\ndata: ${overflow}\n\n`]) {
    for (const dialect of [CHAT_STREAMED, ANTHROPIC_STREAMED]) {
      const failed = await failure(dialect, streamAnswer(field));
      assertEquals([failed.kind, failed.retriable], ["context_length", false]);
    }
  }
  const plain = await failure(CHAT_STREAMED, streamAnswer(`${sse(HEL)}error: out of memory\n\n`));
  assertStringIncludes(plain.message, "out of memory");
  const said = await failure(ANTHROPIC_STREAMED, streamAnswer("event: error\ndata: gone\n\n"));
  assertStringIncludes(said.message, "gone");
  const end = sse({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
  for (const event of ["event: error\n\n", 'event: exception\ndata: "gone"\n\n']) {
    const failed = await failure(CHAT_STREAMED, streamAnswer(sse(HEL) + event + end));
    assertEquals([failed.kind, failed.partialText], ["server", "Hel"]);
  }
});

Deno.test("an error without a frame fails the call with what it says", async () => {
  const wrapped = { error: { code: 429, message: "slow down" } };
  const bodies = [
    JSON.stringify(wrapped),
    JSON.stringify(wrapped, null, 2),
    JSON.stringify([wrapped]),
    '{"code":429,"message":"slow down"}',
    '{"code":"429","msg":"slow down"}',
    '{"status":429,"title":"Too Many Requests","detail":"slow down"}',
    `\n\n${JSON.stringify(wrapped)}\n\ndata: [DONE]\n\n`,
  ];
  for (const body of bodies) {
    const answers: [Dialect, RawAnswer][] = [
      ...DIALECTS.map((dialect): [Dialect, RawAnswer] => [dialect, streamAnswer(body)]),
      [CHAT_STREAMED, streamAnswer(`${sse(HEL)}${body}\n`)],
      [CHAT_STREAMED, streamAnswer(`: wait\n\n${body}\n\n${sse("[DONE]")}`)],
      [CHAT, rawAnswer(body, "application/json")],
    ];
    for (const [dialect, answer] of answers) {
      const failed = await failure(dialect, answer);
      assertEquals([failed.kind, failed.retriable], ["rate_limit", true], body);
      assertStringIncludes(failed.message, "slow down");
    }
  }
});

Deno.test("what stands in a stream that breaks off is quoted, be it no event", async () => {
  const failed = await failure(CHAT_STREAMED, streamAnswer(`${sse(HEL)}upstream is gone\n`));
  assertEquals([failed.kind, failed.partialText], ["stream_truncated", "Hel"]);
  assertStringIncludes(failed.message, "upstream is gone");
});

Deno.test("an HTML page is named by its title, in a stream, too, and not quoted", async () => {
  const page =
    "<!DOCTYPE html>\n<html><head><title>\n Sign in </title></head><body>secret page</body>";
  for (const dialect of DIALECTS) {
    const xhtml = `<?xml version="1.0"?>\n${page}`;
    for (const answer of [streamAnswer(page), rawAnswer(page, "text/html"), rawAnswer(xhtml)]) {
      await using server = rawHttpServer(answer);
      const error = await failureOf(dialect.model(`${server.origin}/v1?key=q`));
      assertEquals(error.kind, "malformed_response");
      assertStringIncludes(
        error.message,
        `an HTML page titled "Sign in" from POST ${server.origin}`,
      );
      assertFalse(/secret|key=/.test(error.message), error.message);
    }
  }
  const late = await failure(CHAT_STREAMED, streamAnswer(sse(HEL) + page));
  assertEquals([late.kind, late.partialText], ["malformed_response", "Hel"]);
  const refused = await failure(CHAT, rawAnswer(page, "text/html", 502));
  assertEquals([refused.kind, refused.retriable, refused.status], ["server", true, 502]);
  assertStringIncludes(refused.message, 'an HTML page titled "Sign in" from POST http');
});

Deno.test("an error inside a choice is a failed call with its code and message", async () => {
  const error = { code: 429, message: "slow down" };
  for (const finish_reason of ["stop", "error", null]) {
    const fields = { index: 0, finish_reason, error };
    const answers: [Dialect, RawAnswer][] = [
      [CHAT, jsonAnswer({ choices: [{ ...fields, message: { content: "Hel" } }] })],
      [CHAT_STREAMED, streamAnswer(sse({ choices: [{ ...fields, delta: { content: "Hel" } }] }))],
      [CHAT_STREAMED, streamAnswer(sse(HEL, { choices: [fields] }, "[DONE]"))],
    ];
    for (const [dialect, answer] of answers) {
      const failed = await failure(dialect, answer);
      assertEquals([failed.kind, failed.retriable, failed.partialText], [
        ...["rate_limit", true, "Hel"],
      ]);
      assertStringIncludes(failed.message, "slow down");
    }
  }
  for (const message of [{ content: "Hel", error }, { content: "Hel", error: "slow down" }]) {
    for (const [dialect, answer] of chatAnswers(message)) {
      assertStringIncludes((await failure(dialect, answer)).message, "slow down");
    }
  }
  for (const place of ["message", "delta"]) {
    const event = { type: `message_${place === "delta" ? place : "start"}`, [place]: { error } };
    const failed = await failure(ANTHROPIC_STREAMED, streamAnswer(sse(event)));
    assertEquals([failed.kind, failed.retriable], ["rate_limit", true], place);
  }
  const filter = { error: { code: "content_filter_error", message: "not filtered" } };
  for (const place of ["content_filter_result", "content_filter_results"]) {
    const chunk = { choices: [{ index: 0, [place]: filter }] };
    const filtered = await failure(CHAT_STREAMED, streamAnswer(sse(HEL, chunk, "[DONE]")));
    assertStringIncludes(filtered.message, "not filtered");
    assertEquals(filtered.partialText, "Hel");
  }
});

Deno.test("an empty error beside a whole reply is none", async () => {
  const empty: JsonValue[] = [
    ...[null, "", {}, [], false],
    ...[{ message: "", type: "", code: null }, { code: 0, message: "" }, 0, "null", " "],
    ...[{ code: 200, message: "OK" }, { code: "0", message: "success" }, { error: {} }, [{}]],
  ];
  for (const error of empty) {
    const choice = { index: 0, finish_reason: "stop" };
    const message = { content: "42" };
    const answers: [Dialect, RawAnswer][] = [
      [CHAT, jsonAnswer({ choices: [{ ...choice, message }], error })],
      [CHAT, jsonAnswer({ choices: [{ ...choice, message, error }] })],
      [CHAT_STREAMED, streamAnswer(sse({ choices: [{ ...choice, delta: message }], error }))],
      [CHAT_STREAMED, streamAnswer(sse({ choices: [{ ...choice, delta: message, error }] }))],
      [
        ANTHROPIC,
        jsonAnswer({ content: [{ type: "text", text: "42" }], stop_reason: "end_turn", error }),
      ],
    ];
    for (const [dialect, answer] of answers) {
      assertEquals((await replied(dialect, answer)).text, "42", JSON.stringify(error));
    }
  }
});

Deno.test("an answer is a stream or a body by its first bytes, whatever it is called and whether it was asked for", async () => {
  const labels = [
    ...["application/json", "application/octet-stream", "application/x-ndjson", "text/plain"],
    ...["text/event-stream", "text/html", undefined],
  ];
  const starts = ["", ": wait\n\n", "event: message\n", "\ufeff", "id: 1\n", "\n\n", "retry: 5\n"];
  const chunk = { choices: [{ index: 0, delta: { content: "hey" }, finish_reason: "stop" }] };
  const body = { choices: [{ message: { content: "hey" }, finish_reason: "stop" }] };
  const texts: [text: string, isReply: boolean][] = [
    ...starts.map((start): [string, boolean] => [start + sse(chunk, "[DONE]"), true]),
    ...["", "\n \n", "\ufeff"]
      .map((start): [string, boolean] => [start + JSON.stringify(body, null, 1), true]),
    ...["%PDF-1.7", "hello", "\u0000\u0001", "[1", '"hey"', "12", "{"]
      .map((junk): [string, boolean] => [junk, false]),
  ];
  const tried = labels.flatMap((label) =>
    [CHAT, CHAT_STREAMED].flatMap((dialect) =>
      texts.map(([text, isReply]) => ({ label, dialect, text, isReply }))
    )
  );
  for (const { label, dialect, text, isReply } of fuzzSample(tried)) {
    const answer = rawAnswer(text, label);
    const said = isReply
      ? (await replied(dialect, answer)).text
      : (await failure(dialect, answer)).kind;
    assertEquals(said, isReply ? "hey" : "malformed_response", `${label} ${JSON.stringify(text)}`);
  }
  const modes = [ANTHROPIC, ANTHROPIC_STREAMED];
  const asked = modes.flatMap((dialect) => modes.map((said) => ({ dialect, said })));
  for (const [label, { dialect, said }] of inTurn(labels, asked)) {
    const headers = label === undefined ? {} : { "content-type": label };
    const answer = { ...said.answer({ text: "hey" }), headers };
    assertEquals((await replied(dialect, answer)).text, "hey");
  }
});

Deno.test("a chunk with a whole message is read as a whole reply", async () => {
  const message = { role: "assistant", content: "Two files.", tool_calls: [CALL] };
  const whole = { choices: [{ index: 0, message, finish_reason: "tool_calls" }] };
  const pieces = { choices: [{ index: 0, delta: { content: "Two " } }] };
  const call = { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...CALL }] } }] };
  for (const events of [[whole], [whole, "[DONE]"], [pieces, whole], [pieces, call, whole]]) {
    const reply = await replied(CHAT_STREAMED, streamAnswer(sse(...events)));
    assertEquals([reply.text, reply.toolCalls?.map(({ id }) => id)], ["Two files.", ["k1"]]);
  }
  const both = { index: 0, delta: { content: "Two " }, message: { content: "Two files." } };
  const end = { index: 0, delta: { content: "files." }, finish_reason: "stop" };
  const cumulative = sse({ choices: [both] }, { choices: [{ ...end, message }] });
  assertEquals((await replied(CHAT_STREAMED, streamAnswer(cumulative))).text, "Two files.");
  const event = {
    type: "message",
    content: [{ type: "text", text: "hey" }],
    stop_reason: "end_turn",
  };
  assertEquals((await replied(ANTHROPIC_STREAMED, streamAnswer(sse(event)))).text, "hey");
  const delta = { choices: [{ delta: { content: "hey" }, finish_reason: "stop" }] };
  assertEquals((await replied(CHAT, jsonAnswer(delta))).text, "hey");
});
