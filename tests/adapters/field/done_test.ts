/** Nothing counts as done unless it is done: finish reasons, in both dialects, streamed and not. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { InvalidRequestError, type JsonValue } from "../../../types/mod.ts";
import { assertThrows } from "@std/assert";
import { chatCompletionsModel } from "../../../adapters/chat_completions_model.ts";
import { failureOf } from "../model_calls.ts";
import { jsonAnswer, type RawAnswer, rawHttpServer, streamAnswer } from "../raw_http_server.ts";
import {
  ANTHROPIC_STREAMED,
  CHAT,
  CHAT_STREAMED,
  chatAnswers,
  type Dialect,
  DIALECTS,
  expectTold,
  fieldRun,
  inTurn,
  sse,
} from "./dialects.ts";

const CALL = { id: "k1", name: "lookup", arguments: { q: "a" } };

for (const dialect of DIALECTS) {
  Deno.test(`calls that are announced and not there are no answer (${dialect.name})`, async () => {
    for (const finish of ["tool_calls", "tool_use", "function_call", "TOOL_USE"]) {
      for (const text of ["Looking it up.", ""]) {
        const answer = dialect.answer({ text, finish });
        expectTold(await fieldRun(dialect, [answer]), "announces calls and brings none");
      }
    }
  });

  Deno.test(`a call that came as text is none, and no answer (${dialect.name})`, async () => {
    const call = '{"name":"lookup","arguments":{"q":"a"}}';
    const leaked = [
      `<tool_call>\n${call}\n</tool_call>`,
      `I look.\n\n<tool_call>${call}</tool_call>`,
      `<think>hm</think>\n[TOOL_CALLS][${call}]`,
      '<function=lookup>{"q":"a"}</function>',
      `<|python_tag|>${call}`,
      call,
    ];
    for (const text of leaked) {
      for (const finish of ["stop", "tool_calls"]) {
        expectTold(await fieldRun(dialect, [dialect.answer({ text, finish })]), "came as text");
      }
    }
    const answers = [
      `Write \`<tool_call>${call}</tool_call>\`.`,
      '{"name":"other","arguments":{}}',
    ];
    for (const text of answers) {
      assertEquals((await fieldRun(dialect, [dialect.answer({ text })])).result.answer, text);
    }
  });

  Deno.test(`a server that gave up is a failed call that may be tried again (${dialect.name})`, async () => {
    const kinds: [string, string][] = [
      ["network_error", "server"],
      ["timeout", "timeout"],
      ["error", "server"],
      ["ABORTED", "server"],
      ["rate_limit_exceeded", "rate_limit"],
      ["time_limit", "timeout"],
      ["connection_lost", "server"],
      ["exception", "server"],
      ["killed", "server"],
    ];
    for (const [finish, kind] of kinds) {
      const answer = dialect.answer({ text: "The first of three", calls: [CALL], finish });
      await using server = rawHttpServer(answer);
      const error = await failureOf(dialect.model(server.origin));
      assertEquals([error.kind, error.retriable, error.partialText], [
        ...[kind, true, "The first of three"],
      ]);
      assertStringIncludes(error.message, JSON.stringify(finish));
      const { result } = await fieldRun(dialect, [answer]);
      assertEquals([result.steps[0]?.outcome, result.answer], ["model_call_failed", "done"]);
    }
  });

  Deno.test(`a reason that is known, accepted, or beside calls lets the reply stand (${dialect.name})`, async () => {
    for (const finish of ["STOP", "End_Turn", "eos", "stop_sequence", "stop sequence"]) {
      const { result } = await fieldRun(dialect, [dialect.answer({ text: "42", finish })]);
      assertEquals(result.answer, "42", finish);
    }
    const answer = dialect.answer({ text: "42", finish: "Finished." });
    const { result } = await fieldRun(dialect, [answer], {
      options: { acceptFinishReasons: ["finished"] },
    });
    assertEquals([result.answer, result.steps.length], ["42", 1]);
    const beside = await fieldRun(dialect, [dialect.answer({ calls: [CALL], finish: "finished" })]);
    assertEquals([beside.looked, beside.result.answer], [[{ q: "a" }], "done"]);
  });

  Deno.test(`a model that always ends for an unknown reason ends by its failures (${dialect.name})`, async () => {
    const answer = dialect.answer({ text: "42", finish: "finished" });
    const { result, requests } = await fieldRun(dialect, Array(9).fill(answer), {
      spec: {
        budget: {
          maxSteps: 20,
          maxModelCalls: 20,
          maxPromptChars: 10_000,
          maxConsecutiveFailures: 3,
        },
      },
    });
    assertEquals([result.stopReason, requests.length], ["invalid_decisions", 3]);
  });

  Deno.test(`a body that says no reason is whole, a stream is not (${dialect.name})`, async () => {
    const answer = dialect.answer({ text: "The first of", finish: null });
    if (!dialect.stream) {
      assertEquals((await fieldRun(dialect, [answer])).result.answer, "The first of");
      return;
    }
    await using server = rawHttpServer(answer);
    const error = await failureOf(dialect.model(server.origin));
    assertEquals([error.kind, error.retriable, error.partialText], [
      ...["stream_truncated", true, "The first of"],
    ]);
  });
}

Deno.test("a piece under a reason that does not mean done is no answer", async () => {
  const reasons: [string[], string][] = [
    [
      [
        ...["MAX_TOKENS", "incomplete", "model_context_window_exceeded", "max-tokens"],
        ...["Length", "FinishReason.MAX_TOKENS", "output_limit", "out_of_tokens", "cutoff"],
        ...["context_exceeded", "too_long", "partial"],
      ],
      "(length)",
    ],
    [
      [
        ...["SAFETY", "RECITATION", "sensitive", "content_filter: SAFETY", "PROHIBITED_CONTENT"],
        ...["contentFilter", "guardrail_intervened", "content_policy", "unsafe", "MODEL_ARMOR"],
        ...["copyright", "flagged", "stop: safety"],
      ],
      "(content_filter)",
    ],
    [
      ["MALFORMED_FUNCTION_CALL", "malformed_tool_use", "bad_tool_call", "unexpected_tool_call"],
      "could not be read",
    ],
    [["finished", "done!", "完"], "acceptFinishReasons"],
  ];
  for (const [words, said] of reasons) {
    for (const [finish, dialect] of inTurn(words, DIALECTS)) {
      const text = "The first of three";
      expectTold(await fieldRun(dialect, [dialect.answer({ text, finish })]), said);
      if (said === "acceptFinishReasons") continue;
      const beside = await fieldRun(dialect, [dialect.answer({ text, calls: [CALL], finish })]);
      expectTold(beside, said);
    }
  }
});

Deno.test("a stream that stops without a reason is cut, whatever it says at its end", async () => {
  const chunk = { choices: [{ index: 0, delta: { content: "The first of" } }] };
  const start = [
    { type: "message_start", message: {} },
    {
      type: "content_block_start",
      index: 0,
      content_block: { type: "text", text: "The first of" },
    },
  ];
  const streams = [
    [CHAT_STREAMED, sse(chunk, "[DONE]")],
    [CHAT_STREAMED, sse(chunk)],
    [CHAT_STREAMED, sse(chunk, { choices: [], usage: { prompt_tokens: 1 } }, "[DONE]")],
    [ANTHROPIC_STREAMED, sse(...start, { type: "message_stop" })],
    [ANTHROPIC_STREAMED, sse(...start)],
    [ANTHROPIC_STREAMED, sse(...start, { type: "message_delta", delta: { stop_reason: null } })],
  ] as const;
  for (const [dialect, text] of streams) {
    await using server = rawHttpServer(streamAnswer(text));
    const error = await failureOf(dialect.model(server.origin));
    assertEquals([error.kind, error.retriable, error.partialText], [
      ...["stream_truncated", true, "The first of"],
    ], text);
  }
});

/** A text in two pieces, each of which ends with a word of its own. */
function endedTwice(first: string, second: string): [Dialect, RawAnswer][] {
  const chunk = (content: string, finish_reason: string) => ({
    choices: [{ index: 0, delta: { content }, finish_reason }],
  });
  const end = (stop_reason: string) => ({ type: "message_delta", delta: { stop_reason } });
  const block = { type: "content_block_start", index: 0, content_block: { type: "text" } };
  const piece = { type: "text_delta", text: "The first of" };
  return [
    [CHAT_STREAMED, streamAnswer(sse(chunk("The first", first), chunk(" of", second), "[DONE]"))],
    [
      ANTHROPIC_STREAMED,
      streamAnswer(sse(
        { type: "message_start", message: {} },
        block,
        { type: "content_block_delta", index: 0, delta: piece },
        end(first),
        end(second),
        { type: "message_stop" },
      )),
    ],
  ];
}

