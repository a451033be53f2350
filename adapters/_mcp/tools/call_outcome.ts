import { type ActionOutcome, fillText } from "../../../types/mod.ts";
import { lost, type McpFault } from "../fault.ts";
import type { Hiding } from "../hiding.ts";
import { INVALID_PARAMS, METHOD_NOT_FOUND, type RpcAnswer } from "../json_rpc.ts";
import { saidError } from "../said_error.ts";
import type { McpTexts } from "./mcp_texts.ts";
import { resultText } from "./result_text.ts";

/** What the outcome of a call is told in. */
export interface CallWords {
  /** The server's name of the tool. */
  readonly tool: string;
  readonly texts: McpTexts;
  readonly hiding: Hiding;
}

/**
 * What became of a call that was answered. The two errors by which a server refuses a call are a failure of it, which
 * the model can mend; of any other nobody knows what was done before.
 */
export function answeredOutcome(answer: RpcAnswer, words: CallWords): ActionOutcome {
  const { tool, texts, hiding } = words;
  const executed = { status: "executed", completed: false, truncatedChars: 0 } as const;
  if ("result" in answer) {
    const text = resultText(answer, texts);
    return {
      ...executed,
      failed: answer.result.isError === true,
      observation: text === undefined
        ? fillText(texts.noContent, { tool })
        : hiding.inResults(text),
      observationSynthetic: text === undefined,
    };
  }
  const { code, message } = answer.error;
  if (code !== METHOD_NOT_FOUND && code !== INVALID_PARAMS) {
    return brokenOutcome(lost(`the server answered with ${saidError(answer.error)}`), words);
  }
  return {
    ...executed,
    failed: true,
    observation: fillText(texts.refused, { message: hiding.inWords(message) }),
    observationSynthetic: false,
  };
}

/** What became of a call that was not answered: if it may have arrived, nobody knows. */
export function brokenOutcome(
  { message, mayHaveArrived }: McpFault,
  { tool, texts, hiding }: CallWords,
): ActionOutcome {
  return {
    status: "environment_failed",
    ...(mayHaveArrived ? { effect: "unknown" } : {}),
    observation: fillText(mayHaveArrived ? texts.inDoubt : texts.notCalled, {
      tool,
      detail: hiding.inErrors(message),
    }),
    observationSynthetic: true,
    truncatedChars: 0,
  };
}
