import { isJsonObject, type JsonObject, type JsonValue } from "../../../types/mod.ts";
import type { McpTransport } from "../link.ts";
import type { AnswerInput } from "./input_requests.ts";
import type { ParamHeader } from "./param_headers.ts";
import type { RpcAnswer } from "../json_rpc.ts";

/** Who the server says that it is, and what it says to whoever uses it. */
export interface ServerIdentity {
  /** The revision that is spoken. */
  readonly protocolVersion: string;
  /** Absent: it does not say. */
  readonly serverInfo?: { readonly name: string; readonly version: string };
  /** Absent: it says nothing. */
  readonly instructions?: string;
}

/** Which call of a tool a request of the server belongs to. */
export interface CallContext {
  readonly tool: string;
  readonly actionId: string;
}

/** A request, whatever the era. */
export interface WireRequest {
  readonly method: string;
  readonly params: JsonObject;
  /** The parameters that HTTP headers repeat. */
  readonly paramHeaders: readonly ParamHeader[];
  /** The call that it is. Absent: it is none. */
  readonly context?: CallContext;
  readonly signal: AbortSignal;
}

/** How a server can be reached, and how it may be spoken to. */
export interface WireOpening {
  readonly transport: McpTransport;
  /** The revisions that may be spoken, best first; one at least. */
  readonly revisions: readonly string[];
  /** Answers what the server asks. Absent: it may ask nothing. */
  readonly answerInput: AnswerInput | undefined;
  /** Gives the id of the next request. */
  readonly nextId: () => number;
  /** How long a server is given to show its era before the handshake is tried, in milliseconds. */
  readonly probeMs: number;
}

/** A server of either era, ready to be asked. What it asks itself is answered behind this. */
export interface McpWire {
  readonly identity: ServerIdentity;
  /** Whether HTTP headers repeat parameters, so that a tool that marks them wrongly must not be offered. */
  readonly repeatsParams: boolean;
  /**
   * Asks once.
   *
   * @throws {McpFault} If no answer comes.
   * @throws The signal's reason, after an abort.
   */
  request(request: WireRequest): Promise<RpcAnswer>;
}

/** A name and a version, as a server gives them. Absent: it gives none. */
export function readServerInfo(value: JsonValue | undefined): ServerIdentity["serverInfo"] {
  if (!isJsonObject(value)) return undefined;
  const { name, version } = value;
  return typeof name === "string" && typeof version === "string" ? { name, version } : undefined;
}

/** A text, if it is one. */
export function readText(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Who this client says that it is. */
export const CLIENT_INFO: JsonObject = { name: "polyloop", version: "1" };
