import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { httpChannel } from "../../../adapters/_mcp/transports/http_channel.ts";
import { modernHttpLink } from "../../../adapters/_mcp/transports/modern_http_link.ts";
import { fuzzSample } from "../../tasks/fuzz_rounds.ts";
import { rawHttpServer, streamAnswer } from "../raw_http_server.ts";
import { connectMcpHttp, type McpHttpOptions } from "../../../adapters/mcp_tools.ts";
import { type ActionCall, ToolRegistry } from "../../../mod.ts";
import { type ActionOutcome, EnvironmentError, type JsonObject } from "../../../types/mod.ts";
import {
  event,
  eventStream,
  type HttpAsked,
  jsonSide,
  mcpHttpServer,
  silence,
  streamed,
} from "./mcp_http_server.ts";
import { type Asked, callOf, messageOf, modernAnswer, textResult } from "./mcp_sides.ts";

const plain = jsonSide(modernAnswer);

/** A server that answers calls of tools in its own way. */
function calling(answer: (asked: HttpAsked) => Response | Promise<Response>) {
  return mcpHttpServer((asked) =>
    asked.message.method === "tools/call" ? answer(asked) : plain(asked)
  );
}

/** Calls `echo` once. */
async function echo(
  url: string,
  options: Partial<McpHttpOptions> = {},
  call: Partial<ActionCall> = {},
): Promise<ActionOutcome> {
  await using server = await connectMcpHttp({ url, ...options });
  return await ToolRegistry.of(server.tools()).executor().execute({
    action: { tool: "echo", arguments: { text: "hi" } },
    ...callOf(),
    ...call,
  });
}

