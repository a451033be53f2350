import {
  connectMcpHttp,
  type McpHttpOptions,
  type McpServer,
} from "../../../adapters/mcp_tools.ts";
import { ToolRegistry } from "../../../mod.ts";
import type { ActionOutcome } from "../../../types/mod.ts";
import { type HttpAsked, jsonSide, type McpHttpServer, mcpHttpServer } from "./mcp_http_server.ts";
import { callOf, legacyAnswer, messageOf } from "./mcp_sides.ts";

/** A server of the legacy era without sessions. */
export const plain: (asked: HttpAsked) => Response = jsonSide(legacyAnswer);

/** So that the era is not asked for. */
export const VERSION = { protocolVersion: "2025-11-25" } as const;

/** A server with sessions: each handshake opens the next one, `s1`, `s2` and so on. */
export function sessions(
  respond: (asked: HttpAsked) => Response | Promise<Response> = plain,
): McpHttpServer {
  let opened = 0;
  return mcpHttpServer((asked) => {
    if (asked.message.method !== "initialize") return respond(asked);
    const answer = messageOf(asked.message.id, legacyAnswer(asked.message));
    return Response.json(answer, { headers: { "mcp-session-id": `s${++opened}` } });
  });
}

/** Calls `echo`. */
export async function call(
  server: McpServer,
  signal: AbortSignal = new AbortController().signal,
): Promise<ActionOutcome> {
  return await ToolRegistry.of(server.tools()).executor().execute({
    action: { tool: "echo", arguments: { text: "hi" } },
    ...callOf(signal),
  });
}

/** Connects, and calls `echo` once. */
export async function echo(
  url: string,
  options: Partial<McpHttpOptions> = {},
): Promise<ActionOutcome> {
  await using server = await connectMcpHttp({ url, ...VERSION, ...options });
  return await call(server);
}

/** A server that answers calls of tools in its own way, and GETs. */
export function calling(answer: (asked: HttpAsked) => Response | Promise<Response>): McpHttpServer {
  return sessions((asked) =>
    asked.message.method === "tools/call" || asked.method === "GET" ? answer(asked) : plain(asked)
  );
}
