import type { ModelPort, ModelReply } from "../../../mod.ts";

/**
 * The workload that other libraries are compared by. A run is so many model calls: all but the last answer with a native
 * tool call `echo({i, text})` whose text has 200 characters, the tool gives 400 characters, and the last call answers
 * with a text.
 */
export function replyOf(i: number, calls: number): ModelReply {
  if (i === calls - 1) return { text: "done", finishReason: "stop" };
  const args = { i, text: `${i} `.padEnd(200, "text ") };
  const call = {
    id: `call_${i}`,
    name: ECHO.name,
    arguments: args,
    rawArguments: JSON.stringify(args),
  };
  return { text: "", toolCalls: [call], finishReason: "tool_calls" };
}

/** The tool as a model sees it. */
export const ECHO = {
  name: "echo",
  description: "Says it again.",
  parameters: {
    type: "object",
    properties: { i: { type: "integer" }, text: { type: "string" } },
    required: ["i", "text"],
    additionalProperties: false,
  },
} as const;

/** What the tool does. */
export function echo({ i, text }: { readonly i: number; readonly text: string }): string {
  return `${i}: ${text}`.padEnd(400, "echo ");
}

/**
 * A model that calls the tool until its last call, and tells of each call before it answers. As any model does, it reads
 * its prompt: the goal, and two messages of each call before.
 */
export function echoingModel(calls: number, onCall: (i: number) => void = () => {}): ModelPort {
  return {
    call({ messages }) {
      const i = (messages.length - 1) / 2;
      onCall(i);
      return Promise.resolve(replyOf(i, calls));
    },
    parameters: () => ({ name: "echoing" }),
  };
}