Deno.test("no later word takes back that a reply was cut, filtered or failed", async () => {
  for (const [first, said] of [["length", "(length)"], ["SAFETY", "(content_filter)"]] as const) {
    for (const [dialect, answer] of endedTwice(first, "stop")) {
      expectTold(await fieldRun(dialect, [answer]), said);
    }
  }
  for (const [dialect, answer] of endedTwice("error", "stop")) {
    const { result } = await fieldRun(dialect, [answer]);
    assertEquals([result.steps[0]?.outcome, result.answer], ["model_call_failed", "done"]);
  }
  for (const first of ["stop", "finished", "null"]) {
    for (const [dialect, answer] of endedTwice(first, "stop")) {
      assertEquals((await fieldRun(dialect, [answer])).result.answer, "The first of", first);
    }
  }
  for (const [dialect, answer] of endedTwice("null", "None")) {
    await using server = rawHttpServer(answer);
    assertEquals((await failureOf(dialect.model(server.origin))).kind, "stream_truncated");
  }
});

Deno.test("a choice of which a filter took something out is no answer, whatever its reason", async () => {
  const filters = { hate: { filtered: false, severity: "safe" }, violence: { filtered: true } };
  for (const name of ["content_filter_results", "content_filter_result"]) {
    for (const content of ["", "The first of", null]) {
      for (const finish_reason of ["stop", null, "content_filter"]) {
        for (
          const [dialect, answer] of chatAnswers({ content }, { finish_reason, [name]: filters })
        ) {
          expectTold(await fieldRun(dialect, [answer]), "(content_filter)");
        }
      }
    }
    const chunk = { choices: [{ index: 0, delta: { content: "The first of" } }] };
    const late = { choices: [{ index: 0, [name]: filters }] };
    const answer = streamAnswer(sse(chunk, late, "[DONE]"));
    expectTold(await fieldRun(CHAT_STREAMED, [answer]), "(content_filter)");
    const kept = { hate: { filtered: false }, jailbreak: { filtered: false, detected: true } };
    for (
      const [dialect, whole] of chatAnswers({ content: "42" }, {
        finish_reason: "stop",
        [name]: kept,
      })
    ) {
      assertEquals((await fieldRun(dialect, [whole])).result.answer, "42");
    }
  }
  const withheld = jsonAnswer({ choices: [{ index: 0, finish_reason: "content_filter" }] });
  expectTold(await fieldRun(CHAT, [withheld]), "(content_filter)");
});

