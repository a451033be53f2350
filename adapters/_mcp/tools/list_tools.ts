import { isJsonArray, type JsonObject, type JsonValue } from "../../../types/mod.ts";
import { lost } from "../fault.ts";
import { METHOD_NOT_FOUND } from "../json_rpc.ts";
import { saidError } from "../said_error.ts";
import type { McpWire } from "../eras/wire.ts";

/** How many pages a list may have, how many tools, and how large all of them may be as JSON. */
const MAX_PAGES = 1_000;
const MAX_TOOLS = 10_000;
const MAX_CHARS = 64 * 1024 * 1024;

/**
 * What a server lists as its tools, all pages of it. One that knows no such list has none.
 *
 * @throws {McpFault} If it does not answer, comes back to a page, or goes on past a limit.
 * @throws The signal's reason, after an abort.
 */
export async function listTools(wire: McpWire, signal: AbortSignal): Promise<readonly JsonValue[]> {
  const tools: JsonValue[] = [];
  const cursors = new Set<JsonValue>();
  let params: JsonObject = {};
  let size = 0;
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await wire.request({ method: "tools/list", params, paramHeaders: [], signal });
    if ("error" in answer) {
      if (answer.error.code === METHOD_NOT_FOUND && page === 0) return [];
      throw lost(`the server does not list its tools: ${saidError(answer.error)}`);
    }
    const { tools: listed, nextCursor: cursor } = answer.result;
    if (!isJsonArray(listed)) throw lost("the server's list of tools is none");
    if (tools.length + listed.length > MAX_TOOLS) {
      throw lost(`the server lists more than ${MAX_TOOLS} tools`);
    }
    size += JSON.stringify([listed, cursor]).length;
    if (size > MAX_CHARS) {
      throw lost(`the server's list of tools is larger than ${MAX_CHARS} characters`);
    }
    for (const tool of listed) tools.push(tool);
    if (typeof cursor !== "string") return tools;
    if (cursors.has(cursor)) throw lost("the server's list of tools comes back to an earlier page");
    cursors.add(cursor);
    params = { cursor };
  }
  throw lost(`the server's list of tools has more than ${MAX_PAGES} pages`);
}
