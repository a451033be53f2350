/**
 * Tools of servers of the Model Context Protocol (MCP), over stdio or HTTP, as tools of a registry. Tools only: no
 * resources, prompts, sampling or OAuth.
 *
 * @example
 * ```ts
 * import { connectMcpHttp } from "@polyloop/polyloop/adapters/mcp-tools";
 * import { ToolRegistry } from "@polyloop/polyloop/tools";
 * import { assertEquals } from "@std/assert";
 *
 * // A server in a few lines; yours is somewhere else.
 * const results: Record<string, unknown> = {
 *   "server/discover": { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } },
 *   "tools/list": { tools: [{ name: "now", inputSchema: { type: "object" } }] },
 *   "tools/call": { content: [{ type: "text", text: "noon" }] },
 * };
 * await using server = Deno.serve({ port: 0, onListen: () => {} }, async (request) => {
 *   const { id, method } = await request.json();
 *   return Response.json({ jsonrpc: "2.0", id, result: results[method] });
 * });
 *
 * await using clock = await connectMcpHttp({ url: `http://localhost:${server.addr.port}/mcp` });
 * const tools = ToolRegistry.of(clock.tools({ prefix: "clock_" }));
 * const { observation } = await tools.executor().execute({
 *   action: { tool: "clock_now", arguments: {} },
 *   actionId: "demo/s0_a0",
 *   attempt: 1,
 *   signal: new AbortController().signal,
 * });
 * assertEquals(observation, "noon");
 * ```
 *
 * @module
 */
import { InvalidRequestError, present, refuseUnknownFields } from "../types/mod.ts";
import type { Tool } from "../logic/tools/mod.ts";
import { checkWhole, LONGEST_TIMER_MS } from "./_check_whole.ts";
import { connect, type Connected, type Connecting } from "./_mcp/connect.ts";
import { hidingEnv, hidingRequest } from "./_mcp/hiding.ts";
import type { CallSettings } from "./_mcp/tools/tool_executor.ts";
import { httpTransport } from "./_mcp/transports/http_transport.ts";
import type { AnswerInput } from "./_mcp/eras/input_requests.ts";
import type { RejectedMcpTool } from "./_mcp/tools/offered_tools.ts";
import { REVISIONS } from "./_mcp/eras/revisions.ts";
import { stdioTransport } from "./_mcp/transports/stdio_transport.ts";
import { type McpToolsOptions, serverTools } from "./_mcp/tools/server_tools.ts";
import { isMapOfStrings, readAddress, readHeaders } from "./_wire/request_parts.ts";

export type {
  AnswerInput,
  McpInputAnswer,
  McpInputContext,
  McpInputRequest,
} from "./_mcp/eras/input_requests.ts";
export { MCP_TEXTS, type McpTexts } from "./_mcp/tools/mcp_texts.ts";
export type { McpToolsOptions } from "./_mcp/tools/server_tools.ts";
export type { McpTool, McpToolHints, RejectedMcpTool } from "./_mcp/tools/offered_tools.ts";

/** How a server is spoken to. */
export interface McpOptions {
  /**
   * The one revision of the protocol to speak: `2026-07-28`, `2025-11-25`, `2025-06-18`, `2025-03-26` or `2024-11-05`.
   * Absent: the newest that the server speaks, which it is asked for. A server that ends when it is asked what it does
   * not know needs it.
   */
  readonly protocolVersion?: string;
  /**
   * How long connecting and reading the list of tools may take together, in milliseconds: a whole number, 1 or more. A
   * quarter of it is given to a server that does not answer when it is asked which revision it speaks.
   *
   * @default {30_000}
   */
  readonly connectTimeoutMs?: number;
  /**
   * How long a call of a tool may take, in milliseconds: a whole number, 1 or more. What {@link McpOptions.answerInput}
   * takes is part of it.
   *
   * @default {60_000}
   */
  readonly callTimeoutMs?: number;
  /** Answers what the server asks in the middle of a call. Absent: the server is told that it must not ask. */
  readonly answerInput?: AnswerInput;
}

/** A server that is started as a child of this process. */
export interface McpStdioOptions extends McpOptions {
  /** The program. */
  readonly command: string;
  /**
   * Its arguments.
   *
   * @default {[]}
   */
  readonly args?: readonly string[];
  /** Its whole environment: nothing of this process's own is added. Most programs need `PATH`, and many `HOME`. */
  readonly env: Readonly<Record<string, string>>;
  /** The folder that it starts in. Absent: this process's. */
  readonly cwd?: string;
  /** Gets what it writes to stderr, as it comes. What it throws is ignored. Absent: only errors quote the end of it. */
  readonly onStderr?: (text: string) => void;
}

