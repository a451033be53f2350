/** Calls a tool of some servers over HTTP and tries to start a server, and prints what came of both: for platforms without Deno. */
import { connectMcpHttp, connectMcpStdio } from "../../../adapters/mcp_tools.ts";
import { ToolRegistry } from "../../../mod.ts";
import { errorInfo } from "../../../types/mod.ts";
import { callOf } from "./mcp_sides.ts";

const said: string[] = [];
for (const url of Reflect.get(globalThis, "MCP_URLS") as readonly string[]) {
  const server = await connectMcpHttp({ url });
  const { observation } = await ToolRegistry.of(server.tools()).executor().execute({
    action: { tool: "echo", arguments: { text: "from afar" } },
    ...callOf(),
  });
  said.push(observation);
  await server.close();
}
const refused = await connectMcpStdio({ command: "sh", env: {} }).catch(errorInfo);
// deno-lint-ignore no-console
console.log(JSON.stringify([...said, refused]));
