import {
  assert,
  assertEquals,
  assertNotEquals,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import {
  CODE_FENCE_TEXTS,
  codeFenceInterpreter,
  type CodeFenceInterpreterOptions,
} from "../../adapters/code_fence_interpreter.ts";
import type { Interpretation } from "../../ports/mod.ts";
import {
  type Decision,
  FINISH_REASONS,
  type FinishReason,
  InvalidRequestError,
  type ModelReply,
} from "../../types/mod.ts";

const context = { runId: "r", stepIndex: 0, signal: new AbortController().signal };
const TS = { languages: ["ts", "js"] };

function read(
  reply: string | ModelReply,
  options: CodeFenceInterpreterOptions = TS,
): Interpretation {
  const whole = typeof reply === "string" ? { text: reply } : reply;
  return codeFenceInterpreter(options).interpret(whole, context) as Interpretation;
}

function action(code: string, language = "ts"): Decision {
  return { kind: "action", actions: [{ action: { language, code } }] };
}

function explanation(read: Interpretation): string {
  assert(read.decision.kind === "invalid", `it is ${JSON.stringify(read.decision)}`);
  return read.decision.explanation;
}

Deno.test("codeFenceInterpreter() takes the first block and cuts what follows from history", () => {
  const text = "First\n```ts\na()\n\nb()\n```\nOutput:\n```ts\nc()\n```\n";
  assertEquals(read(text), {
    decision: action("a()\n\nb()"),
    historyText: "First\n```ts\na()\n\nb()\n```",
  });
});

Deno.test("codeFenceInterpreter() reads every form of a fence", () => {
  const forms: [text: string, code: string][] = [
    ["```ts\nx\n```", "x"],
    ["~~~ts\nx\n~~~", "x"],
    ["~~~ts `x` ~\nx\n~~~", "x"],
    ["``` \tts  title=1 \nx\n```  \t", "x"],
    ["```TS\nx\n```", "x"],
    ["```ts\n```", ""],
    ["```ts\n\n```", ""],
    ["```ts\n\n\n```", "\n"],
    ["````ts\n```js\nx\n```\n````", "```js\nx\n```"],
    ["```ts\nx\n`````", "x"],
    ["```ts\n~~~\nx\n```", "~~~\nx"],
    ["~~~ts\n```\n~~\n~~~", "```\n~~"],
    ["```ts\n    ``` js\n```", "    ``` js"],
    ["```ts\n~~~js\nx\n~~~\n```", "~~~js\nx\n~~~"],
    ["````ts\n```js\n````", "```js"],
    ["```ts\n```js`\n```", "```js`"],
    ["~~~~ts\n~~~py\nx\n~~~\n~~~~", "~~~py\nx\n~~~"],
    ["~~~ts\n```py\nx\n```\n~~~", "```py\nx\n```"],
    ["```ts\nx = `\n    ```\n`\n```", "x = `\n    ```\n`"],
    ["1. Do\n   ```ts\n   x\n     y\n z\n   ```", "x\n  y\nz"],
    ["- a\n  - b\n      ```ts\n      x\n      ```", "x"],
    ["\t```ts\n\tx\n\t```", "x"],
    ["```ts\n  x\n   ```", "  x"],
    ["```ts\r\nx\r\n\r\ny\r\n```\r\nmore", "x\r\n\r\ny"],
    ["a\u2028```ts\n```ts\nx\u2028y\rz\n```", "x\u2028y\rz"],
    ["\n```ts\n$& $1 \\\n```", "$& $1 \\"],
  ];
  for (const [text, code] of forms) assertEquals(read(text).decision, action(code), text);
});

Deno.test("codeFenceInterpreter() runs no block with a fence inside it that has a word after it", () => {
  const texts: [text: string, line: number, innerLine: number][] = [
    ["~~~ts\ncat > notes.md <<'EOF'\n~~~py\nprint(1)\n~~~\nEOF\n~~~", 1, 3],
    ["a\n```ts\nx\n\n```js\ny\n```\n```", 2, 5],
    ["```ts\n````js\ny\n````\n```", 1, 2],
    ["```ts\n``` js title\n```", 1, 2],
    ["- a\n  ```ts\n     ```js\n  ```", 2, 3],
    ["```ts\r\nx\r\n```js\r\ny\r\n```\r\n```", 1, 3],
    ["```ts\nforgot to close\n```ts\ny\n```", 1, 3],
    ["```md\n```ts\ny\n```\n```", 1, 2],
  ];
  for (const [text, line, innerLine] of texts) {
    const shown = explanation(read(text));
    assertStringIncludes(shown, `line ${line} `, text);
    assertStringIncludes(shown, `line ${innerLine},`, text);
    assertStringIncludes(shown, "four backticks");
    assertEquals(read(text).historyText, text);
    assertEquals(read({ text, finishReason: "length" }).decision.kind, "invalid");
  }
});

Deno.test("codeFenceInterpreter() cuts history just behind the closing fence", () => {
  assertEquals(read("```ts\r\nx\r\n```\r\nmore").historyText, "```ts\r\nx\r\n```");
  assertEquals(read("```ts\nx\n```  \nmore").historyText, "```ts\nx\n```  ");
  assertEquals(read("```py\nx\n```\nmore").historyText, "```py\nx\n```");
  assertEquals(read("```ts\nx\nmore").historyText, "```ts\nx\nmore");
  assertEquals(read("🌊```\n```ts\nx\n```\n🌊").historyText, "🌊```\n```ts\nx\n```");
});

Deno.test("codeFenceInterpreter() takes what is no fence for text", () => {
  const texts = ["``ts\nx\n``", "```ts x```", "a ```ts\nx", "> ```ts\n> x\n> ```", "~~ts\nx\n~~"];
  for (const text of texts) {
    assertEquals(read(text), {
      decision: { kind: "final_answer", answer: text },
      historyText: text,
    });
  }
});

Deno.test("codeFenceInterpreter() finds a block among very many lines, and takes the indent off each of its own", () => {
  const many = 300_000;
  const blank = "\n".repeat(many);
  assertEquals(read(`${blank}\`\`\`ts\nx\n\`\`\`${blank}`).decision, action("x"));
  assertStringIncludes(explanation(read(`${blank}\`\`\`ts\nx`)), `line ${many + 1}`);
  assertEquals(read(`\`\`\`ts${blank}\n\`\`\``).decision, action("\n".repeat(many - 1)));
  const { decision } = read(`  \`\`\`ts\n${"   x\r\n".repeat(many)}  \`\`\``);
  assertEquals(decision, action(" x\r\n".repeat(many).slice(0, -2)));
  assertEquals(read("\n".repeat(many)).decision.kind, "invalid");
});

Deno.test("codeFenceInterpreter() gives the language as it was listed", () => {
  assertEquals(
    read("```Ts\nx\n```", { languages: ["TypeScript", "tS"] }).decision,
    action("x", "tS"),
  );
});

Deno.test("codeFenceInterpreter() never runs another language, nor a later block in its place", () => {
  for (const marker of ["py", "tsx", "ts,ignore", "{ts}", "", "$&", "__proto__"]) {
    const shown = explanation(read("```" + marker + "\nx\n```\n```ts\ny\n```"));
    assertStringIncludes(shown, `"${marker}"`);
    assertStringIncludes(shown, "ts, js");
  }
});

Deno.test("codeFenceInterpreter() never runs a block that is not closed, whatever the finish says", () => {
  const texts = [
    "a\n```ts\nx",
    "a\n```ts",
    "a\n```ts\nx\n``",
    "a\n```ts\nx\n~~~",
    "a\n```ts\n````ts\n``",
  ];
  for (const text of texts) {
    for (const finishReason of [undefined, ...FINISH_REASONS]) {
      const reply = finishReason === undefined ? { text } : { text, finishReason };
      const shown = explanation(read(reply));
      if (finishReason === undefined) assertStringIncludes(shown, "line 2");
    }
  }
});

Deno.test("codeFenceInterpreter() reads a finish reason against what the reply holds", () => {
  const block = "```ts\nx\n```\nand th";
  const expected: Record<FinishReason, [block: Decision["kind"], prose: Decision["kind"]]> = {
    stop: ["action", "final_answer"],
    tool_calls: ["action", "invalid"],
    unknown: ["action", "invalid"],
    length: ["action", "invalid"],
    pause: ["action", "invalid"],
    content_filter: ["invalid", "invalid"],
    refusal: ["invalid", "invalid"],
    malformed: ["invalid", "invalid"],
  };
  for (const finishReason of FINISH_REASONS) {
    const kinds = [block, "So it is 4"].map((text) => read({ text, finishReason }).decision.kind);
    assertEquals(kinds, expected[finishReason], finishReason);
  }
  assertStringIncludes(explanation(read({ text: "So", finishReason: "length" })), "length");
});

Deno.test("codeFenceInterpreter() refuses a reply with tool calls, and a blank one", () => {
  const call = { name: "rm", arguments: {}, rawArguments: "{}" };
  const text = "```ts\nx\n```";
  assertEquals(explanation(read({ text, toolCalls: [call] })), CODE_FENCE_TEXTS.toolCalls);
  assertEquals(read({ text, toolCalls: [] }).decision, action("x"));
  for (const blank of ["", " \n\t"]) assertStringIncludes(explanation(read(blank)), "ts, js");
});

Deno.test("codeFenceInterpreter() takes no tool call that came as text for an answer", () => {
  const calls = [
    '<tool_call>{"name":"a","arguments":{}}</tool_call>',
    '[TOOL_CALLS]a[ARGS]{"n":1}',
  ];
  for (const text of calls) {
    assertStringIncludes(explanation(read(text)), "no fenced code block");
    assertStringIncludes(explanation(read(`So.\n${text}`)), "no fenced code block");
  }
  const quoted = `Write \`${calls[0]}\`.`;
  assertEquals(read(quoted).decision, { kind: "final_answer", answer: quoted });
});

Deno.test("codeFenceInterpreter() takes a marked block for the final answer", () => {
  const options = { ...TS, finalAnswer: { marker: "answer" } } as const;
  assertEquals(read("Done.\n```Answer\n 4\n```\n", options), {
    decision: { kind: "final_answer", answer: " 4" },
    historyText: "Done.\n```Answer\n 4\n```",
  });
  assertEquals(read("```ts\nx\n```\n```answer\n4\n```", options).decision, action("x"));
  assertStringIncludes(explanation(read("It is 4", options)), "ts, js, answer");
  assertEquals(read("```answer\n4", options).decision.kind, "invalid");
});

Deno.test('codeFenceInterpreter() knows no final answer with "none"', () => {
  const options = { ...TS, finalAnswer: "none" } as const;
  assertStringIncludes(explanation(read("It is 4", options)), "ts, js");
  assertEquals(read("```ts\nx\n```", options).decision, action("x"));
});

Deno.test("codeFenceInterpreter() takes an answer that fits its schema", () => {
  const answerSchema = { type: "array", items: { type: "integer" } };
  const marked = { ...TS, answerSchema, finalAnswer: { marker: "answer" } } as const;
  const answer: Decision = { kind: "final_answer", answer: [1] };
  assertEquals(read(" [1]\n", { ...TS, answerSchema }).decision, answer);
  assertEquals(read("```answer\n[1]\n```", marked).decision, answer);
  assertStringIncludes(explanation(read("It is 1", { ...TS, answerSchema })), "must be JSON");
  assertStringIncludes(explanation(read("```answer\n[1, true]\n```", marked)), 'at "/1" (type)');
});

Deno.test("codeFenceInterpreter() reads a long reply in one pass", () => {
  const text = "```ts\n" + (" ".repeat(300) + "x\n").repeat(3_000) + "~".repeat(100_000) + "\n```";
  assertEquals(read(text).decision.kind, "action");
  assertEquals(read("``` ".repeat(100_000)).decision.kind, "final_answer");
});

Deno.test("codeFenceInterpreter() writes the texts that it is given", () => {
  const options = { ...TS, texts: { otherLanguage: "no {marker}, {else} {markers}" } };
  assertEquals(explanation(read("```$&{markers}\n```", options)), "no $&{markers}, {else} ts, js");
});

Deno.test("codeFenceInterpreter() tells in parameters() all that bears on a run", () => {
  const parameters = codeFenceInterpreter(TS).parameters();
  assertEquals(parameters["languages"], "ts,js");
  assertEquals(parameters["final_answer"], "text");
  assert(Object.values(parameters).every((value) => typeof value === "string"));
  const others: CodeFenceInterpreterOptions[] = [
    { languages: ["js", "ts"] },
    { ...TS, finalAnswer: "none" },
    { ...TS, answerSchema: true },
    { ...TS, finalAnswer: { marker: "none" } },
    ...Object.keys(CODE_FENCE_TEXTS).map((name) => ({ ...TS, texts: { [name]: "other" } })),
  ];
  for (const other of others) assertNotEquals(codeFenceInterpreter(other).parameters(), parameters);
});

Deno.test("codeFenceInterpreter() refuses options that it cannot follow", () => {
  const given = (options: object) => Object(options) as CodeFenceInterpreterOptions;
  const wrong: CodeFenceInterpreterOptions[] = [
    given({}),
    given({ languages: "ts" }),
    given({ languages: ["ts"], finalAnswer: "answer" }),
    given({ languages: ["ts"], finalAnswer: { mark: "answer" } }),
    { languages: [] },
    { languages: ["t s"] },
    { languages: [""] },
    { languages: ["a,b"] },
    { languages: ["a`b"] },
    { languages: ["ts", "TS"] },
    { languages: ["ts"], finalAnswer: { marker: "ts" } },
    { languages: ["ts"], texts: { noblock: "x" } as Record<string, string> },
  ];
  for (const options of wrong) {
    assertThrows(() => codeFenceInterpreter(options), InvalidRequestError);
  }
});
