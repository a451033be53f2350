import { assertEquals } from "@std/assert";
import { hasLeakedCall } from "../../../adapters/_reading/leaked_tool_call.ts";
import {
  NATIVE_TOOLS_TEXTS,
  nativeToolsInterpreter,
} from "../../../adapters/native_tools_interpreter.ts";
import type { ModelReply } from "../../../types/mod.ts";

const CALL = '{"name":"lookup","arguments":{"q":"a"}}';

/** Calls as models write them where no parser takes them out: Hermes, Qwen, GLM, Llama, Mistral, Kimi, DeepSeek, … */
const LEAKED = [
  `<tool_call>\n${CALL}\n</tool_call>`,
  `Let me look.\n\n<tool_call>${CALL}</tool_call>`,
  `<tool_call>${CALL}`,
  `<tool_call>${CALL}</tool_call>\n<tool_call>${CALL}</tool_call>`,
  `<tool_call>${CALL}</tool_call>\n\nI am waiting for it.`,
  "<tool_call>lookup\n<arg_key>q</arg_key>\n<arg_value>a</arg_value>\n</tool_call>",
  "<tool_call>\n<function=lookup>\n<parameter=q>\na\n</parameter>\n</function>\n</tool_call>",
  "<tool_call>lookup</tool_call>",
  '<function=lookup>{"q":"a"}</function>',
  '<function=lookup>{"q":"a"}',
  "<function=lookup></function>",
  '<function_calls>\n<invoke name="lookup">\n<parameter name="q">a</parameter>\n</invoke>\n</function_calls>',
  '<minimax:tool_call>\n<invoke name="lookup">\n<parameter name="q">a</parameter>\n</invoke>\n</minimax:tool_call>',
  `[TOOL_CALLS][${CALL}]`,
  '[TOOL_CALLS]lookup[ARGS]{"q":"a"}',
  `[TOOL_CALLS] [${CALL}]\n\nI will wait.`,
  `<|python_tag|>${CALL}`,
  '<|python_tag|>lookup.call(q="a")',
  '<|python_tag|>{"name":"lookup","parameters":{"q":"a"}}<|eom_id|>',
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.lookup:0<|tool_call_argument_begin|>{"q":"a"}<|tool_call_end|><|tool_calls_section_end|>',
  '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>lookup\n```json\n{"q":"a"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  '<｜DSML｜function_calls>\n<｜DSML｜invoke name="lookup">\n<｜DSML｜parameter name="q" string="true">a</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
  '<|channel|>commentary to=functions.lookup <|constrain|>json<|message|>{"q":"a"}<|call|>',
  `functools[${CALL}]`,
  '<tool_call>{"name":"lookup","arguments":{"q":"```"}}</tool_call>',
  `[TOOL_REQUEST]${CALL}[END_TOOL_REQUEST]`,
  '<tool_call>{"name":"lookup","arguments":{"q":"<b>a</b>\\n```json\\n1\\n``` </tool_call> [X]"}}</tool_call>',
  '<tool_call>{"name":"lookup","arguments":{"q":"<parameter=x>"}}</tool_call>\n\nI wait.',
  "<start_function_call>call:lookup{q:<escape>a<escape>}<end_function_call>",
  '<|tool_call_start|>[lookup(q="a")]<|tool_call_end|>',
  `<TOOLCALL>[${CALL}]</TOOLCALL>`,
  CALL,
  `[${CALL}]`,
  `Sure.\n${CALL}`,
  `${CALL}\n\nDone.`,
  '{"name":"lookup","parameters":{}}',
  '{"tool":"lookup","arguments":"{}"}',
  `{"id":"k","type":"function","function":${CALL}}`,
  '<tool_call name="lookup">{"q":"a"}</tool_call>',
  `<tool_call id="1">${CALL}</tool_call>`,
  "<tool_call>\n{'name': 'lookup', 'arguments': {'q': 'a'}}\n</tool_call>",
  `<tools>${CALL}</tools>`,
  `<function>${CALL}</function>`,
  '<tool name="lookup">{"q":"a"}</tool>',
  '<any:invoke name="lookup"><any:parameter name="q">a</any:parameter></any:invoke>',
  '<any:function_call name="lookup"><parameter name="q">a</parameter></any:function_call>',
  `<|START_ACTION|>[${CALL}]<|END_ACTION|>`,
  '<|tools_prefix|>[{"lookup":{"q":"a"}}]<|tools_suffix|>',
  '<|start|>assistant to=functions.lookup<|channel|>commentary json<|message|>{"q":"a"}',
  '<execute_tool>lookup(q="a")</execute_tool>',
  '```tool_code\nprint(lookup(q="a"))\n```',
  `I look.\n\`\`\`tool_call\n${CALL}\n\`\`\``,
  '[lookup(q="a"), lookup(q="b")]',
  'lookup(q="a")',
  'lookup({"q":"a"})\nlookup({"q":"b"})',
  'I look.\nAction: lookup\nAction Input: {"q":"a"}\nObservation: it is there',
  "Sure.\n<lookup>\n<q>a</q>\n</lookup>",
  '<lookup>{"q":"a"}</lookup>',
  `{"tool_calls":[${CALL}]}`,
  `{"tool_calls":[{"id":"k","type":"function","function":${CALL}}]}`,
  `{"function_call":${CALL}}`,
  '{"tool_uses":[{"recipient_name":"functions.lookup","parameters":{"q":"a"}}]}',
  '{"action":"lookup","action_input":{"q":"a"}}',
  'I look.\nAction: ```json\n[\n  {"tool_name":"lookup","parameters":{"q":"a"}}\n]\n```',
  'Thought: hm\nAction:\n```\n{"action":"lookup","action_input":{"q":"a"}}\n```\nObservation:',
  `Action: ${CALL}`,
  'Thought: hm\nAction: lookup("a")',
  "Thought: hm\nAction: lookup[a]",
  "Thought: hm\nAction: lookup\nAction Input: words",
  'Action: lookup\nAction Input: ```json\n{"q":"a"}\n```',
  '**Action:** lookup\n**Action Input:** {"q":"a"}',
  'Tool: lookup\nArguments: {"q":"a"}',
  'name: lookup\narguments: {"q":"a"}',
  '✿FUNCTION✿: lookup\n✿ARGS✿: {"q":"a"}\n✿RESULT✿',
  '>>>lookup\n{"q":"a"}',
  '>>>all\nI look.\n>>>lookup\n{"q":"a"}',
  'lookup\n{"q":"a"}',
  '<|assistant|>lookup\n{"q":"a"}',
  'functions.lookup:0{"q":"a"}',
  'call:lookup{q:"a"}',
  'to=functions.lookup json {"q":"a"}',
  'assistantcommentary to=functions.lookup json{"q":"a"}',
  '<|channel|>final to=functions.lookup<|message|>{"q":"a"}',
  `I look.\ntool_call: ${CALL}`,
  `Tool call: ${CALL}\n\nI wait.`,
  `Tool calls:\n${CALL}\n${CALL}`,
  `Tool call:\n\`\`\`json\n${CALL}\n\`\`\``,
  'TOOL_CALL: lookup({"q":"a"})',
  '[Tool call: lookup({"q":"a"})]',
  `[tool_call] ${CALL}`,
  `TOOLCALL>[${CALL}]</TOOLCALL>`,
  '{"lookup":{"q":"a"}}',
  'Sure.\n[{"functions.lookup":{"q":"a"}}]',
  '{"name":"lookup","arguments":null}',
  `{"role":"assistant","content":"I look.","tool_calls":[${CALL}]}`,
  `${CALL}; ${CALL}`,
  `${CALL}${CALL}`,
  `${CALL}<|im_end|>`,
  "{'name': 'lookup', 'arguments': {'q': 'it\\'s', 'deep': True}}",
  '{name: "lookup", arguments: {q: "a"}}',
  'tool_code\nprint(default_api.lookup(q="a"))',
  'await lookup({q: "a"});',
  '<tool_code>\nprint(lookup(q="a"))\n</tool_code>',
  "```json\n" + CALL + "\n```",
  "```\n<tool_call>" + CALL + "</tool_call>\n```",
  '<use_tool name="lookup">{"q":"a"}</use_tool>',
  '<lookup q="a"/>',
  "I look.\n<lookup q='a'></lookup>",
  '<tool>lookup</tool>\n<args>{"q":"a"}</args>',
  "<function_calls>\n<invoke>\n<tool_name>lookup</tool_name>\n<parameters>\n<q>a</q>\n</parameters>\n</invoke>\n</function_calls>",
];

