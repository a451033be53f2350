import { errorInfo, isJsonObject, type JsonObject, present } from "../../../types/mod.ts";
import { INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, type RpcAnswer } from "../json_rpc.ts";

/** What a server wants to know of whoever uses it, in the middle of a call: a form. */
export interface McpInputRequest {
  /** What it says to them. */
  readonly message: string;
  /** The JSON Schema of the form, a flat object; it may have defaults. */
  readonly requestedSchema: JsonObject;
}

/** What they answer. */
export type McpInputAnswer =
  | {
    /** They filled the form in. */
    readonly action: "accept";
    /** What is in it. */
    readonly content: JsonObject;
  }
  | {
    /** They will not (`decline`), or did not choose (`cancel`). */
    readonly action: "decline" | "cancel";
  };

/** What a server's question belongs to. */
export interface McpInputContext {
  /** The tool, as the server calls it. Absent: several calls are under way, and it does not say which one it is. */
  readonly tool?: string;
  /** The id of the action. Absent: as `tool`. */
  readonly actionId?: string;
  /** Aborts when the call is over, be it answered, cancelled or given up; never where it is not said which one it is. */
  readonly signal: AbortSignal;
}

/**
 * Answers what a server asks in the middle of a call. A throw, or what is no answer, tells the server that there is
 * none.
 */
export type AnswerInput = (
  request: McpInputRequest,
  context: McpInputContext,
) => McpInputAnswer | Promise<McpInputAnswer>;

/** What this client says that it can do. An empty object stands for forms alone. */
export function capabilitiesOf(answerInput: AnswerInput | undefined): JsonObject {
  return present({ elicitation: answerInput && {} });
}

/** Answers a request of a server. */
export async function inputAnswer(
  method: string,
  params: JsonObject,
  answerInput: AnswerInput | undefined,
  context: McpInputContext,
): Promise<RpcAnswer> {
  if (method !== "elicitation/create" || answerInput === undefined) {
    return refusal(METHOD_NOT_FOUND, `${method} is not offered here`);
  }
  const { message, requestedSchema, mode = "form" } = params;
  if (mode !== "form" || typeof message !== "string" || !isJsonObject(requestedSchema)) {
    return refusal(INVALID_PARAMS, "only a form with a message and a schema can be answered here");
  }
  try {
    const given = await answerInput({ message, requestedSchema }, context);
    if (given.action === "accept" && isJsonObject(given.content)) {
      return { result: { action: "accept", content: given.content } };
    }
    if (given.action === "decline" || given.action === "cancel") {
      return { result: { action: given.action } };
    }
    return refusal(INTERNAL_ERROR, "the answer was none");
  } catch (error) {
    return refusal(INTERNAL_ERROR, `no answer could be had: ${errorInfo(error).message}`);
  }
}

function refusal(code: number, message: string): RpcAnswer {
  return { error: { code, message } };
}
