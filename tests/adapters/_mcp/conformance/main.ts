/**
 * Holds the MCP client against what others wrote: `deno task conformance-mcp`. Each client scenario of the official
 * suite, in each revision that it is for, but for authorisation and extensions; the reference servers, and a server of the
 * official SDK. It needs npm and Node; where npm does not answer it says so and does nothing.
 *
 * @module
 */
import { say } from "../../../tasks/say.ts";
import { fetchPackages } from "./npm_packages.ts";
import { realServers, tryServer } from "./real_servers.ts";
import { runScenarios } from "./scenarios.ts";

const packages = await fetchPackages();
if (packages === undefined) {
  say("npm does not answer: the official suite and the servers of others were not tried");
  Deno.exit();
}
const { passed, checks, failures } = await runScenarios(packages, say);
say(`official suite: ${passed} scenarios pass (${checks} checks), ${failures.length} fail`);
const broken: string[] = [];
let tried = 0;
for (const server of await realServers(packages)) {
  const name = `${server.name} over ${server.http ? "HTTP" : "stdio"} (${server.protocolVersion})`;
  try {
    const ways = await tryServer(server);
    tried += ways.length;
    say(`${name}: ${ways.join(", ")}`);
  } catch (error) {
    say(`${name}: FAILED`);
    broken.push(`${name}: ${error instanceof Error ? error.stack : error}`);
  }
}
say(`servers: ${tried} ways pass, ${broken.length} servers fail`);
for (const failure of [...failures, ...broken]) say(failure);
Deno.exit(failures.length + broken.length === 0 ? 0 : 1);
