import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  connectMcpHttp,
  connectMcpStdio,
  type McpHttpOptions,
  type McpServer,
  type McpToolsOptions,
} from "../../adapters/mcp_tools.ts";
import { ToolRegistry } from "../../mod.ts";
import { EnvironmentError, InvalidRequestError, type JsonObject } from "../../types/mod.ts";
import { type HttpAsked, jsonSide, mcpHttpServer } from "./_mcp/mcp_http_server.ts";
import { callOf, ECHO, messageOf, modernAnswer, textResult } from "./_mcp/mcp_sides.ts";

/** Runs a test with a server that lists some tools. */
async function withTools(
  tools: readonly JsonObject[],
  test: (server: McpServer) => void | Promise<void>,
  options: Partial<McpHttpOptions> = {},
): Promise<void> {
  await using remote = mcpHttpServer(
    jsonSide((asked) =>
      asked.method === "tools/list" ? { tools: [...tools] } : modernAnswer(asked)
    ),
  );
  await using server = await connectMcpHttp({ url: remote.url, ...options });
  await test(server);
}

const named = (name: string, annotations: JsonObject = {}): JsonObject => ({
  ...ECHO,
  name,
  annotations,
});

Deno.test("tools() gives those that are wanted, with a prefix, as they were listed", async () => {
  await withTools([named("b"), named("a"), named("a b")], (server) => {
    assertEquals(server.tools().map(({ name }) => name), ["b", "a"]);
    const tools = server.tools({ prefix: "x.", only: ["a"], maxObservationChars: 10 });
    assertEquals(tools.map(({ name }) => name), ["x.a"]);
    const [tool] = tools;
    assertEquals(tool?.parameters, ECHO.inputSchema as JsonObject);
    assertEquals([tool?.description, tool?.maxObservationChars], ["Says it again", 10]);
    assertEquals(server.rejected.map(({ name }) => name), ["a b"]);
  });
});

Deno.test("tools() of two servers that have one name need a prefix", async () => {
  await withTools([named("a")], (one) =>
    withTools([named("a")], (other) => {
      const collide = () => ToolRegistry.of([...one.tools(), ...other.tools()]);
      assertThrows(collide, InvalidRequestError, "another tool has that name");
      ToolRegistry.of([...one.tools(), ...other.tools({ prefix: "other_" })]);
    }));
});

Deno.test("tools() are replayable where the caller says so, by hints or by a function", async () => {
  const listed = [
    named("plain"),
    named("reads", { readOnlyHint: true }),
    named("repeats", { idempotentHint: true, destructiveHint: true }),
    named("shy", { readOnlyHint: false, destructiveHint: false, openWorldHint: false }),
  ];
  await withTools(listed, (server) => {
    const policies = (replay?: McpToolsOptions["replay"]) =>
      server.tools(replay && { replay }).map((tool) => {
        const executor = ToolRegistry.of([tool]).executor();
        return executor.replayPolicy?.({ tool: tool.name, arguments: { text: "" } });
      });
    const [never, again] = ["never", "replayable"] as const;
    assertEquals(policies(), [never, never, never, never]);
    assertEquals(policies("hints"), [never, again, again, never]);
    assertEquals(policies("replayable"), [again, again, again, again]);
    const byName = policies(({ name }) => name === "shy" ? again : never);
    assertEquals(byName, [never, never, never, again]);
  });
});

Deno.test("tools() have what bears on a run in their digests", async () => {
  const digests = new Set<string>();
  const add = (server: McpServer, options?: McpToolsOptions) => {
    digests.add(ToolRegistry.of(server.tools(options)).toolDigest("a"));
  };
  await withTools([named("a", { readOnlyHint: true })], (server) => {
    add(server);
    add(server);
    assertEquals(digests.size, 1);
    add(server, { replay: "hints" });
    add(server, { concurrent: true });
    add(server, { maxObservationChars: 5 });
    add(server, { texts: { noContent: "nothing" } });
  });
  await withTools([named("a", { readOnlyHint: true })], add, { callTimeoutMs: 5_000 });
  assertEquals(digests.size, 6);
});

Deno.test("tools() may run beside others where the caller says so", async () => {
  await withTools([named("a")], (server) => {
    const concurrent = (options?: McpToolsOptions) =>
      ToolRegistry.of(server.tools(options)).executor()
        .concurrent?.({ tool: "a", arguments: { text: "" } });
    assertEquals([concurrent(), concurrent({ concurrent: true })], [false, true]);
  });
});

