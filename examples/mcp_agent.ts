// deno run --allow-run=npx,sh --allow-env=PATH,HOME examples/mcp_agent.ts
// deno-lint-ignore-file no-console
/** An agent with the tools of an MCP server: the reference server for files, which may read the examples alone. */
import { defineAgent, defineRun, run, textMessage, ToolRegistry } from "@polyloop/polyloop";
import { jsonActionInterpreter } from "@polyloop/polyloop/adapters/json-action-interpreter";
import { connectMcpStdio } from "@polyloop/polyloop/adapters/mcp-tools";
import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
import { memoryStore } from "@polyloop/polyloop/stores/memory";

await using files = await connectMcpStdio({
  command: "npx",
  args: ["--yes", "@modelcontextprotocol/server-filesystem@2026.8.31", "examples"],
  env: { PATH: Deno.env.get("PATH") ?? "", HOME: Deno.env.get("HOME") ?? "" },
  connectTimeoutMs: 120_000, // the first time npx fetches it
});
const only = ["list_directory", "read_text_file"];
const tools = ToolRegistry.of(files.tools({ prefix: "files_", only, replay: "hints" }));
const agent = defineAgent({
  model: scriptedModel([
    '{"tool": "files_list_directory", "arguments": {"path": "."}}',
    '{"tool": "files_read_text_file", "arguments": {"path": "README.md", "head": 1}}',
    '{"tool": "files_read_text_file", "arguments": {"path": "/etc/passwd"}}',
    '{"final_answer": "read"}',
  ]),
  interpreter: jsonActionInterpreter(),
  store: memoryStore(),
});
const request = defineRun({
  runId: "mcp",
  budget: { maxSteps: 5, maxModelCalls: 5, maxPromptChars: 20_000, maxConsecutiveFailures: 2 },
  tools,
  context: { runLevel: [], goalLevel: [textMessage("user", "What do the examples say?")] },
});
console.log(`${files.serverInfo?.name} speaks ${files.protocolVersion}: ${tools.names.join(", ")}`);
const { answer, steps } = await run(agent, request);
for (const action of steps.flatMap(({ actions }) => actions)) {
  const { status, observation } = action;
  const failed = "failed" in action && action.failed ? ", failed" : "";
  console.log(`${status}${failed}: ${observation.split("\n")[0]}`);
}
console.log(`answer: ${answer}`);