const ANSWERS = [
  "It is 4.",
  `Use \`<tool_call>${CALL}</tool_call>\`.`,
  `Use \`<tool_call>${CALL}</tool_call>\``,
  "So:\n```\n<tool_call>" + CALL + "</tool_call>\n```",
  "So:\n```json\n" + CALL + "\n```",
  "```json\n" + CALL + "\n```\nis how one looks.",
  "```\n1\n```\nor\n```json\n" + CALL + "\n```",
  "So:\n```\ntool_call: " + CALL + "\n```",
  "So:\n```\n>>>lookup\n{}\n```\nThat is all.",
  `To call it write <tool_call>${CALL}</tool_call> and wait.`,
  `<tool_call>${CALL}</tool_call> is how one looks.`,
  "<tool_call> is a tag.",
  "The tag <tool_call>",
  "Write <function=name>",
  "Hermes writes <tool_call>, Mistral [TOOL_CALLS].",
  "see [TOOL_CALLS] for more",
  '<tool_call>{"name":"look',
  '{"answer":42}',
  '{"name":"other","arguments":{}}',
  '{"name":"lookup"}',
  '{"name":"lookup","arguments":[]}',
  '{"name":"lookup","arguments":{"q":"a"},"why":1}',
  `The call was ${CALL} then.`,
  "[1] a\n[2] b",
  "lookup() finds it.",
  "lookup(a) == 4",
  'other(q="a")',
  "[lookup]",
  'Action: other\nAction Input: {"q":"a"}',
  "It writes\nAction: lookup\nAction Input: words",
  "Action: lookup",
  "Action: none",
  "Tool call: it failed.",
  "Tool: lookup\nResult: 4",
  "Tool: lookup\nArguments: none",
  "Function: lookup(q)",
  'I have one tool.\nName: lookup\nParameters: {"q":"string"}',
  '{"name":"lookup","parameters":{"type":"object","properties":{"q":{"type":"string"}}}}',
  '[{"type":"function","function":{"name":"lookup","parameters":{"type":"object","properties":{}}}}]',
  '>>> lookup("a")\n4',
  "lookup",
  'Run lookup {"q":"a"}',
  '1. lookup\n{"q":"a"}',
  "lookup {q}",
  '{"lookup":"a"}',
  '{"lookup":{"q":"a"},"more":1}',
  '{"other":{"q":"a"}}',
  '{"tools":[{"name":"lookup","parameters":{}}]}',
  "{}",
  "[]",
  'The tag `<lookup q="a"/>`',
  "Use `<tool>lookup</tool><args>{}</args>`",
  "<tool>hammer</tool><args>{}</args>",
  'Action: lookup\nAction Input: {"q":"a"}\nis how one looks.',
  "<lookup>words</lookup>",
  "<other><q>a</q></other>",
  "<tools>hammer, saw</tools>",
  '{"tool_calls":[]}',
  '{"tool_calls":[{"name":"other","arguments":{}}]}',
  '{"action":"lookup"}',
];

