/**
 * The client that the official suite runs: it does with a server what a scenario asks for. The suite gives the address
 * as the last argument, and the scenario in the environment.
 *
 * @module
 */
import {
  connectMcpHttp,
  type McpInputRequest,
  type McpServer,
} from "../../../../adapters/mcp_tools.ts";
import { isJsonObject, type JsonObject } from "../../../../types/mod.ts";

const SCENARIO = Deno.env.get("MCP_CONFORMANCE_SCENARIO") ?? "";
const { toolCalls = [] } = JSON.parse(Deno.env.get("MCP_CONFORMANCE_CONTEXT") ?? "{}");
const protocolVersion = Deno.env.get("MCP_CONFORMANCE_PROTOCOL_VERSION");

let calls = 0;

/** Calls a tool as a registry would, which has checked the arguments. */
async function call(server: McpServer, name: string, args: JsonObject): Promise<void> {
  const tool = server.tools().find((each) => each.name === name);
  if (tool === undefined) throw new Error(`there is no tool ${name}`);
  const { signal } = new AbortController();
  await tool.execute(args, { actionId: `conformance/s${calls++}_a0`, attempt: 1, signal });
}

/** Fills a form in with its defaults. */
function defaultsOf({ requestedSchema: { properties } }: McpInputRequest): JsonObject {
  const fields = isJsonObject(properties) ? Object.entries(properties) : [];
  return Object.fromEntries(
    fields.flatMap(([key, field]) =>
      isJsonObject(field) && field.default !== undefined ? [[key, field.default]] : []
    ),
  );
}

/** What each scenario asks for, but for those of which every tool is called without arguments. */
const CALLS: Readonly<Record<string, (server: McpServer) => readonly [string, JsonObject][]>> = {
  tools_call: () => [["add_numbers", { a: 5, b: 3 }]],
  "http-custom-headers": () =>
    toolCalls.map((
      { name, arguments: args }: { name: string; arguments: JsonObject },
    ) => [name, args]),
  "json-schema-ref-no-deref": () => [],
  "json-schema-2020-12-preservation": (server) => {
    const [tool] = server.tools({ only: ["json_schema_2020_12_tool"] });
    return [["json_schema_echo", { schema: tool?.parameters ?? {} }]];
  },
};

await using server = await connectMcpHttp({
  url: Deno.args.at(-1) ?? "",
  ...(protocolVersion === undefined ? {} : { protocolVersion }),
  answerInput: (request) => ({
    action: "accept",
    content: { confirmed: true, ...defaultsOf(request) },
  }),
});
const wanted = CALLS[SCENARIO]?.(server) ??
  server.tools().map(({ name }): [string, JsonObject] => [name, {}]);
for (const [name, args] of wanted) await call(server, name, args);
