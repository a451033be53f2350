import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { connectMcpHttp, type McpHttpOptions } from "../../../adapters/mcp_tools.ts";
import { EnvironmentError, type JsonObject } from "../../../types/mod.ts";
import { call, calling, echo, plain, sessions, VERSION } from "./legacy_http_side.ts";
import {
  event,
  eventStream,
  jsonSide,
  type McpHttpServer,
  mcpHttpServer,
  silence,
} from "./mcp_http_server.ts";
import { legacyAnswer, messageOf, textResult } from "./mcp_sides.ts";

Deno.test("connectMcpHttp() falls back to the handshake, keeps its session and ends it", async () => {
  await using remote = sessions();
  await using server = await connectMcpHttp({ url: remote.url });
  assertEquals(server.protocolVersion, "2025-11-25");
  assertEquals(server.serverInfo, { name: "legacy", version: "1" });
  assertEquals(server.instructions, "Be kind.");
  assertEquals((await call(server)).observation, "hi");
  await server.close();
  await server.close();
  assertEquals(remote.log(), [
    "POST server/discover",
    "POST initialize",
    "POST notifications/initialized",
    "POST tools/list",
    "POST tools/call",
    "DELETE",
  ]);
  const [, first, ...others] = remote.requests;
  assertEquals(first?.headers.get("mcp-session-id"), null);
  assertEquals(first?.headers.get("mcp-protocol-version"), null);
  for (const { headers } of others) {
    assertEquals(headers.get("mcp-session-id"), "s1");
    assertEquals(headers.get("mcp-protocol-version"), "2025-11-25");
  }
  const { status, observation, ...more } = await call(server);
  assertEquals([status, Object(more).effect], ["environment_failed", undefined]);
  assertEquals(observation, "(The tool echo was not called, as the connection is closed.)");
});

Deno.test("connectMcpHttp() falls back whatever a server says to what it does not know", async () => {
  const html = { status: 404, headers: { "content-type": "text/html" } };
  const answers: ((id: number) => Response)[] = [
    () => new Response("<h1>not found", html),
    () => new Response("", { status: 400 }),
    () => new Response("", { status: 500 }),
    (id) => Response.json(messageOf(id, { code: -32000, message: "no session" }), { status: 400 }),
    (id) => Response.json(messageOf(id, { code: -32601, message: "no method" })),
    (id) => Response.json(messageOf(id, { anything: true })),
    () => eventStream(": nothing\n\n"),
  ];
  for (const answer of answers) {
    await using remote = sessions((asked) =>
      asked.message.method === "server/discover" ? answer(asked.message.id) : plain(asked)
    );
    await using server = await connectMcpHttp({ url: remote.url });
    assertEquals(server.protocolVersion, "2025-11-25");
  }
});

Deno.test("connectMcpHttp() speaks every revision, and none that it was not told", async () => {
  for (const protocolVersion of ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]) {
    await using remote = sessions();
    await using server = await connectMcpHttp({ url: remote.url, protocolVersion });
    assertEquals(server.protocolVersion, protocolVersion);
    assertEquals(remote.log()[0], "POST initialize");
  }
  const speaking = (version: string) =>
    mcpHttpServer(
      jsonSide((asked) =>
        asked.method === "initialize" ? { protocolVersion: version } : legacyAnswer(asked)
      ),
    );
  await using older = speaking("2024-11-05");
  await using server = await connectMcpHttp({ url: older.url });
  assertEquals(server.protocolVersion, "2024-11-05");
  await using strange = speaking("1999-01-01");
  const refused = (url: string, options: Partial<McpHttpOptions>, reason: string) =>
    assertRejects(() => connectMcpHttp({ url, ...options }), EnvironmentError, reason);
  await refused(strange.url, {}, 'speaks revision "1999-01-01"');
  await refused(older.url, VERSION, 'speaks revision "2024-11-05", not 2025-11-25');
  await refused(older.url, { protocolVersion: "2026-07-28" }, "does not speak revision 2026-07-28");
});

Deno.test("a call that meets a lost session is made once more, in a new one", async () => {
  await using remote = calling((asked) =>
    asked.headers.get("mcp-session-id") === "s1"
      ? new Response(null, { status: 404 })
      : plain(asked)
  );
  await using server = await connectMcpHttp({ url: remote.url, ...VERSION });
  const outcomes = await Promise.all([call(server), call(server)]);
  assertEquals(outcomes.map(({ observation }) => observation), ["hi", "hi"]);
  assertEquals(remote.log().filter((line) => line === "POST initialize").length, 2);
  assertEquals(remote.log().filter((line) => line === "POST tools/call").length, 4);
  assertEquals((await call(server)).observation, "hi");
});

