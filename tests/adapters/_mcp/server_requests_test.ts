/** What a server of the legacy era asks its client over HTTP. */
import { assert, assertEquals } from "@std/assert";
import {
  connectMcpHttp,
  type McpHttpOptions,
  type McpInputContext,
} from "../../../adapters/mcp_tools.ts";
import type { JsonObject } from "../../../types/mod.ts";
import { echo, plain, sessions } from "./legacy_http_side.ts";
import { event, eventStream, type HttpAsked, streamed } from "./mcp_http_server.ts";
import { messageOf, textResult } from "./mcp_sides.ts";

const FORM: JsonObject = {
  method: "elicitation/create",
  params: { message: "Sure?", requestedSchema: { type: "object", properties: {} } },
};

/** Has a server ask the client something in the middle of a call, on the call's stream or another, and what it answers. */
async function asked(
  request: JsonObject,
  options: Partial<McpHttpOptions> & { readonly on?: "POST" | "GET" } = {},
): Promise<Readonly<Record<string, unknown>>> {
  const { on = "POST", ...others } = options;
  const { promise: answered, resolve: answer } = Promise.withResolvers<HttpAsked>();
  const { promise: called, resolve: comesCall } = Promise.withResolvers<void>();
  const question = event({ jsonrpc: "2.0", id: "q", ...request });
  await using remote = sessions((asked) => {
    const { method, message } = asked;
    if (method === "POST" && message.method === undefined) {
      answer(asked);
      return new Response(null, { status: 202 });
    }
    if (message.method === "tools/call") {
      comesCall();
      return streamed("text/event-stream", async function* () {
        if (on === "POST") yield question;
        await answered;
        yield event(messageOf(message.id, textResult("done")));
      });
    }
    if (method !== "GET" || on === "POST") return plain(asked);
    return streamed("text/event-stream", async function* () {
      await called;
      yield question;
      await answered;
    });
  });
  assertEquals((await echo(remote.url, others)).observation, "done");
  const { message, headers } = await answered;
  assertEquals([headers.get("mcp-session-id"), message.id], ["s1", "q"] as unknown[]);
  return { result: message.result, error: Object(message.error).code };
}

Deno.test("a server's ping is answered, and what is not offered is refused", async () => {
  assertEquals(await asked({ method: "ping" }), { result: {}, error: undefined });
  for (const method of ["elicitation/create", "sampling/createMessage", "roots/list"]) {
    assertEquals(await asked({ ...FORM, method }), { result: undefined, error: -32601 });
  }
});

for (const on of ["POST", "GET"] as const) {
  Deno.test(`a server's form is answered on a ${on}'s stream, and belongs to the call`, async () => {
    const contexts: McpInputContext[] = [];
    const { result } = await asked(FORM, {
      on,
      answerInput: (request, context) => {
        assertEquals(request, FORM.params as unknown);
        contexts.push(context);
        return { action: "accept", content: { sure: true } };
      },
    });
    assertEquals(result, { action: "accept", content: { sure: true } });
    assertEquals(contexts.map(({ tool, actionId }) => [tool, actionId]), [["echo", "r/s0_a0"]]);
  });
}

Deno.test("a server is told where there is no answer to its form", async () => {
  const refused = async (request: JsonObject, answerInput: McpHttpOptions["answerInput"]) =>
    (await asked(request, answerInput && { answerInput })).error;
  const thrower = () => {
    throw new Error("nobody is there");
  };
  assertEquals(await refused(FORM, thrower), -32603);
  assertEquals(await refused(FORM, () => JSON.parse("{}")), -32603);
  assertEquals(await refused(FORM, () => JSON.parse("null")), -32603);
  const url = { ...FORM, params: { message: "Go there", mode: "url", url: "https://example.com" } };
  assertEquals(await refused(url, () => ({ action: "decline" })), -32602);
  assertEquals((await asked(FORM, { answerInput: () => ({ action: "decline" }) })).result, {
    action: "decline",
  });
});

Deno.test("a form that nobody answers holds no call and no closing up, and whoever was asked is told", async () => {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  await using remote = sessions((asked) => {
    if (asked.message.method !== "tools/call") return plain(asked);
    return eventStream(event({ jsonrpc: "2.0", id: "q", ...FORM }));
  });
  const outcome = await echo(remote.url, {
    answerInput: (_, { signal }) => {
      signal.addEventListener("abort", () => resolve());
      return new Promise(() => {});
    },
  });
  assertEquals(outcome.status, "environment_failed");
  await over;
});

Deno.test("a stream of its own is asked for only by whoever answers input, and need not be there", async () => {
  await using remote = sessions();
  await echo(remote.url);
  assert(!remote.log().includes("GET"));
  await echo(remote.url, { answerInput: () => ({ action: "cancel" }) });
  assertEquals(remote.log().filter((line) => line === "GET").length, 1);
});

Deno.test("the stream of its own goes on after its last event, as long as the session lasts", async () => {
  const { promise: again, resolve } = Promise.withResolvers<Headers>();
  let streams = 0;
  await using remote = sessions((asked) => {
    if (asked.method !== "GET") return plain(asked);
    if (++streams > 1) {
      resolve(asked.headers);
      return new Response(null, { status: 405 });
    }
    return eventStream("id: e1\nretry: 1\ndata: \n\n");
  });
  await using server = await connectMcpHttp({
    url: remote.url,
    answerInput: () => ({ action: "cancel" }),
  });
  const headers = await again;
  assertEquals([headers.get("last-event-id"), headers.get("mcp-session-id")], ["e1", "s1"]);
  await server.close();
  assertEquals(streams, 2);
});
