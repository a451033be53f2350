/**
 * Begins a run with the tools of the server at an address; the log is in a folder, and tools are replayed as the last
 * argument says.
 *
 * @module
 */
import { connectMcpHttp } from "../../../../adapters/mcp_tools.ts";
import { run } from "../../../../mod.ts";
import { callingAgent, killedRun } from "./mcp_run.ts";

const [dir = "", url = "", replay] = Deno.args;
await using server = await connectMcpHttp({ url });
await run(callingAgent(dir, ["echo"]), killedRun(server, replay === "hints" ? "hints" : "never"));