Deno.test("a call that hears late of a lost session goes into the new one", async () => {
  const { promise: reopened, resolve } = Promise.withResolvers<void>();
  let lost = 0;
  await using remote = calling(async (asked) => {
    if (asked.headers.get("mcp-session-id") !== "s1") return plain(asked);
    if (++lost === 2) await reopened;
    return new Response(null, { status: 404 });
  });
  await using server = await connectMcpHttp({ url: remote.url, ...VERSION });
  const [first, second] = [call(server), call(server)];
  await Promise.race([first, second]);
  resolve();
  assertEquals((await first).observation, "hi");
  assertEquals((await second).observation, "hi");
  assertEquals(remote.log().filter((line) => line === "POST initialize").length, 2);
});

Deno.test("a call is not made a third time, nor again for what is no lost session", async () => {
  const gone = () => new Response(null, { status: 404 });
  const bad = () => new Response("Bad Request: no valid session ID", { status: 400 });
  const cases: [McpHttpServer, number][] = [
    [calling(gone), 2],
    [calling(bad), 1],
    [mcpHttpServer((asked) => asked.message.method === "tools/call" ? gone() : plain(asked)), 1],
  ];
  for (const [server, calls] of cases) {
    await using remote = server;
    const outcome = await echo(remote.url);
    assertEquals([outcome.status, Object(outcome).effect], ["environment_failed", "unknown"]);
    assertEquals(remote.log().filter((line) => line === "POST tools/call").length, calls);
  }
});

Deno.test("a call is in doubt where no new session is opened as the old one was", async () => {
  let handshakes = 0;
  const answers: ((id: number) => Response)[] = [
    (id) => Response.json(messageOf(id, { code: -32603, message: "full" })),
    (id) => Response.json(messageOf(id, { protocolVersion: "2024-11-05" })),
    () => new Response(null, { status: 503 }),
  ];
  for (const again of answers) {
    handshakes = 0;
    await using remote = mcpHttpServer((asked) => {
      const { id, method } = asked.message;
      if (method === "tools/call") return new Response(null, { status: 404 });
      if (method !== "initialize") return plain(asked);
      if (handshakes++ > 0) return again(id);
      const answer = messageOf(id, legacyAnswer(asked.message));
      return Response.json(answer, { headers: { "mcp-session-id": "s1" } });
    });
    const outcome = await echo(remote.url);
    assertEquals(Object(outcome).effect, "unknown");
    assertEquals(handshakes, 2);
  }
});

Deno.test("a stream that ends before its answer goes on after its last event", async () => {
  let streams = 0;
  await using remote = calling(({ method, headers, message: { id } }) => {
    streams += 1;
    if (method === "POST") return eventStream(`id: e1\nretry: 1\ndata: \n\n`);
    assertEquals(headers.get("last-event-id"), `e${streams - 1}`);
    assertEquals([headers.get("mcp-session-id"), id], ["s1", undefined]);
    if (streams === 2) return eventStream("id: e2\ndata: noise\n\n");
    return eventStream(event(messageOf(3, textResult("late")), "id: e3\n"));
  });
  assertEquals((await echo(remote.url)).observation, "late");
  assertEquals(remote.log().slice(-4), ["POST tools/call", "GET", "GET", "DELETE"]);
});

Deno.test("a stream that ends before its answer, without an id, leaves the call in doubt", async () => {
  await using remote = calling(() => eventStream("retry: 1\ndata: \n\n"));
  const outcome = await echo(remote.url);
  assertStringIncludes(outcome.observation, "the stream ended before the answer came");
  assertEquals(Object(outcome).effect, "unknown");
  assertEquals(remote.log().slice(-2), ["POST tools/call", "DELETE"]);
});

Deno.test("a stream that the server will not go on with leaves the call in doubt", async () => {
  await using remote = calling(({ method }) =>
    method === "POST"
      ? eventStream("id: 1\nretry: 1\ndata: \n\n")
      : new Response(null, { status: 405 })
  );
  const outcome = await echo(remote.url);
  assertStringIncludes(outcome.observation, "HTTP 405");
  assertEquals(Object(outcome).effect, "unknown");
});

Deno.test("a call that is aborted or takes too long is cancelled at the server", async () => {
  for (const how of ["abort", "time"]) {
    const controller = new AbortController();
    const reason = new Error("stop");
    const { promise: cancelled, resolve } = Promise.withResolvers<JsonObject>();
    await using remote = sessions((asked) => {
      if (asked.message.method === "notifications/cancelled") resolve(asked.message.params);
      if (asked.message.method !== "tools/call") return plain(asked);
      if (how === "abort") controller.abort(reason);
      return silence(asked);
    });
    const callTimeoutMs = how === "time" ? 50 : 60_000;
    await using server = await connectMcpHttp({ url: remote.url, ...VERSION, callTimeoutMs });
    const end = await call(server, controller.signal).catch((error) => error);
    assert(how === "abort" ? end === reason : end.effect === "unknown");
    assertEquals(await cancelled, { requestId: 3 });
  }
});