Deno.test("connectMcpHttp() speaks to a modern server by POSTs that say all of themselves", async () => {
  await using server = mcpHttpServer(plain);
  const { status, observation } = await echo(server.url, {
    headers: { authorization: "Bearer t" },
  });
  assertEquals([status, observation], ["executed", "hi"]);
  assertEquals(server.log(), ["POST server/discover", "POST tools/list", "POST tools/call"]);
  for (const { headers, message } of server.requests) {
    const meta = Object(message.params._meta);
    assertEquals(headers.get("mcp-protocol-version"), "2026-07-28");
    assertEquals(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    assertEquals(meta["io.modelcontextprotocol/clientCapabilities"], {});
    assertEquals(headers.get("mcp-method"), message.method);
    assertEquals(headers.get("accept"), "application/json, text/event-stream");
    assertEquals(headers.get("authorization"), "Bearer t");
  }
  const [, , call] = server.requests;
  assertEquals(call?.headers.get("mcp-name"), "echo");
  assertEquals(Object(call?.message.params._meta)["io.polyloop/actionId"], "r/s0_a0");
});

Deno.test("connectMcpHttp() repeats the marked parameters in headers", async () => {
  const properties = { text: { type: "string", "x-mcp-header": "Text" } };
  const tool = { name: "echo", inputSchema: { type: "object", properties } };
  await using server = mcpHttpServer(
    jsonSide((asked) => asked.method === "tools/list" ? { tools: [tool] } : modernAnswer(asked)),
  );
  await echo(server.url);
  assertEquals(server.requests.at(-1)?.headers.get("mcp-param-text"), "hi");
});

Deno.test("connectMcpHttp() takes the revision that the server names", async () => {
  let asked = 0;
  const refusing = (supported: string[]) =>
    mcpHttpServer((request) => {
      const { message } = request;
      if (message.method === "initialize") return new Response(null, { status: 400 });
      if (asked++ > 0) return plain(request);
      const error = { code: -32022, message: "no", data: { supported } };
      return Response.json(messageOf(message.id, error), { status: 400 });
    });
  await using good = refusing(["2026-07-28"]);
  await using server = await connectMcpHttp({ url: good.url });
  assertEquals(server.protocolVersion, "2026-07-28");
  asked = 0;
  await using other = refusing(["2031-01-01"]);
  await assertRejects(() => connectMcpHttp({ url: other.url }), EnvironmentError, "2031-01-01");
  assertEquals(other.log(), ["POST server/discover"]);
});

Deno.test("a call reads its answer from an event stream, past what else is there", async () => {
  await using server = calling(({ message: { id } }) =>
    eventStream(
      ": comment\n\nevent: message\ndata: \n\n",
      event({ jsonrpc: "2.0", method: "notifications/progress", params: {} }),
      event(messageOf(id + 1, textResult("another's"))),
      event(messageOf(id, textResult("mine"))),
      event(messageOf(id, textResult("again"))),
    )
  );
  assertEquals((await echo(server.url)).observation, "mine");
});

Deno.test("a call that may have arrived and gave no result is in doubt, is not sent again, and says why", async () => {
  const html = { status: 200, headers: { "content-type": "text/html" } };
  const cases: [string, (asked: HttpAsked) => Response][] = [
    ["the stream of the answer ended before it came", () => eventStream(": nothing\n\n")],
    ["the answer is none to the request", () => new Response("<p>hello", html)],
    ["the answer is none to the request", () => new Response(null, { status: 202 })],
    [
      "the answer is none to the request",
      ({ message: { id } }) => Response.json(messageOf(id + 1, textResult("x"))),
    ],
    ["HTTP 502", () => new Response("bad gateway", { status: 502 })],
    [
      'HTTP 401, it asks for "Bearer realm=x"',
      () => new Response(null, { status: 401, headers: { "www-authenticate": "Bearer realm=x" } }),
    ],
    [
      "to send the request on to http://evil.example",
      () => new Response(null, { status: 307, headers: { location: "http://evil.example/x" } }),
    ],
    [
      'error -32000, "Session \\"x\\""',
      ({ message: { id } }) =>
        Response.json(messageOf(id, { code: -32000, message: 'Session "x"' }), { status: 400 }),
    ],
    [
      'error -32700, "no"',
      () => Response.json({ id: null, error: { code: -32700, message: "no" } }),
    ],
    [
      'the result is of the type "task"',
      ({ message: { id } }) => Response.json(messageOf(id, { resultType: "task" })),
    ],
  ];
  for (const [reason, answer] of cases) {
    await using server = calling(answer);
    const outcome = await echo(server.url);
    assertStringIncludes(outcome.observation, reason);
    assertStringIncludes(outcome.observation, "Nobody knows whether it took effect.");
    assertEquals([outcome.status, Object(outcome).effect], ["environment_failed", "unknown"]);
    assertEquals(server.log().filter((line) => line === "POST tools/call").length, 1);
  }
});

Deno.test("a call that the server refuses has failed, in the server's words", async () => {
  for (const code of [-32601, -32602]) {
    await using server = calling(({ message: { id } }) =>
      Response.json(messageOf(id, { code, message: "no tool echo" }), { status: 404 })
    );
    const { status, failed, observation } = await echo(server.url);
    assertEquals([status, failed], ["executed", true]);
    assertEquals(observation, "The server refused the call: no tool echo");
  }
});

Deno.test("a call tells a result that is an error, and one that is empty", async () => {
  const result = async (result: JsonObject) => {
    await using server = calling(({ message: { id } }) => Response.json(messageOf(id, result)));
    const { failed, observation } = await echo(server.url);
    return [failed, observation];
  };
  assertEquals(await result({ ...textResult("disk full"), isError: true }), [true, "disk full"]);
  assertEquals(await result({ content: [] }), [
    false,
    "(The tool echo was executed and returned nothing.)",
  ]);
});

for (const end of ["silent", "open"] as const) {
  Deno.test(`a request that is aborted while its response is ${end} closes the connection`, async () => {
    await using server = rawHttpServer(streamAnswer(": comment\n\n", end));
    const channel = httpChannel({ url: new URL(server.origin), headers: new Headers() });
    const controller = new AbortController();
    const request = { id: 1, method: "tools/call", params: {} };
    const exchange = modernHttpLink(channel).exchange(request, {
      headers: {},
      signal: controller.signal,
    });
    await server.clientCame;
    const reason = new Error("the user pressed Ctrl-C");
    controller.abort(reason);
    assert(await exchange.catch((error) => error) === reason);
    await server.clientLeft;
    channel.close();
  });
}

Deno.test("a call that is aborted rejects with the reason", async () => {
  const controller = new AbortController();
  const reason = new Error("the user pressed Ctrl-C");
  await using server = calling((asked) => {
    controller.abort(reason);
    return silence(asked);
  });
  const { signal } = controller;
  assert(await echo(server.url, {}, { signal }).catch((error) => error) === reason);
});

Deno.test("a call that takes too long is in doubt", async () => {
  await using server = calling(silence);
  const outcome = await echo(server.url, { callTimeoutMs: 50 });
  assertStringIncludes(outcome.observation, "it took longer than 50 ms");
  assertEquals(Object(outcome).effect, "unknown");
});

Deno.test("connectMcpHttp() rejects where the answer breaks off at any byte, and where none comes", async () => {
  const discovery = (id: number) =>
    JSON.stringify(messageOf(
      id,
      modernAnswer({
        id,
        method: "server/discover",
        params: {},
      }),
    ));
  const forms: Record<string, (id: number) => string> = {
    "application/json": discovery,
    "text/event-stream": (id) => `data: ${discovery(id)}\n\n`,
  };
  for (const [type, form] of Object.entries(forms)) {
    const whole = form(1).length - (type === "application/json" ? 0 : 2);
    const sizes = fuzzSample(Array.from({ length: whole }, (_, size) => size));
    for (const size of new Set([0, 1, ...sizes, whole - 1])) {
      await using server = mcpHttpServer(({ message }) =>
        message.method !== "server/discover"
          ? new Response(null, { status: 400 })
          : streamed(type, async function* () {
            yield form(message.id).slice(0, size);
          })
      );
      await assertRejects(() => connectMcpHttp({ url: server.url }), EnvironmentError);
    }
  }
  const gone = mcpHttpServer(plain);
  await gone[Symbol.asyncDispose]();
  await assertRejects(
    () => connectMcpHttp({ url: gone.url }),
    EnvironmentError,
    `Cannot connect to the MCP server "${gone.url}" as the server cannot be reached`,
  );
});

Deno.test("connectMcpHttp() gives up on a server that is silent", async () => {
  await using server = mcpHttpServer(silence);
  await assertRejects(
    () => connectMcpHttp({ url: server.url, connectTimeoutMs: 400 }),
    EnvironmentError,
    "it took longer than 400 ms",
  );
  assertEquals(server.log(), ["POST server/discover", "POST initialize"]);
});

Deno.test("connectMcpHttp() reads every page of a list, and no list that is none or comes back", async () => {
  const pages = (next: (cursor: number) => string | undefined) =>
    mcpHttpServer(jsonSide((asked: Asked) => {
      if (asked.method !== "tools/list") return modernAnswer(asked);
      const page = Number(asked.params.cursor ?? 0);
      const cursor = next(page);
      const tools = [{ name: `t${page}`, inputSchema: { type: "object" } }];
      return cursor === undefined ? { tools } : { tools, nextCursor: cursor };
    }));
  await using three = pages((page) => page < 2 ? String(page + 1) : undefined);
  await using server = await connectMcpHttp({ url: three.url });
  assertEquals(server.tools().map(({ name }) => name), ["t0", "t1", "t2"]);
  await using still = pages(() => "7");
  const refused = (url: string, reason: string) =>
    assertRejects(() => connectMcpHttp({ url }), EnvironmentError, reason);
  await refused(still.url, "comes back to an earlier page");
  await using wrong = mcpHttpServer(
    jsonSide((asked) => asked.method === "tools/list" ? { tools: "all" } : modernAnswer(asked)),
  );
  await refused(wrong.url, "the server's list of tools is none");
});

Deno.test("connectMcpHttp() finds no tools on a server that knows of none", async () => {
  await using none = mcpHttpServer(
    jsonSide((asked) =>
      asked.method === "tools/list" ? { code: -32601, message: "no" } : modernAnswer(asked)
    ),
  );
  await using server = await connectMcpHttp({ url: none.url });
  assertEquals([server.tools(), server.rejected], [[], []]);
});
