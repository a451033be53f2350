/** Calls the tool `echo` of the MCP server whose address it is given. */
import assert from "node:assert/strict";
import process from "node:process";
import { ToolRegistry } from "@polyloop/polyloop";
import { connectMcpHttp } from "@polyloop/polyloop/adapters/mcp-tools";

const server = await connectMcpHttp({ url: process.argv[2] ?? "" });
const { observation } = await ToolRegistry.of(server.tools()).executor().execute({
  action: { tool: "echo", arguments: { text: "from afar" } },
  actionId: "r/s0_a0",
  attempt: 1,
  signal: new AbortController().signal,
});
await server.close();
assert.equal(observation, "from afar");
process.stdout.write("a tool of an MCP server over HTTP\n");
