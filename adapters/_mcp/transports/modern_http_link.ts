import { lost } from "../fault.ts";
import { readAnswer } from "./http_answer.ts";
import type { HttpChannel } from "./http_channel.ts";
import { requestText } from "../json_rpc.ts";
import type { McpLink } from "../link.ts";

/** What every POST says: what it brings, and what it takes as an answer. */
export const POST_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};

/**
 * A link as revision 2026-07-28 uses HTTP: each request is a POST of its own, and what closes its response cancels it.
 * A stream that breaks loses the request. The server asks nothing by itself, and nothing is notified.
 */
export function modernHttpLink(channel: HttpChannel): McpLink {
  return {
    async exchange(request, { headers, signal }) {
      const response = await channel.send({
        method: "POST",
        headers: { ...headers, ...POST_HEADERS },
        body: requestText(request),
        signal,
      });
      const read = await readAnswer(response, request.id, () => {}).catch((error) => {
        signal.throwIfAborted();
        throw error;
      });
      signal.throwIfAborted();
      if ("answer" in read) return read.answer;
      throw lost("the stream of the answer ended before it came");
    },
    notify: () => Promise.resolve(),
    serve() {},
  };
}