Deno.test("a word for the end counts under other names, too, and a loss that a gateway translated", async () => {
  const rows: [Record<string, JsonValue>, string][] = [
    [{ finishReason: "length" }, "(length)"],
    [{ finish_details: { type: "max_tokens" } }, "(length)"],
    [{ finish_reason: "stop", native_finish_reason: "MALFORMED_FUNCTION_CALL" }, "could not be"],
    [{ finish_reason: "stop", native_finish_reason: "MAX_TOKENS" }, "(length)"],
  ];
  for (const [ends, said] of rows) {
    for (const [dialect, answer] of chatAnswers({ content: "The first of" }, ends)) {
      expectTold(await fieldRun(dialect, [answer]), said);
    }
  }
  const whole: Record<string, JsonValue>[] = [
    { finishReason: "stop" },
    { finish_details: { type: "stop" } },
    { finish_reason: "stop", native_finish_reason: "completed" },
    { finish_reason: "stop", stop_reason: "\n\n" },
  ];
  for (const ends of whole) {
    for (const [dialect, answer] of chatAnswers({ content: "42" }, ends)) {
      assertEquals((await fieldRun(dialect, [answer])).result.answer, "42");
    }
  }
});

Deno.test("acceptFinishReasons takes no word that is known to mean something else", () => {
  const base = { baseUrl: "http://127.0.0.1:1", model: "fx" };
  chatCompletionsModel({ ...base, acceptFinishReasons: ["finished", "stop", "complete"] });
  for (const word of ["length", "MAX_TOKENS", "tool_calls", "error", "SAFETY", "pause_turn", ""]) {
    const make = () => chatCompletionsModel({ ...base, acceptFinishReasons: [word] });
    assertEquals(assertThrows(make, InvalidRequestError).field, "acceptFinishReasons");
  }
});