Deno.test("tools() check arguments before anything is sent, and say what they say in the caller's words", async () => {
  const calls: HttpAsked[] = [];
  await using remote = mcpHttpServer((asked) => {
    if (asked.message.method !== "tools/call") return jsonSide(modernAnswer)(asked);
    calls.push(asked);
    return Response.json(messageOf(asked.message.id, { content: [] }));
  });
  await using server = await connectMcpHttp({ url: remote.url });
  const executor = ToolRegistry.of(server.tools({ texts: { noContent: "{tool}: –" } })).executor();
  const call = (args: JsonObject) =>
    executor.execute({ action: { tool: "echo", arguments: args }, ...callOf() });
  assertEquals((await call({})).status, "not_executed");
  assertEquals(calls.length, 0);
  assertEquals((await call({ text: "x" })).observation, "echo: –");
});

Deno.test("tools() refuse options that are none", async () => {
  await withTools([named("a")], (server) => {
    const refused = (options: string, reason: string) =>
      assertThrows(() => server.tools(JSON.parse(options)), InvalidRequestError, reason);
    refused('{"only":["b"]}', "the server offers no such tool, only a");
    refused('{"prefixes":"x"}', 'did you mean "prefix"');
    refused('{"prefix":5}', "prefix");
    refused('{"prefix":"a b "}', "must match");
    refused('{"replay":"sometimes"}', "replay");
    refused('{"concurrent":"yes"}', "concurrent");
    refused('{"texts":{"empty":""}}', "texts.empty");
  });
});

Deno.test("connectMcpHttp() and connectMcpStdio() refuse options that are none, and quote no secret", async () => {
  const secret = "sk-0123456789";
  const refused = async (connect: Promise<McpServer>, field: string) => {
    const error = await assertRejects(() => connect, InvalidRequestError);
    assertEquals(error.field, field);
    assert(!JSON.stringify([error.message, error.value]).includes(secret));
  };
  const http = (options: unknown) => connectMcpHttp(JSON.parse(JSON.stringify(options)));
  const stdio = (options: unknown) => connectMcpStdio(JSON.parse(JSON.stringify(options)));
  const url = "http://127.0.0.1:1/mcp";
  await refused(http({ url: `ftp://${secret}` }), "url");
  await refused(http({ url: `http://user:${secret}@example.com` }), "url");
  await refused(http({ url, headers: { "a b": secret } }), "headers.a b");
  await refused(http({ url, headers: [secret] }), "headers");
  await refused(http({ url, header: { authorization: secret } }), "header");
  await refused(http({ url, protocolVersion: "2020-01-01" }), "protocolVersion");
  await refused(http({ url, callTimeoutMs: 0 }), "callTimeoutMs");
  await refused(http({ url, connectTimeoutMs: 0.5 }), "connectTimeoutMs");
  await refused(stdio({ command: "sh", env: [secret] }), "env");
  await refused(stdio({ command: "sh", env: { A: 5 } }), "env");
  await refused(stdio({ command: "sh", env: {}, args: [5] }), "args");
  await refused(stdio({ command: "sh", env: {}, environment: { A: secret } }), "environment");
});

Deno.test("connectMcpHttp() lets no secret into any text, however the server repeats it", async () => {
  const authorization = "Bearer sk/0123456789";
  const leak = `I know ${authorization} and also sk%2F0123456789`;
  const hidden = (text: string) => assert(!/0123456789/.test(text), text);
  await using refusing = mcpHttpServer(() => new Response(leak, { status: 500 }));
  const url = `${refusing.url}?api_key=key-9876543210`;
  const error = await assertRejects(
    () => connectMcpHttp({ url, headers: { authorization } }),
    EnvironmentError,
  );
  hidden(error.message);
  assert(!error.message.includes("9876543210"), error.message);

  const answers: JsonObject[] = [
    textResult(leak),
    { code: -32602, message: leak },
    { code: -32000, message: leak },
  ];
  const leaky = [{ ...named("leaky"), description: leak }, named("echo")];
  await using remote = mcpHttpServer(jsonSide((asked) => {
    if (asked.method === "tools/list") return { tools: leaky };
    if (asked.method === "tools/call") return answers.shift() ?? {};
    const answer = modernAnswer(asked);
    return asked.method === "server/discover" ? { ...answer, instructions: leak } : answer;
  }));
  await using server = await connectMcpHttp({ url: remote.url, headers: { authorization } });
  assertEquals(server.rejected, [
    { name: "leaky", reason: "it repeats a secret that the server was given" },
  ]);
  hidden(server.instructions ?? "");
  const executor = ToolRegistry.of(server.tools()).executor();
  while (answers.length > 0) {
    const action = { tool: "echo", arguments: { text: "" } };
    hidden((await executor.execute({ action, ...callOf() })).observation);
  }
});