Deno.test("hasLeakedCall() finds a call at the beginning or the end of a text, in every form", () => {
  for (const text of LEAKED) assertEquals(hasLeakedCall(text, ["lookup"]), true, text);
});

Deno.test("hasLeakedCall() lets what is only quoted be, and what has not just the form of a call", () => {
  for (const text of ANSWERS) assertEquals(hasLeakedCall(text, ["lookup"]), false, text);
  assertEquals(hasLeakedCall(CALL, undefined), false, "nobody knows the tools");
});

Deno.test("hasLeakedCall() knows a tool by the name that it has on the wire, too", () => {
  for (const name of ["catalog.query", "catalog_query", "functions.catalog_query"]) {
    const text = JSON.stringify({ name, arguments: {} });
    assertEquals(hasLeakedCall(text, ["catalog.query"]), true, name);
  }
});

Deno.test("hasLeakedCall() reads a long text a few times, not once for each mark", () => {
  const texts = [
    "<lookup>",
    "lookup(q=1)\n",
    "Action: a\nAction Input: {",
    "[lookup(q=",
    "<tool_call>{",
    '<function=a>{"x":"',
    "\n{",
    "{",
    "<parameter=a>",
    "</a>\n",
    "[",
    "Action: a\n",
    "tool_call: {",
    ">>>a\n{",
    "name: a\n",
    "{'a': '",
    "a: ",
    "<name>a</name><args>",
    "<a q=''",
    "```\n",
  ];
  for (const text of texts) assertEquals(hasLeakedCall(text.repeat(20_000), ["a"]), false);
});

Deno.test("nativeToolsInterpreter() takes a call that came as text for none, and tells the model", () => {
  const context = { runId: "r", stepIndex: 0, signal: new AbortController().signal };
  const decide = (reply: ModelReply, answerSchema?: boolean) =>
    nativeToolsInterpreter(answerSchema === undefined ? {} : { answerSchema })
      .interpret(reply, { ...context, toolNames: ["lookup"] });
  for (const finishReason of ["stop", "tool_calls", "unknown"] as const) {
    for (const text of LEAKED) {
      const { decision } = Object(decide({ text, finishReason }));
      assertEquals(decision, { kind: "invalid", explanation: NATIVE_TOOLS_TEXTS.leakedCall });
    }
  }
  for (const text of ANSWERS) {
    const { decision } = Object(decide({ text, finishReason: "stop" }));
    assertEquals(decision, { kind: "final_answer", answer: text });
  }
  const call = { name: "lookup", arguments: {}, rawArguments: "{}" };
  const beside = Object(decide({ text: `<tool_call>${CALL}</tool_call>`, toolCalls: [call] }));
  assertEquals(beside.decision.kind, "action", "calls beside it are calls");
  const wanted = Object(decide({ text: CALL }, true));
  assertEquals(wanted.decision.kind, "final_answer", "the answer's schema asks for such an object");
});
