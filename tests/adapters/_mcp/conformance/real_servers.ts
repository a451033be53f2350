/**
 * Servers that others wrote, each over its transports: listed, called, cancelled, timed out, killed and restarted.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "@std/assert";
import {
  connectMcpHttp,
  connectMcpStdio,
  type McpOptions,
  type McpServer,
} from "../../../../adapters/mcp_tools.ts";
import { ToolRegistry } from "../../../../mod.ts";
import type { ActionOutcome, JsonObject } from "../../../../types/mod.ts";
import { SDK_SERVER } from "./sdk_server.ts";

/** A call, and what its result looks like. */
interface SampleCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly shows: RegExp;
}

/** A server to try. */
export interface RealServer {
  readonly name: string;
  /** The program for Node and its arguments. */
  readonly program: readonly string[];
  /** Whether it is reached over HTTP, at a port that it takes from its environment, rather than over stdio. */
  readonly http: boolean;
  readonly protocolVersion: string;
  readonly quick: SampleCall;
  /** A call that takes long. Absent: it has none. */
  readonly slow?: Omit<SampleCall, "shows">;
}

/** A started server: how it is connected to, and how its process is killed. */
interface Started {
  connect(options?: McpOptions): Promise<McpServer>;
  kill(): void;
}

/** The servers, for packages in a folder that a server may read. */
export async function realServers(packages: string): Promise<readonly RealServer[]> {
  const sdk = `${packages}/node_modules/sdk_server.mjs`; // where it finds its packages, and no check of ours finds it
  await Deno.writeTextFile(sdk, SDK_SERVER);
  const reference = (name: string) =>
    `${packages}/node_modules/@modelcontextprotocol/server-${name}/dist/index.js`;
  const echo = { tool: "echo", args: { message: "hi" }, shows: /^Echo: hi$/ };
  const everything = {
    protocolVersion: "2025-11-25",
    quick: echo,
    slow: { tool: "trigger-long-running-operation", args: { duration: 30, steps: 2 } },
  };
  const modern = { protocolVersion: "2026-07-28", quick: echo, slow: { tool: "wait", args: {} } };
  return [
    { name: "everything", program: [reference("everything"), "stdio"], http: false, ...everything },
    {
      name: "everything",
      program: [reference("everything"), "streamableHttp"],
      http: true,
      ...everything,
    },
    {
      name: "filesystem",
      program: [reference("filesystem"), packages],
      http: false,
      protocolVersion: "2025-11-25",
      quick: {
        tool: "read_text_file",
        args: { path: `${packages}/package.json` },
        shows: /"private": ?true/,
      },
    },
    {
      name: "memory",
      program: [reference("memory")],
      http: false,
      protocolVersion: "2025-11-25",
      quick: { tool: "read_graph", args: {}, shows: /"entities"/ },
    },
    { name: "SDK", program: [sdk, "stdio"], http: false, ...modern },
    { name: "SDK", program: [sdk, "http"], http: true, ...modern },
  ];
}

/** Tries a server; gives what it was tried for. */
export async function tryServer(subject: RealServer): Promise<readonly string[]> {
  const { quick, slow } = subject;
  const tried: string[] = [];
  await using first = await start(subject);
  await using server = await first.connect();
  assertEquals(server.protocolVersion, subject.protocolVersion);
  assertEquals(server.rejected, []);
  assert(server.tools().length > 0);
  tried.push("listed");
  const works = async (server: McpServer) =>
    assertMatch((await call(server, quick)).observation, quick.shows);
  await works(server);
  tried.push("called");
  if (slow !== undefined) {
    const reason = new Error("the user pressed Ctrl-C");
    const controller = new AbortController();
    const cancelled = call(server, slow, controller.signal);
    await works(server); // the slow call is under way
    controller.abort(reason);
    assertEquals(await cancelled.catch((error) => error), reason);
    await works(server);
    tried.push("cancelled");
    await using hasty = await first.connect({ callTimeoutMs: 200 });
    assertEquals(Object(await call(hasty, slow)).effect, "unknown");
    await works(hasty);
    tried.push("timed out");
  }
  const pending = slow === undefined ? undefined : call(server, slow);
  if (slow !== undefined) await works(server);
  first.kill();
  const outcome = await (pending ?? call(server, quick));
  assertEquals(outcome.status, "environment_failed");
  if (pending !== undefined) assertEquals(Object(outcome).effect, "unknown");
  tried.push("killed");
  await using second = await start(subject);
  await using again = await second.connect();
  await works(again);
  tried.push("restarted");
  return tried;
}

async function call(
  server: McpServer,
  { tool, args }: Omit<SampleCall, "shows">,
  signal: AbortSignal = new AbortController().signal,
): Promise<ActionOutcome> {
  return await ToolRegistry.of(server.tools()).executor().execute({
    action: { tool, arguments: args },
    actionId: "real/s0_a0",
    attempt: 1,
    signal,
  });
}

async function start({ program, http }: RealServer): Promise<Started & AsyncDisposable> {
  const PATH = Deno.env.get("PATH") ?? "";
  return http ? await startHttp(program, PATH) : startStdio(program, PATH);
}

/** Each connection starts the server; the last one that did is killed. */
function startStdio(program: readonly string[], PATH: string): Started & AsyncDisposable {
  let pid: number | undefined;
  return {
    connect: (options = {}) =>
      connectMcpStdio({
        command: "sh",
        args: ["-c", 'echo "pid $$" >&2; exec node "$@"', "sh", ...program],
        env: { PATH },
        onStderr(text) {
          const [, found] = /pid (\d+)/.exec(text) ?? [];
          if (found !== undefined) pid ??= Number(found);
        },
        ...options,
      }),
    kill: () => Deno.kill(pid ?? NaN, "SIGKILL"),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

async function startHttp(
  program: readonly string[],
  PATH: string,
): Promise<Started & AsyncDisposable> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const child = new Deno.Command("node", {
    args: [...program],
    env: { PATH, PORT: String(port) },
    clearEnv: true,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const stderr = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  for (let said = ""; !/listening/.test(said);) {
    const { done, value } = await stderr.read();
    if (done) throw new Error(`the server ended: ${said}`);
    said += value;
  }
  const drained = (async () => {
    while (!(await stderr.read()).done);
  })();
  const kill = () => {
    try {
      child.kill("SIGKILL");
    } catch {
      // It was killed before.
    }
  };
  return {
    connect: (options = {}) => connectMcpHttp({ url: `http://127.0.0.1:${port}/mcp`, ...options }),
    kill,
    async [Symbol.asyncDispose]() {
      kill();
      await child.status;
      await drained;
    },
  };
}