/** A server that is reached over HTTP. */
export interface McpHttpOptions extends McpOptions {
  /** The address of its MCP endpoint, such as `https://example.com/mcp`. */
  readonly url: string;
  /** What goes with every request, such as `authorization`. Absent: nothing more. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A connection to a server. Close it when the run is over. */
export interface McpServer extends AsyncDisposable {
  /** The revision of the protocol that is spoken. */
  readonly protocolVersion: string;
  /** What the server calls itself. Nobody checks it. Absent: it does not say. */
  readonly serverInfo?: { readonly name: string; readonly version: string };
  /** What the server says to a model that uses it. It is put nowhere by itself. Absent: nothing. */
  readonly instructions?: string;
  /** The tools that it lists and that cannot be offered, with the reasons. */
  readonly rejected: readonly RejectedMcpTool[];
  /**
   * Its tools, as it listed them when it was connected to, for a registry. A tool that it changes later is not noticed
   * until the next connection; a run that is resumed then has drifted.
   *
   * @throws {InvalidRequestError} If an option is not as it must be, or a wanted tool is not there.
   */
  tools(options?: McpToolsOptions): readonly Tool[];
  /**
   * Ends the connection: a process by closing its stdin, after two seconds by SIGTERM, after two more by SIGKILL, with all
   * that it started; a session over HTTP by a DELETE. Calls under way give no result. May be called again.
   */
  close(): Promise<void>;
}

/**
 * Starts a server as a child of this process, and connects to it over its stdin and stdout. It ends with this process, be
 * that by SIGKILL, and so does what it started. It needs Deno, a POSIX system, and `--allow-run` for the command and for
 * `sh`.
 *
 * One line may have 8 MiB; a server that writes a longer one is ended. Lines that are no message are skipped.
 *
 * @throws {InvalidRequestError} If an option is not as it must be.
 * @throws {EnvironmentError} If the server cannot be started, does not speak the protocol, or is not ready in time.
 */
export async function connectMcpStdio(options: McpStdioOptions): Promise<McpServer> {
  refuseUnknownFields(options, STDIO_OPTIONS, { hideValues: true });
  const { command, args = [], env, cwd, onStderr } = options;
  if (typeof command !== "string" || command === "") {
    throw new InvalidRequestError("command", command, "it must be the name of a program");
  }
  if (!Array.isArray(args) || args.some((arg) => typeof arg !== "string")) {
    throw new InvalidRequestError("args", "(hidden)", "it must be an array of strings");
  }
  if (!isMapOfStrings(env)) {
    throw new InvalidRequestError("env", "(hidden)", "it must be a map of strings");
  }
  return await connected(options, {
    label: JSON.stringify(command),
    hiding: hidingEnv(env),
    open: () => stdioTransport({ command, args, env, cwd, onStderr }),
  });
}

/**
 * Connects to a server over HTTP: "streamable HTTP" in the protocol's words, not the HTTP+SSE of 2024-11-05. Each request
 * is sent once; a redirect is not followed. It needs `--allow-net` for the server's host, and nothing of Deno.
 *
 * One message may have 8 MiB, the stream that answers a request 64 MiB.
 *
 * @throws {InvalidRequestError} If an option is not as it must be.
 * @throws {EnvironmentError} If the server cannot be reached, refuses, does not speak the protocol, or is not ready in
 * time.
 */
export async function connectMcpHttp(options: McpHttpOptions): Promise<McpServer> {
  refuseUnknownFields(options, HTTP_OPTIONS, { hideValues: true });
  const { url: address, headers: given = {}, answerInput } = options;
  const url = readAddress("url", address);
  if (!isMapOfStrings(given)) {
    throw new InvalidRequestError("headers", "(hidden)", "it must be a map of strings");
  }
  const headers = readHeaders(given);
  return await connected(options, {
    label: JSON.stringify(url.origin + url.pathname),
    hiding: hidingRequest(given, url),
    open: () => httpTransport({ url, headers }, answerInput !== undefined),
  });
}

const COMMON_OPTIONS: Readonly<Record<keyof McpOptions, true>> = {
  protocolVersion: true,
  connectTimeoutMs: true,
  callTimeoutMs: true,
  answerInput: true,
};

const STDIO_OPTIONS: Readonly<Record<keyof McpStdioOptions, true>> = {
  ...COMMON_OPTIONS,
  command: true,
  args: true,
  env: true,
  cwd: true,
  onStderr: true,
};

const HTTP_OPTIONS: Readonly<Record<keyof McpHttpOptions, true>> = {
  ...COMMON_OPTIONS,
  url: true,
  headers: true,
};

async function connected(
  options: McpOptions,
  place: Pick<Connecting, "label" | "hiding" | "open">,
): Promise<McpServer> {
  const { protocolVersion, connectTimeoutMs = 30_000, callTimeoutMs = 60_000, answerInput } =
    options;
  checkWhole("connectTimeoutMs", connectTimeoutMs, 1, LONGEST_TIMER_MS);
  checkWhole("callTimeoutMs", callTimeoutMs, 1, LONGEST_TIMER_MS);
  if (protocolVersion !== undefined && !REVISIONS.includes(protocolVersion)) {
    const mustBe = `it must be one of ${REVISIONS.join(", ")}`;
    throw new InvalidRequestError("protocolVersion", protocolVersion, mustBe);
  }
  const revisions = protocolVersion === undefined ? REVISIONS : [protocolVersion];
  const connection = await connect({ ...place, revisions, connectTimeoutMs, answerInput });
  return mcpServer(connection, { wire: connection.wire, callTimeoutMs, hiding: place.hiding });
}

function mcpServer(
  { wire: { identity }, tools: { offered, rejected }, transport }: Connected,
  settings: CallSettings,
): McpServer {
  const { protocolVersion, serverInfo, instructions } = identity;
  const told = settings.hiding.inResults;
  return Object.freeze({
    ...present({
      protocolVersion,
      serverInfo: serverInfo && Object.freeze({
        name: told(serverInfo.name),
        version: told(serverInfo.version),
      }),
      instructions: instructions && told(instructions),
    }),
    rejected: Object.freeze(rejected),
    tools: (options: McpToolsOptions = {}) => serverTools(offered, settings, options),
    close: transport.close,
    [Symbol.asyncDispose]: transport.close,
  });
}
