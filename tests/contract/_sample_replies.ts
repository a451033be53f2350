import { FINISH_REASONS, type ModelReply } from "../../types/mod.ts";
import { hostileTexts } from "./_hostile_texts.ts";

const CALL = { id: "call_1", name: "add", arguments: { a: 1 }, rawArguments: '{"a": 1}' };

/** Replies of every form that a model may give, and with every field. */
export function ordinaryReplies(): readonly ModelReply[] {
  return [
    { text: "" },
    { text: "It is 4." },
    { text: "I add them.\n```ts\n1 + 2\n```\nOutput: 3" },
    { text: "~~~python\nprint(1)" },
    { text: '{"tool": "add", "arguments": {"a": 1, "b": [null, true, "x"]}}' },
    { text: 'So:\n```json\n{"final_answer": {"wells": 4}}\n```\n' },
    { text: '{"tool": "add"' },
    { text: '"4"' },
    ...FINISH_REASONS.flatMap((finishReason): ModelReply[] => [
      { text: "It is 4.", finishReason },
      { text: "", finishReason, toolCalls: [CALL] },
    ]),
    {
      text: "I add them.",
      reasoning: "They want a sum.",
      toolCalls: [CALL, { ...CALL, id: "call_2", arguments: { a: 2 }, rawArguments: '{"a":2}' }],
      finishReason: "tool_calls",
      rawFinishReason: "tool_use",
      usage: {
        inputTokens: 12,
        outputTokens: 3,
        cachedInputTokens: 0,
        cacheWriteTokens: 0,
        reasoningTokens: 1,
      },
      servedModel: "a-model-2026",
      responseId: "r-1",
      providerData: { adapter: "a", blocks: [{ signature: "s" }, null] },
    },
  ];
}

/** Replies that hold what no model should send, in a form that the kernel lets pass. */
export function junkReplies(): readonly ModelReply[] {
  const { id: _, ...withoutId } = CALL;
  const argumentsError = "the text ends in the middle";
  return [
    { text: "", toolCalls: [] },
    { text: "", toolCalls: [], finishReason: "tool_calls" },
    { text: "", toolCalls: [withoutId] },
    { text: "", toolCalls: [CALL, CALL] },
    { text: "", toolCalls: [{ ...CALL, name: "" }] },
    { text: "", toolCalls: [{ ...CALL, arguments: null, rawArguments: '{"a":', argumentsError }] },
    { text: "", toolCalls: [{ ...CALL, arguments: [1], rawArguments: "" }] },
    ...hostileTexts().flatMap((text): ModelReply[] => [
      { text, reasoning: text, rawFinishReason: text, finishReason: "unknown" },
      { text: `\`\`\`json\n${text}\n\`\`\`` },
      { text: "", toolCalls: [{ ...CALL, id: text, name: text, rawArguments: text }] },
      {
        text,
        toolCalls: [{ ...CALL, arguments: JSON.parse('{"__proto__": 1}'), argumentsError: text }],
        providerData: text,
      },
    ]),
  ];
}
