/** Thoughts in the text: split from it in every spelling, in both dialects, streamed in every cut. */
import { assertEquals } from "@std/assert";
import { codeFenceInterpreter } from "../../../adapters/code_fence_interpreter.ts";
import { jsonActionInterpreter } from "../../../adapters/json_action_interpreter.ts";
import type { ModelDelta } from "../../../ports/mod.ts";
import { modelCall } from "../model_calls.ts";
import { rawHttpServer, streamAnswer } from "../raw_http_server.ts";
import { CHAT_STREAMED, type Dialect, DIALECTS, expectTold, fieldRun, sse } from "./dialects.ts";

/** A whole text, what it says, and what was thought before it. */
const SPLIT: readonly (readonly [whole: string, text: string, thoughts: string | undefined])[] = [
  ["<think>\nhm\n</think>\n\n7", "7", "hm"],
  ["<think>hm</think>7", "7", "hm"],
  ["\n<Think>hm</Think>\n7\n", "7\n", "hm"],
  ["<thinking>hm</thinking>7", "7", "hm"],
  ["<thought>hm</thought>7", "7", "hm"],
  ["<reasoning>\nhm\n</reasoning>\n7", "7", "hm"],
  ["[THINK]hm[/THINK]7", "7", "hm"],
  ["<seed:think>hm</seed:think>7", "7", "hm"],
  ["◁think▷hm◁/think▷7", "7", "hm"],
  ["<|START_THINKING|>hm<|END_THINKING|>7", "7", "hm"],
  ["<|channel|>analysis<|message|>hm<|end|>7", "7", "hm"],
  [
    "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>7<|return|>",
    ...["7", "hm"] as const,
  ],
  ["<|channel|>analysis hm <|end|> 7", "7", "hm"],
  ["hm\n</think>\n\n7", "7", "hm"],
  ["hm</think>7", "7", "hm"],
  ["It is `7`: ok.\n[/THINK]\n7", "7", "It is `7`: ok."],
  ["<think>a</think>\n<think>b</think>\n7", "7", "a\n\nb"],
  ["<think>a <think>b</think> c</think>7", "7", "a <think>b</think> c"],
  ['<think effort="high">hm</think>7', "7", "hm"],
  ["<any:thinking>hm</any:thinking>\n7", "7", "hm"],
  ["<antThinking>hm</antThinking>7", "7", "hm"],
  ["<scratchpad>\nhm\n</scratchpad>\n7", "7", "hm"],
  ["<inner_thoughts>hm</inner_thoughts >7", "7", "hm"],
  ["[THINKING]hm[/THINKING]\n7", "7", "hm"],
  ["<|think|>hm<|/think|>7", "7", "hm"],
  ["<|inner_prefix|>hm<|inner_suffix|>7", "7", "hm"],
  ["hm<|end_of_thought|>7", "7", "hm"],
  [
    "<|begin_of_thought|>\nhm\n<|end_of_thought|>\n\n<|begin_of_solution|>7<|end_of_solution|>",
    ...["7", "hm"] as const,
  ],
  [
    "<|channel|>analysis<|message|>hm<|start|>assistant<|channel|>final<|message|>7",
    ...["7", "hm"] as const,
  ],
  [
    "<|channel|>commentary<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>7",
    ...["7", "hm"] as const,
  ],
  [
    "<|channel|>analysis<|message|>hm<|channel|>final <|constrain|>json<|message|>7<|return|>",
    ...["7", "hm"] as const,
  ],
  ["analysishm, 7.assistantfinal7", "7", "hm, 7."],
  ["<think />\n7", "7", undefined],
  ["<think/>7", "7", undefined],
  ["<|channel|>final<|message|>7<|return|>", "7", undefined],
  ["<think>```py\nx = '</th' + 'ink>'\n```</think>7", "7", "```py\nx = '</th' + 'ink>'\n```"],
];

/** Texts that only speak of thoughts, or show them. */
const KEPT = [
  "7",
  " 7 ",
  "It goes <think>so</think> in the middle.",
  "Say <think> first.",
  "Write </think> at the end.",
  'The tag "</think>" closes it.',
  "Close it with `</think>`",
  "```\n<think>hm</think>\n```",
  "See:\n```html\nhm\n</think>\n```\n",
  "<thinker>hm</thinker>",
  "<b>7</b>",
  "analysisResult = assistantfinal",
  "analysis of assistantfinal",
  "<reason>so</reason><verdict>7</verdict>",
  "<any:other>7</any:other>",
  "[THINK about it] 7",
  "7<|end|>",
];

async function told(dialect: Dialect, text: string) {
  const deltas: ModelDelta[] = [];
  await using server = rawHttpServer(dialect.answer({ text }));
  const onDelta = (delta: ModelDelta) => void deltas.push(delta);
  const reply = await dialect.model(server.origin).call(modelCall({ onDelta }));
  return { reply, deltas };
}

