/** A server of the official SDK, as a program for Node: over stdio, or over HTTP at a port that it says on stderr. */
export const SDK_SERVER = `
import { createServer } from "node:http";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { toNodeHandler } from "@modelcontextprotocol/node";
import * as z from "zod";

const text = (text) => ({ content: [{ type: "text", text }] });

function make() {
  const server = new McpServer({ name: "sdk", version: "1" });
  const message = z.object({ message: z.string() });
  server.registerTool("echo", { inputSchema: message }, ({ message }) => text("Echo: " + message));
  server.registerTool("wait", { inputSchema: z.object({}) }, async (_, { mcpReq: { signal } }) => {
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, 60_000);
      signal.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      });
    });
    return text("waited");
  });
  return server;
}

if (process.argv[2] === "stdio") serveStdio(make);
else {
  createServer(toNodeHandler(createMcpHandler(make))).listen(process.env.PORT, "127.0.0.1", () => {
    console.error("listening");
  });
}
`;
