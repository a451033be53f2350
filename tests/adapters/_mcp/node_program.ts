/** Calls a tool over HTTP and tries to start a server, and prints what came of both: for platforms without Deno. */
import { connectMcpHttp, connectMcpStdio } from "../../../adapters/mcp_tools.ts";
import { ToolRegistry } from "../../../mod.ts";
import { errorInfo } from "../../../types/mod.ts";
import { callOf } from "./mcp_sides.ts";

const server = await connectMcpHttp({ url: String(Reflect.get(globalThis, "MCP_URL")) });
const { observation } = await ToolRegistry.of(server.tools()).executor().execute({
  action: { tool: "echo", arguments: { text: "from afar" } },
  ...callOf(),
});
await server.close();
const refused = await connectMcpStdio({ command: "sh", env: {} }).catch(errorInfo);
// deno-lint-ignore no-console
console.log(JSON.stringify([observation, refused]));