/** What the pieces after the last restart say together. */
function together(deltas: readonly ModelDelta[]): { text: string; reasoning: string } {
  const all = { text: "", reasoning: "" };
  for (const delta of deltas) {
    if (delta.kind === "restart") all.text = all.reasoning = "";
    else all[delta.kind] += delta.text;
  }
  return all;
}

for (const dialect of DIALECTS) {
  Deno.test(`thoughts that a text begins with are reasoning (${dialect.name})`, async () => {
    for (const [whole, text, reasoning] of SPLIT) {
      const { reply, deltas } = await told(dialect, whole);
      assertEquals([reply.text, reply.reasoning, reply.rawText], [text, reasoning, whole]);
      assertEquals(together(deltas), { text, reasoning: reasoning ?? "" }, whole);
    }
    for (const text of KEPT) {
      const { reply, deltas } = await told(dialect, text);
      assertEquals([reply.text, reply.reasoning, "rawText" in reply], [text, undefined, false]);
      assertEquals(together(deltas), { text, reasoning: "" });
    }
  });

  Deno.test(`no interpreter sees thoughts, and thoughts alone are no answer (${dialect.name})`, async () => {
    const said = dialect.answer({ text: "<think>\nhm\n</think>\n\n7" });
    const { result } = await fieldRun(dialect, [said]);
    assertEquals([result.answer, result.steps[0]?.reply?.reasoning], ["7", "hm"]);
    const alone = ["<think>\nhm\n</think>", "<think>hm", "hm\n</think>\n"];
    for (const text of [...alone, "<|channel|>commentary<|message|>I look.<|end|>"]) {
      expectTold(await fieldRun(dialect, [dialect.answer({ text })]), "empty");
    }
    const json = '<think>\nhm\n</think>\n\n{"tool":"lookup","arguments":{"q":"a"}}';
    const done = dialect.answer({ text: '{"final_answer":"done"}' });
    const acted = await fieldRun(dialect, [dialect.answer({ text: json }), done], {
      interpreter: jsonActionInterpreter(),
    });
    assertEquals([acted.looked, acted.result.answer], [[{ q: "a" }], "done"]);
  });

  Deno.test(`code in thoughts is not run (${dialect.name})`, async () => {
    const text = "<think>\nMaybe:\n```sh\nrm -rf out\n```\nNo.\n</think>\n\n```sh\nls out\n```";
    const { reply } = await told(dialect, text);
    const context = { runId: "r", stepIndex: 0, signal: new AbortController().signal };
    const read = codeFenceInterpreter({ languages: ["sh"] }).interpret(reply, context);
    const action = { language: "sh", code: "ls out" };
    assertEquals(Object(await read).decision, { kind: "action", actions: [{ action }] });
    assertEquals([reply.rawText, reply.reasoning?.includes("rm -rf out")], [text, true]);
  });

  Deno.test(`inlineThoughts: "keep" leaves the text as it is (${dialect.name})`, async () => {
    const text = "<think>\nhm\n</think>\n\n7";
    const options = { inlineThoughts: "keep" } as const;
    const { result } = await fieldRun(dialect, [dialect.answer({ text })], { options });
    const reply = result.steps[0]?.reply;
    assertEquals([result.answer, reply?.reasoning, reply?.rawText], [text, undefined, undefined]);
  });
}

Deno.test("thoughts in a stream are the same wherever it is cut, and are told as they come", async () => {
  for (const [whole, text, reasoning] of SPLIT) {
    const pieces = [...whole].map((content) => ({ choices: [{ delta: { content } }] }));
    const end = { choices: [{ delta: {}, finish_reason: "stop" }] };
    await using server = rawHttpServer(streamAnswer(sse(...pieces, end)));
    const deltas: ModelDelta[] = [];
    const onDelta = (delta: ModelDelta) => void deltas.push(delta);
    const reply = await CHAT_STREAMED.model(server.origin).call(modelCall({ onDelta }));
    assertEquals([reply.text, reply.reasoning], [text, reasoning]);
    assertEquals(together(deltas), { text, reasoning: reasoning ?? "" }, whole);
    const isPlain = /^<think>[^<]*<\/think>[^<]*$/.test(whole);
    if (isPlain) assertEquals(deltas.some(({ kind }) => kind === "restart"), false, whole);
  }
});

Deno.test("thoughts in the text stand after those that came apart", async () => {
  const delta = { reasoning_content: "first", content: "<think>then</think>7" };
  await using server = rawHttpServer(
    streamAnswer(sse({ choices: [{ delta, finish_reason: "stop" }] })),
  );
  const reply = await CHAT_STREAMED.model(server.origin).call(modelCall());
  assertEquals([reply.text, reply.reasoning], ["7", "first\n\nthen"]);
});
