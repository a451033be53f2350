import { type JsonObject, present } from "../../../types/mod.ts";
import { lost } from "../fault.ts";
import { type AnswerInput, capabilitiesOf, inputAnswer } from "./input_requests.ts";
import type { RpcAnswer } from "../json_rpc.ts";
import { INITIALIZED } from "../link.ts";
import {
  CLIENT_INFO,
  type McpWire,
  readServerInfo,
  readText,
  type ServerIdentity,
  type WireOpening,
  type WireRequest,
} from "./wire.ts";
import { saidError } from "../said_error.ts";

/**
 * Opens a server by the handshake of the revisions until 2025-11-25.
 *
 * @param revisions The revisions that may be spoken, best first; one at least.
 * @throws {McpFault} If it refuses, or speaks another revision.
 * @throws The signal's reason, after an abort.
 */
export async function openLegacyWire(
  { transport: { legacy: link }, answerInput, nextId }: WireOpening,
  revisions: readonly string[],
  signal: AbortSignal,
): Promise<McpWire> {
  const [protocolVersion = ""] = revisions;
  const params = {
    protocolVersion,
    capabilities: capabilitiesOf(answerInput),
    clientInfo: CLIENT_INFO,
  };
  const request = { id: nextId(), method: "initialize", params };
  const answer = await link.exchange(request, { headers: {}, signal });
  if ("error" in answer) throw lost(`the server refuses the handshake: ${saidError(answer.error)}`);
  const identity = identityOf(answer.result);
  if (!revisions.includes(identity.protocolVersion)) {
    throw lost(
      `the server speaks revision ${JSON.stringify(identity.protocolVersion)}, not ${
        revisions.join(" or ")
      }`,
    );
  }
  const calls = new Set<WireRequest>();
  link.serve((method, params) => answerRequest(method, params, answerInput, calls));
  await link.notify(INITIALIZED);
  return {
    identity,
    repeatsParams: false,
    async request(request) {
      const { method, params, context, signal } = request;
      if (context !== undefined) calls.add(request);
      try {
        return await link.exchange({ id: nextId(), method, params }, { headers: {}, signal });
      } finally {
        calls.delete(request);
      }
    },
  };
}

function identityOf(result: JsonObject): ServerIdentity {
  return present({
    protocolVersion: readText(result.protocolVersion) ?? "",
    serverInfo: readServerInfo(result.serverInfo),
    instructions: readText(result.instructions),
  });
}

/** What a server asks belongs to the one call that is under way; of several nobody knows which. */
async function answerRequest(
  method: string,
  params: JsonObject,
  answerInput: AnswerInput | undefined,
  calls: ReadonlySet<WireRequest>,
): Promise<RpcAnswer> {
  if (method === "ping") return { result: {} };
  const [call] = calls.size === 1 ? calls : [];
  const signal = call?.signal ?? new AbortController().signal;
  return await inputAnswer(method, params, answerInput, { ...call?.context, signal });
}
