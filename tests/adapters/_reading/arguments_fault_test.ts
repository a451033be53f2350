import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { nativeToolsInterpreter } from "../../../adapters/native_tools_interpreter.ts";
import type { Interpretation } from "../../../ports/mod.ts";
import type { JsonValue, ModelReply } from "../../../types/mod.ts";
import { anthropicExchange, chatExchange } from "../model_calls.ts";
import { onePiece, type RawAnswer, streamAnswer } from "../raw_http_server.ts";

/** Arguments that JSON cannot carry, and what a model is told of them. */
const FAULTS: [raw: string, said: string][] = [
  [
    '{"q":"x","id":2512292042121000001}',
    "arguments.id: 2512292042121000001 is not exact as a number: write it as a string",
  ],
  ['{"more":{"ids":[1,1e400]}}', "arguments.more.ids[1]: 1e400 is not exact"],
  ['{"a b":[{"c":-0}]}', 'arguments["a b"][0].c: -0 is not exact'],
  ['{"q":"a","q":"b"}', "arguments.q: the object has this key twice"],
  ['{"q":"a', "position 7"],
  ['{"q":', "position 5"],
  ['{"q":"a"} {"q":"b"}', "position 10"],
  ['["a"]', "arguments: they must be an object, not an array"],
  ['"a"', "arguments: they must be an object, not a string"],
  ["null", "arguments: they must be an object, not null"],
];

const events = (...parts: readonly JsonValue[]) =>
  streamAnswer(parts.map((part) => `data: ${JSON.stringify(part)}\n\n`).join(""));

function chatStream(raw: string): RawAnswer {
  const call = (args: string) => ({
    choices: [{
      index: 0,
      delta: { tool_calls: [{ index: 0, id: "k", function: { name: "lookup", arguments: args } }] },
    }],
  });
  return events(
    call(raw.slice(0, 3)),
    {
      choices: [{
        index: 0,
        delta: { tool_calls: [{ index: 0, function: { arguments: raw.slice(3) } }] },
      }],
    },
    { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
  );
}

function chatBody(raw: string): RawAnswer {
  const tool_calls = [{ id: "k", type: "function", function: { name: "lookup", arguments: raw } }];
  const body = {
    choices: [{ message: { content: null, tool_calls }, finish_reason: "tool_calls" }],
  };
  return {
    ...events(),
    headers: { "content-type": "application/json" },
    pieces: onePiece(JSON.stringify(body)),
  };
}

function anthropicStream(raw: string): RawAnswer {
  const delta = (partial_json: string) => ({
    type: "content_block_delta",
    index: 0,
    delta: { type: "input_json_delta", partial_json },
  });
  return events(
    {
      type: "message_start",
      message: { id: "m", model: "fx", usage: { input_tokens: 1, output_tokens: 1 } },
    },
    {
      type: "content_block_start",
      index: 0,
      content_block: { type: "tool_use", id: "k", name: "lookup", input: {} },
    },
    delta(raw.slice(0, 3)),
    delta(raw.slice(3)),
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 2 } },
    { type: "message_stop" },
  );
}

function anthropicBody(raw: string): RawAnswer {
  const call = `{"type":"tool_use","id":"k","name":"lookup","input":${raw}}`;
  const body = `{"type":"message","content":[${call}],"stop_reason":"tool_use"}`;
  return {
    ...events(),
    headers: { "content-type": "application/json" },
    pieces: onePiece(body),
  };
}

function explanation(reply: ModelReply): string {
  const context = {
    runId: "r",
    stepIndex: 0,
    signal: new AbortController().signal,
    toolNames: ["lookup"],
  };
  const { decision } = nativeToolsInterpreter().interpret(reply, context) as Interpretation;
  assert(decision.kind === "invalid", JSON.stringify(decision));
  return decision.explanation;
}

/** Whether it can stand in the body itself; a text there is taken for the JSON in it, and null for no arguments. */
function isObjectOrArray(raw: string): boolean {
  try {
    return typeof JSON.parse(raw) === "object" && raw !== "null";
  } catch {
    return false;
  }
}

Deno.test("a model is told the value, the place and the rule of arguments that JSON cannot carry", async () => {
  for (const [raw, said] of FAULTS) {
    const replies = [
      await chatExchange({}, {}, chatBody(raw)),
      await chatExchange({}, { stream: true }, chatStream(raw)),
      await anthropicExchange({}, { stream: true }, anthropicStream(raw)),
    ];
    if (isObjectOrArray(raw)) replies.push(await anthropicExchange({}, {}, anthropicBody(raw)));
    for (const { reply } of replies) {
      const shown = explanation(reply);
      assertStringIncludes(shown, said);
      assertStringIncludes(shown, `They were: ${raw}`);
      assertStringIncludes(shown, '"lookup"');
    }
  }
});

Deno.test("of long arguments the beginning is quoted, by code point", () => {
  const rawArguments = `{"q":"${"🌊".repeat(10_000)}`;
  const shown = explanation({
    text: "",
    toolCalls: [{ name: "a", arguments: null, rawArguments, argumentsError: "invalid_json" }],
  });
  assertEquals(shown.split("They were: ")[1], `{"q":"${"🌊".repeat(494)}…`);
});
