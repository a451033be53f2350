/** The contract of every interpreter of this library, on whatever runtime. */
import { codeFenceInterpreter } from "@polyloop/polyloop/adapters/code-fence-interpreter";
import { jsonActionInterpreter } from "@polyloop/polyloop/adapters/json-action-interpreter";
import { nativeToolsInterpreter } from "@polyloop/polyloop/adapters/native-tools-interpreter";
import {
  type ContractCase,
  interpreterContract,
  type InterpreterContractOptions,
} from "@polyloop/polyloop/contract";

const CALL = { id: "call_1", name: "add", arguments: { a: 1 }, rawArguments: '{"a": 1}' };
const ANSWER_SCHEMA = { type: "object", required: ["wells"] };

const INTERPRETERS: Readonly<Record<string, InterpreterContractOptions>> = {
  "codeFenceInterpreter()": {
    makeInterpreter: () => codeFenceInterpreter({ languages: ["ts", "typescript"] }),
    samples: [
      { reply: { text: "I add.\n```ts\n1 + 2\n```\nOutput: 3" }, kind: "action" },
      { reply: { text: "It is 3." }, kind: "final_answer" },
      { reply: { text: "```ts\n1 + 2" }, kind: "invalid" },
      { reply: { text: "```ts\n1 + 2\n```", finishReason: "refusal" }, kind: "invalid" },
      { reply: { text: "", toolCalls: [CALL] }, kind: "invalid" },
    ],
  },
  "codeFenceInterpreter() with an answer block": {
    makeInterpreter: () =>
      codeFenceInterpreter({
        languages: ["ts"],
        finalAnswer: { marker: "json" },
        answerSchema: ANSWER_SCHEMA,
      }),
    samples: [
      { reply: { text: "```ts\n1 + 2\n```" }, kind: "action" },
      { reply: { text: '```json\n{"wells": 4}\n```' }, kind: "final_answer" },
      { reply: { text: '```json\n{"wells": -0}\n```' }, kind: "invalid" },
      { reply: { text: "It is 3." }, kind: "invalid" },
    ],
  },
  "jsonActionInterpreter()": {
    makeInterpreter: () => jsonActionInterpreter(),
    samples: [
      { reply: { text: '{"tool": "add", "arguments": {"a": 1}}' }, kind: "action" },
      { reply: { text: 'So:\n```json\n{"final_answer": 4}\n```' }, kind: "final_answer" },
      { reply: { text: '{"final_answer": -0}' }, kind: "invalid" },
      { reply: { text: '{"tool": "add", "tool": "add", "arguments": {}}' }, kind: "invalid" },
      { reply: { text: "It is 4." }, kind: "invalid" },
    ],
  },
  "nativeToolsInterpreter()": {
    makeInterpreter: () => nativeToolsInterpreter(),
    toolProtocol: "native",
    samples: [
      { reply: { text: "I add.", toolCalls: [CALL, CALL] }, kind: "action" },
      { reply: { text: "It is 4." }, kind: "final_answer" },
      { reply: { text: "", finishReason: "tool_calls" }, kind: "invalid" },
      { reply: { text: "", toolCalls: [{ ...CALL, argumentsError: "cut" }] }, kind: "invalid" },
      { reply: { text: "", toolCalls: [CALL], finishReason: "length" }, kind: "invalid" },
    ],
  },
  "nativeToolsInterpreter() with an answer schema": {
    makeInterpreter: () => nativeToolsInterpreter({ answerSchema: ANSWER_SCHEMA }),
    toolProtocol: "native",
    samples: [
      { reply: { text: '{"wells": 4}' }, kind: "final_answer" },
      { reply: { text: '{"wells": 1e400}' }, kind: "invalid" },
    ],
  },
};

/** The cases of each interpreter. */
export const INTERPRETER_CASES: Readonly<Record<string, readonly ContractCase[]>> = Object
  .fromEntries(
    Object.entries(INTERPRETERS).map((
      [subject, options],
    ) => [subject, interpreterContract(options)]),
  );
