import {
  connectMcpStdio,
  type McpServer,
  type McpStdioOptions,
} from "../../../../adapters/mcp_tools.ts";
import { ToolRegistry } from "../../../../mod.ts";
import type { ActionOutcome } from "../../../../types/mod.ts";
import { callOf } from "../mcp_sides.ts";

const PATH = Deno.env.get("PATH") ?? "";

/** Starts a server with a fault, and connects to it. */
export async function faulty(
  fault: string,
  era: "modern" | "legacy" = "modern",
  options: Partial<McpStdioOptions> = {},
): Promise<McpServer> {
  const program = new URL("fault_server.ts", import.meta.url).pathname;
  return await connectMcpStdio({
    command: Deno.execPath(),
    args: ["run", "--quiet", "--no-lock", "--no-check", "-A", program, fault, era],
    ...options,
    env: { PATH, NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1", ...options.env },
  });
}

/** Connects to a server that is a script of the shell. */
export async function scripted(
  script: string,
  options: Partial<McpStdioOptions> = {},
): Promise<McpServer> {
  return await connectMcpStdio({ command: "sh", args: ["-c", script], env: {}, ...options });
}

/** Calls `echo`. */
export async function call(
  server: McpServer,
  signal: AbortSignal = new AbortController().signal,
): Promise<ActionOutcome & { readonly effect?: "unknown" }> {
  return await ToolRegistry.of(server.tools()).executor().execute({
    action: { tool: "echo", arguments: { text: "hi" } },
    ...callOf(signal),
  });
}

/** Resolves with the first line on stderr that begins so, once it is there. */
export function stderrLine(): {
  readonly onStderr: (text: string) => void;
  readonly line: (start: string) => Promise<string>;
} {
  let said = "";
  let changed = Promise.withResolvers<void>();
  return {
    onStderr(text) {
      said += text;
      changed.resolve();
      changed = Promise.withResolvers();
    },
    async line(start) {
      for (;;) {
        const found = said.split("\n").slice(0, -1).find((line) => line.startsWith(start));
        if (found !== undefined) return found;
        await changed.promise;
      }
    },
  };
}
