import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { connectMcpHttp } from "../../../adapters/mcp_tools.ts";
import { listTools } from "../../../adapters/_mcp/tools/list_tools.ts";
import { EnvironmentError, type JsonObject, type JsonValue } from "../../../types/mod.ts";
import { eventStream, jsonSide, mcpHttpServer } from "./mcp_http_server.ts";
import { type Asked, callOf, ECHO, legacyAnswer, modernAnswer } from "./mcp_sides.ts";

const SECRET = "sk-secret-0123456789";
const headers = { authorization: `Bearer ${SECRET}` };

/** A value so deep that nothing recursive can go through it. */
function nested(depth: number): JsonValue {
  let value: JsonValue = 1;
  for (let i = 0; i < depth; i++) value = { a: value };
  return value;
}

async function withServer<T>(
  answer: (asked: Asked) => JsonObject,
  test: (url: string) => Promise<T>,
): Promise<T> {
  await using server = mcpHttpServer(jsonSide(answer));
  return await test(server.url);
}

Deno.test("connectMcpHttp() rejects tools that are nested too deep to be compared", async () => {
  const deep = { ...ECHO, name: "deep", annotations: nested(5_000) };
  const listed = (asked: Asked) =>
    asked.method === "tools/list" ? { tools: [deep, { ...deep }, ECHO] } : modernAnswer(asked);
  await withServer(listed, async (url) => {
    await using server = await connectMcpHttp({ url });
    assertEquals(server.tools().map(({ name }) => name), ["echo"]);
    assertEquals(server.rejected.map(({ name }) => name), ["deep"]);
  });
});

Deno.test("an error is short, however much a server says, and no cut leaves a part of a secret", async () => {
  const long = "x".repeat(1_000_000);
  const sides: readonly ((asked: Asked) => JsonObject)[] = [
    () => ({ supportedVersions: Array(50_000).fill("2099-01-01") }),
    (asked) =>
      asked.method === "initialize" ? { protocolVersion: long } : { code: -32601, message: "" },
    () => ({ code: -32000, message: long }),
  ];
  for (const side of sides) {
    const { message } = await withServer(
      side,
      (url) => assertRejects(() => connectMcpHttp({ url }), EnvironmentError),
    );
    assert(message.length < 3_000, `${message.length}`);
  }
  for (let before = 1_850; before < 2_010; before += 7) {
    const message = `${"x".repeat(before)}Bearer ${SECRET}`;
    const error = await withServer(
      () => ({ code: -32000, message }),
      (url) => assertRejects(() => connectMcpHttp({ url, headers }), EnvironmentError),
    );
    assert(!error.message.includes("sk-"), error.message.slice(-80));
  }
});

Deno.test("a server cannot call itself by a secret that it was given", async () => {
  const named = (asked: Asked) =>
    asked.method === "server/discover"
      ? { ...modernAnswer(asked), serverInfo: { name: `Bearer ${SECRET}`, version: SECRET } }
      : modernAnswer(asked);
  await withServer(named, async (url) => {
    await using server = await connectMcpHttp({ url, headers });
    assert(!JSON.stringify(server).includes(SECRET));
    assertStringIncludes(server.serverInfo?.name ?? "", "hidden");
  });
});

Deno.test("a stream that is to be resumed in a month is not asked for at once", async () => {
  const waiting = "id: 1\nretry: 9999999999\ndata: \n\n";
  await using server = mcpHttpServer((asked) =>
    asked.method === "GET" || asked.message.method === "tools/call"
      ? eventStream(waiting)
      : jsonSide(legacyAnswer)(asked)
  );
  const { url } = server;
  await using connection = await connectMcpHttp({
    url,
    callTimeoutMs: 300,
    protocolVersion: "2025-11-25",
  });
  const [echo] = connection.tools();
  const outcome = await echo?.execute({ text: "x" }, callOf());
  assertStringIncludes(JSON.stringify(outcome), "it took longer than 300 ms");
  assertEquals(server.requests.filter(({ method }) => method === "GET").length, 0);
});

Deno.test("listTools() ends a list that is too large, in characters, tools or pages", async () => {
  const lists: [tools: JsonValue[], said: string, pages: number][] = [
    [[{ description: "d".repeat(7_000_000) }], "is larger than 67108864 characters", 10],
    [Array(4_000).fill(0), "more than 10000 tools", 3],
    [[0], "has more than 1000 pages", 1_000],
  ];
  for (const [tools, said, most] of lists) {
    let pages = 0;
    const wire = {
      identity: { protocolVersion: "2026-07-28" },
      repeatsParams: false,
      request: () => Promise.resolve({ result: { tools, nextCursor: String(pages++) } }),
    };
    await assertRejects(() => listTools(wire, new AbortController().signal), Error, said);
    assertEquals(pages, most);
  }
});
