import { assertEquals } from "@std/assert";
import { legacyAnswer, modernAnswer } from "./mcp_sides.ts";
import { jsonSide, mcpHttpServer } from "./mcp_http_server.ts";

Deno.test("connectMcpHttp() works on Node, too, where it is there; connectMcpStdio() says that it does not", async () => {
  const program = new URL("node_program.ts", import.meta.url).pathname;
  const bundle = await output(Deno.execPath(), ["bundle", "--quiet", "--no-lock", program]);
  if (!bundle) return; // no bundler within reach
  await using modern = mcpHttpServer(jsonSide(modernAnswer));
  await using legacy = mcpHttpServer(jsonSide(legacyAnswer));
  const urls = JSON.stringify([modern.url, legacy.url]);
  const source = `globalThis.MCP_URLS = ${urls};\n${bundle}`;
  const printed = await output("node", ["--input-type=module"], source);
  if (printed === undefined) return;
  assertEquals(JSON.parse(printed), ["from afar", "from afar", {
    name: "EnvironmentError",
    message:
      'Cannot connect to the MCP server "sh" as a server can be started as a process on Deno alone: reach it over HTTP',
  }]);
});

/** What a program prints; nothing if it fails. Absent: there is no such program. */
async function output(program: string, args: string[], stdin = ""): Promise<string | undefined> {
  try {
    const child = new Deno.Command(program, {
      args,
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(stdin));
    await writer.close();
    const { success, stdout } = await child.output();
    return success ? new TextDecoder().decode(stdout) : "";
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
