import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { connectMcpStdio } from "../../../../adapters/mcp_tools.ts";
import { EnvironmentError, InvalidRequestError } from "../../../../types/mod.ts";
import { call, faulty, scripted, stderrLine } from "./stdio_side.ts";

for (const era of ["modern", "legacy"] as const) {
  Deno.test(`connectMcpStdio() finds that a server is ${era}, and calls its tools`, async () => {
    await using server = await faulty("none", era);
    assertEquals(server.protocolVersion, era === "modern" ? "2026-07-28" : "2025-11-25");
    const { status, failed, observation } = await call(server);
    assertEquals([status, failed, observation], ["executed", false, "hi"]);
  });

  Deno.test(`a call of a ${era} server over stdio is cancelled by a notification`, async () => {
    const { onStderr, line } = stderrLine();
    await using server = await faulty("silent", era, { onStderr, callTimeoutMs: 30 });
    const outcome = await call(server);
    assertStringIncludes(outcome.observation, "it took longer than 30 ms");
    assertEquals(outcome.effect, "unknown");
    const cancelled = JSON.parse((await line("cancelled")).slice("cancelled ".length));
    assertEquals(cancelled.params, { requestId: era === "modern" ? 3 : 4 });
    const reason = new Error("stop");
    assert(await call(server, AbortSignal.abort(reason)).catch((error) => error) === reason);
  });
}

Deno.test("connectMcpStdio() skips noise, and what a listener for stderr throws", async () => {
  let heard = "";
  await using server = await faulty("noise", "legacy", {
    onStderr(text) {
      heard += text;
      throw new Error("the listener is broken");
    },
  });
  assertEquals((await call(server)).observation, "hi");
  assertStringIncludes(heard, "noise");
});

Deno.test("connectMcpStdio() opens by a handshake what does not answer a question of the other era", async () => {
  await using server = await scripted(
    `read -r discover; read -r handshake
    echo '{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-11-25"}}'
    read -r initialized; read -r list; echo '{"jsonrpc":"2.0","id":3,"result":{"tools":[]}}'; read -r end`,
    { connectTimeoutMs: 2_000 },
  );
  assertEquals(server.protocolVersion, "2025-11-25");
});

Deno.test("connectMcpStdio() takes the late answer of a modern server that refuses the handshake", async () => {
  await using server = await scripted(
    `read -r discover; read -r handshake
    echo '{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"]}}'
    echo '{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no"}}'
    read -r list; echo '{"jsonrpc":"2.0","id":3,"result":{"tools":[]}}'; read -r end`,
    { connectTimeoutMs: 2_000 },
  );
  assertEquals(server.protocolVersion, "2026-07-28");
});

Deno.test("connectMcpStdio() gives up on a server that is mute, and cancels all but the handshake", async () => {
  let said = "";
  const onStderr = (text: string) => {
    said += text;
  };
  await assertRejects(
    () => faulty("mute", "legacy", { connectTimeoutMs: 400, onStderr }),
    EnvironmentError,
    "it took longer than 400 ms",
  );
  assertStringIncludes(said, '"requestId":1');
  assert(!said.includes('"requestId":2'), said);
});

Deno.test("a call ignores answers to nothing, and takes the first of two", async () => {
  await using server = await faulty("wrong-ids");
  assertEquals((await call(server)).observation, "mine");
  assertEquals((await call(server)).observation, "mine");
});

Deno.test("a server that dies in a call leaves it in doubt, and the next one is not sent", async () => {
  const API_TOKEN = "sk-secret-0123456789";
  await using server = await faulty("dies", "modern", { env: { API_TOKEN } });
  const first = await call(server);
  assertEquals([first.status, first.effect], ["environment_failed", "unknown"]);
  assertEquals(
    first.observation,
    '(The tool echo gave no result, as the server ended with exit code 3, and wrote to stderr: "fatal: the token [hidden] is not valid". Nobody knows whether it took effect.)',
  );
  const second = await call(server);
  assertEquals([second.status, second.effect], ["environment_failed", undefined]);
  assertStringIncludes(second.observation, "(The tool echo was not called, as the server ended");
});

Deno.test("a server that only closes its output is ended", async () => {
  await using server = await scripted(
    `read -r discover
    echo '{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"]}}'
    read -r list
    echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"echo","inputSchema":{}}]}}'
    read -r call; exec >&-; read -r end`,
  );
  const { observation, effect } = await call(server);
  assertStringIncludes(observation, "the server was ended by SIGKILL");
  assertEquals(effect, "unknown");
});

Deno.test("a line of 100 MB ends the server at the limit", async () => {
  await using server = await faulty("long-line");
  const before = Deno.memoryUsage().rss;
  const { observation, effect } = await call(server);
  assertStringIncludes(observation, "it wrote a line of more than 8388608 bytes");
  assertEquals(effect, "unknown");
  assert(Deno.memoryUsage().rss - before < 80_000_000);
});

Deno.test("a server of the legacy era that pings without end gets its answers, and gives its own", async () => {
  const { onStderr, line } = stderrLine();
  await using legacy = await faulty("pings", "legacy", { onStderr });
  assertEquals((await call(legacy)).observation, "after the pings");
  assertEquals(JSON.parse((await line("answered")).slice("answered ".length)).result, {});
  const heard = stderrLine();
  await using modern = await faulty("pings", "modern", { onStderr: heard.onStderr });
  assertEquals((await call(modern)).observation, "after the pings");
});

Deno.test("a server has the environment that it is given, and no more; its secrets are hidden", async () => {
  const env = { API_TOKEN: "sk-secret-0123456789", PLAIN: "a plain value" };
  await using server = await faulty("environment", "modern", { env });
  const { observation } = await call(server);
  const { API_TOKEN, PLAIN, HOME } = JSON.parse(observation);
  assertEquals([API_TOKEN, PLAIN, HOME], ["[hidden]", "a plain value", undefined]);
});

Deno.test("close() leaves a call under way in doubt", async () => {
  const server = await faulty("silent");
  const outcome = call(server);
  await server.close();
  assertStringIncludes((await outcome).observation, "the connection is closed");
  assertEquals((await outcome).effect, "unknown");
});

Deno.test("connectMcpStdio() says why there is no server", async () => {
  const env = { SECRET: "sk-secret-0123456789" };
  const refused = (command: string, args: string[], reason: string, connectTimeoutMs = 10_000) =>
    assertRejects(
      () => connectMcpStdio({ command, args, env, connectTimeoutMs }),
      EnvironmentError,
      reason,
    );
  await refused(
    "/no/such/program",
    [],
    'server "/no/such/program" as it cannot be started: NotFound',
  );
  await refused("npx some-server", [], "; what follows the program goes into args");
  await refused("sh", ["-c", "exit 5"], "as the server ended with exit code 5");
  await refused(
    "sh",
    ["-c", "echo $SECRET >&2; kill -9 $$"],
    'SIGKILL, and wrote to stderr: "[hidden]"',
  );
  await refused("sh", ["-c", "cat >/dev/null"], "as it took longer than 60 ms", 60);
  await assertRejects(
    () => connectMcpStdio({ command: "sh", env: {}, cwd: "/no/such/folder" }),
    EnvironmentError,
  );
  await assertRejects(
    () => connectMcpStdio({ command: "", env: {} }),
    InvalidRequestError,
    "command",
  );
});
