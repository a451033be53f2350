import { assertEquals } from "@std/assert";
import { startServerProcess } from "../../../../adapters/_mcp/transports/server_process.ts";
import { isAlive, until } from "../../attacks/driver_process.ts";
import { stderrLine } from "./stdio_side.ts";

Deno.test({
  name: "stop() ends a server that does not want to, and what it started",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const { onStderr, line } = stderrLine();
    const script = `trap '' TERM; sleep 1000 & echo "pid $!" >&2; while :; do sleep 1; done`;
    const command = { command: "sh", args: ["-c", script], env: {}, cwd: "/", onStderr };
    const server = startServerProcess(command, 50);
    const output = Array.fromAsync(server.output());
    const pid = Number((await line("pid ")).slice(4));
    await server.stop();
    await server.stop();
    await until(() => !isAlive(pid));
    await output;
    assertEquals((await server.end()).split(",")[0], "the server was ended by SIGKILL");
  },
});
