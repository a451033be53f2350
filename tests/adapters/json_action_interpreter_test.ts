import {
  assert,
  assertEquals,
  assertNotEquals,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import {
  JSON_ACTION_TEXTS,
  jsonActionInterpreter,
} from "../../adapters/json_action_interpreter.ts";
import type { Interpretation } from "../../ports/mod.ts";
import {
  type Decision,
  FINISH_REASONS,
  InvalidRequestError,
  type JsonValue,
  type ModelReply,
} from "../../types/mod.ts";

const context = { runId: "r", stepIndex: 0, signal: new AbortController().signal };
const ADD = '{"tool": "add", "arguments": {"a": 1}}';
const ADD_DECISION: Decision = {
  kind: "action",
  actions: [{ action: { tool: "add", arguments: { a: 1 } }, toolName: "add" }],
};

function read(reply: string | ModelReply): Interpretation {
  const whole = typeof reply === "string" ? { text: reply } : reply;
  return jsonActionInterpreter().interpret(whole, context) as Interpretation;
}

function explanation(reply: string | ModelReply): string {
  const { decision } = read(reply);
  assert(decision.kind === "invalid", `it is ${JSON.stringify(decision)}`);
  return decision.explanation;
}

Deno.test("jsonActionInterpreter() reads a bare object and one in a json block", () => {
  const forms: [text: string, historyText: string][] = [
    [ADD, ADD],
    [` \r\n${ADD}\n`, ` \r\n${ADD}\n`],
    ["```json\n" + ADD + "\n```", "```json\n" + ADD + "\n```"],
    [
      "I add.\n~~~ JSON\r\n" + ADD + "\r\n~~~\r\nResult: 2",
      "I add.\n~~~ JSON\r\n" + ADD + "\r\n~~~",
    ],
    ["```ts\nx\n```\n```json\n" + ADD + "\n```\n", "```ts\nx\n```\n```json\n" + ADD + "\n```"],
  ];
  for (const [text, historyText] of forms) {
    assertEquals(read(text), { decision: ADD_DECISION, historyText });
  }
});

Deno.test("jsonActionInterpreter() takes any JSON as arguments and as answer, unchanged", () => {
  const values: JsonValue[] = [null, false, 0, "", "$& {x}", [], {}, { "": [1, { a: null }] }];
  for (const value of values) {
    const answer = read(JSON.stringify({ final_answer: value })).decision;
    assertEquals(answer, { kind: "final_answer", answer: value });
    const { decision } = read(JSON.stringify({ arguments: value, tool: "t" }));
    const action = { tool: "t", arguments: value };
    assertEquals(decision, { kind: "action", actions: [{ action, toolName: "t" }] });
  }
});

Deno.test("jsonActionInterpreter() takes exactly one form, over every set of keys", () => {
  const keys = ["tool", "arguments", "final_answer", "a", "zone", "__proto__"];
  for (let set = 0; set < 2 ** keys.length; set++) {
    const there = keys.filter((_, i) => set & (1 << i));
    const text = `{${there.map((key) => `"${key}": "v"`).join(",")}}`;
    const form = there.join();
    if (form === "tool,arguments") assertEquals(read(text).decision.kind, "action");
    else if (form === "final_answer") assertEquals(read(text).decision.kind, "final_answer");
    else {
      const shown = explanation(text);
      for (const key of there) assertStringIncludes(shown, `"${key}"`);
    }
  }
});

Deno.test("jsonActionInterpreter() says what is wrong and where", () => {
  const faults: [text: string, said: string][] = [
    ["", "not a JSON object"],
    ["add 1", "not a JSON object"],
    [`I do: ${ADD}`, "not a JSON object"],
    ["```\n" + ADD + "\n```", "not a JSON object"],
    ["```json\n" + ADD + "\n```\n```json\n" + ADD + "\n```", "several json blocks or objects, 2"],
    ["a\n\n```json\n" + ADD, "line 3"],
    ["```json\n```", "Unexpected end"],
    [`${ADD} ${ADD}`, "several json blocks or objects, 2"],
    [`${ADD}\n[]"a"`, "several json blocks or objects, 3"],
    [`${ADD}, or ${ADD}`, "several json blocks or objects, 2"],
    ["```json\n" + ADD + "\n" + ADD + "\n```", "several json blocks or objects, 2"],
    [`${ADD} and ${ADD}`, "several json blocks or objects, 2"],
    [`${ADD} {`, "position 39"],
    ["```json\n" + ADD + "\n```py\nx\n```\n```", "a longer fence"],
    ["~~~md\na\n~~~py\nx\n~~~\n```json\n" + ADD + "\n```\n~~~", "line 3"],
    [ADD.slice(0, -1), "position 37"],
    ['{"tool": "add", "arguments": {"a": 1,}}', "position 37"],
    ["{'tool': 'add', 'arguments': {}}", "position 1"],
    [
      '{"tool": "add", "arguments": {"a": 12345678901234567890}}',
      "arguments.a: 12345678901234567890 is not exact as a number: write it as a string",
    ],
    [
      '{"tool": "add", "arguments": {"a": 1, "a": 2}}',
      "arguments.a: the object has this key twice",
    ],
    ['{"tool": "add", "tool": "rm", "arguments": {}}', "$.tool: the object has this key twice"],
    [`[${ADD}]`, "an array"],
    ['"add"', "a string"],
    ["```json\n7\n```", "a number"],
    ["```json\nnull\n```", "null"],
    ['{"tool": "", "arguments": {}}', "an empty string"],
    ['{"tool": {"name": "add"}, "arguments": {}}', "an object"],
    ["{}", "(none)"],
  ];
  for (const [text, said] of faults) assertStringIncludes(explanation(text), said, text);
});

Deno.test("jsonActionInterpreter() never acts on a reply that nobody can take for whole", () => {
  const said = { malformed: "could not be read", tool_calls: "announces calls" } as const;
  for (const finishReason of FINISH_REASONS) {
    for (const text of [ADD, "```json\n" + ADD + "\n```\n", '{"final_answer": 1}', "{"]) {
      if (finishReason === "stop") assertEquals(read({ text, finishReason }), read(text));
      else {
        const words: Partial<Record<string, string>> = said;
        const shown = explanation({ text, finishReason });
        assertStringIncludes(shown, words[finishReason] ?? finishReason);
      }
    }
  }
});

Deno.test("jsonActionInterpreter() refuses a reply with tool calls", () => {
  const toolCalls = [{ name: "rm", arguments: {}, rawArguments: "{}" }];
  assertEquals(explanation({ text: ADD, toolCalls }), JSON_ACTION_TEXTS.toolCalls);
  assertEquals(read({ text: ADD, toolCalls: [] }).decision, ADD_DECISION);
});

Deno.test("jsonActionInterpreter() takes an answer that fits its schema", () => {
  const interpreter = jsonActionInterpreter({ answerSchema: { type: "integer" } });
  const decide = (text: string) =>
    (interpreter.interpret({ text }, context) as Interpretation).decision;
  assertEquals(decide('{"final_answer": 1}'), { kind: "final_answer", answer: 1 });
  assertEquals(decide(ADD), ADD_DECISION);
  const wrong = decide('{"final_answer": "1"}');
  assert(wrong.kind === "invalid");
  assertStringIncludes(wrong.explanation, 'at "" (type)');
  assertNotEquals(interpreter.parameters(), jsonActionInterpreter().parameters());
});

Deno.test("jsonActionInterpreter() has a digest of each text in parameters()", () => {
  const parameters = jsonActionInterpreter().parameters();
  for (const name of Object.keys(JSON_ACTION_TEXTS)) {
    const other = jsonActionInterpreter({ texts: { [name]: "other {keys}" } });
    assertNotEquals(other.parameters(), parameters);
  }
  const other = jsonActionInterpreter({ texts: { wrongKeys: "{keys}?" } });
  const { decision } = other.interpret({ text: '{"$&": 1}' }, context) as Interpretation;
  assertEquals(decision, { kind: "invalid", explanation: '"$&"?' });
  const unknown = { texts: { nojson: "" } as Record<string, string> };
  assertThrows(() => jsonActionInterpreter(unknown), InvalidRequestError, "nojson");
});
