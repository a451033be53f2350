import { isJsonObject, type JsonObject, present } from "../../../types/mod.ts";
import { lost } from "../fault.ts";
import { type AnswerInput, capabilitiesOf, inputAnswer } from "./input_requests.ts";
import type { RpcAnswer } from "../json_rpc.ts";
import type { McpLink } from "../link.ts";
import { encodedHeader, paramHeaderValues } from "./param_headers.ts";
import { saidError } from "../said_error.ts";
import { CLIENT_INFO, type McpWire, type ServerIdentity, type WireRequest } from "./wire.ts";

/** How often a server may ask for input before it has to answer a request. */
const MAX_ROUNDS = 8;

/** What each request of this era says of itself, beside what it asks. */
export interface ModernVoice {
  readonly link: McpLink;
  readonly protocolVersion: string;
  /** Answers what the server asks. Absent: it may ask nothing. */
  readonly answerInput: AnswerInput | undefined;
  /** Gives the id of the next request. */
  readonly nextId: () => number;
}

/** Asks once, as revision 2026-07-28 does: the request says all of itself, in its body and in its headers. */
export async function askModern(
  voice: ModernVoice,
  { method, params, paramHeaders, signal }: WireRequest,
): Promise<RpcAnswer> {
  const { link, protocolVersion, answerInput, nextId } = voice;
  const { _meta: meta, name, arguments: args } = params;
  const request = {
    id: nextId(),
    method,
    params: {
      ...params,
      _meta: {
        ...(isJsonObject(meta) ? meta : {}),
        "io.modelcontextprotocol/protocolVersion": protocolVersion,
        "io.modelcontextprotocol/clientInfo": CLIENT_INFO,
        "io.modelcontextprotocol/clientCapabilities": capabilitiesOf(answerInput),
      },
    },
  };
  const headers = {
    "mcp-protocol-version": protocolVersion,
    "mcp-method": method,
    ...(typeof name === "string" ? { "mcp-name": encodedHeader(name) } : {}),
    ...(isJsonObject(args) ? paramHeaderValues(paramHeaders, args) : {}),
  };
  return await link.exchange(request, { headers, signal });
}

/**
 * A server of revision 2026-07-28: where it needs input, it answers so, and the request is made again with that.
 *
 * @param repeatsParams Whether the transport has headers.
 */
export function modernWire(
  voice: ModernVoice,
  identity: ServerIdentity,
  repeatsParams: boolean,
): McpWire {
  return {
    identity,
    repeatsParams,
    async request(request) {
      let inputs: JsonObject = {};
      for (let round = 0; round <= MAX_ROUNDS; round++) {
        const params = { ...request.params, ...inputs };
        const answer = await askModern(voice, { ...request, params });
        if ("error" in answer) return answer;
        const { resultType = "complete" } = answer.result;
        if (resultType === "complete") return answer;
        if (resultType !== "input_required") {
          throw lost(`the result is of the type ${JSON.stringify(resultType)}, not "complete"`);
        }
        inputs = await inputsFor(answer.result, voice.answerInput, request);
      }
      throw lost(`the server asked for input more than ${MAX_ROUNDS} times`);
    },
  };
}

/** What goes with the request when it is made again: an answer to each question, and the server's state as it came. */
async function inputsFor(
  { inputRequests = {}, requestState }: JsonObject,
  answerInput: AnswerInput | undefined,
  { context, signal }: WireRequest,
): Promise<JsonObject> {
  if (!isJsonObject(inputRequests)) throw lost("the server asks for input in no known form");
  const responses: [string, JsonObject][] = [];
  for (const [key, asked] of Object.entries(inputRequests)) {
    const { method, params } = isJsonObject(asked) ? asked : {};
    if (typeof method !== "string" || !isJsonObject(params)) {
      throw lost("the server asks for input in no known form");
    }
    const answer = await inputAnswer(method, params, answerInput, { ...context, signal });
    signal.throwIfAborted();
    if ("error" in answer) {
      throw lost(`the server asks for input that it does not get (${saidError(answer.error)})`);
    }
    responses.push([key, answer.result]);
  }
  const inputResponses = responses.length > 0 ? Object.fromEntries(responses) : undefined;
  return present({ inputResponses, requestState });
}
