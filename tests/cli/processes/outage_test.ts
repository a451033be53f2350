import { assertEquals, assertMatch } from "@std/assert";
import type { CommandOutput } from "../command_line.ts";
import { agentProject } from "./agent_project.ts";

/** What a model's server does with the calls that it gets, one after the other. */
type Weather = readonly ("reads" | "answers" | "rate-limits" | "is silent")[];

/** A server at a port, with its weather; it answers each call after that. */
function modelServer(port: number, weather: Weather): AsyncDisposable {
  let calls = 0;
  const silence = new AbortController();
  const server = Deno.serve({ hostname: "127.0.0.1", port, onListen() {} }, async (request) => {
    await request.json();
    switch (weather[calls++]) {
      case "rate-limits":
        return Response.json({ error: { message: "slow down, please" } }, { status: 429 });
      case "is silent":
        await new Promise<void>((resolve) =>
          silence.signal.addEventListener("abort", () => resolve())
        );
        return new Response(null, { status: 503 });
      case "reads":
        return replied({
          content: "",
          tool_calls: [{
            id: "call_1",
            type: "function",
            function: { name: "read_file", arguments: '{"name": "deno.json"}' },
          }],
        }, "tool_calls");
      default:
        return replied({ content: "It imports @polyloop/polyloop." }, "stop");
    }
  });
  return {
    async [Symbol.asyncDispose]() {
      silence.abort();
      await server.shutdown();
    },
  };
}

function replied(message: object, finish_reason: string): Response {
  return Response.json({
    model: "qwen3",
    choices: [{ finish_reason, message: { role: "assistant", ...message } }],
  });
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/** The guide's agent, with less patience than the guide's. */
function impatient(source: string): string {
  const changed = source
    .replace('model: "qwen3" }),', 'model: "qwen3", timeoutMs: 500 }),')
    .replace(
      /\n {2}\),\n {2}interpreter/,
      "\n  { maxAttempts: 2, baseDelayMs: 1 }),\n  interpreter",
    );
  assertMatch(changed, /timeoutMs: 500[^]*maxAttempts: 2/);
  return changed;
}

Deno.test("one run goes through a server that is down, up, rate-limited, silent and back, and tells of it", async () => {
  const port = freePort();
  await using project = await agentProject(`127.0.0.1:${port}`, impatient);
  const assertSuspended = ({ code, out, err }: CommandOutput, advice: RegExp) => {
    assertEquals([code, out], [1, ""], err);
    assertMatch(
      err,
      /\nsuspended as its model call failed: .*, and go on with: resume \S*agent\.ts\n/,
    );
    assertMatch(err, advice);
    assertMatch(err, /\nfailed: ModelCallError: [^\n]+\n$/);
  };
  const down = await project.start("run").ended;
  assertSuspended(down, /see that the server runs and can be reached/);
  await using _server = modelServer(port, [
    ...["reads", "rate-limits", "rate-limits"] as const,
    ...["is silent", "is silent"] as const,
    ...["rate-limits", "answers"] as const,
  ]);
  assertSuspended(await project.drive("resume"), /wait, or raise the account's limits/);
  assertSuspended(await project.drive("resume"), /see why the server takes so long/);
  const { code, out, err } = await project.drive("resume");
  assertEquals([code, out], [0, "It imports @polyloop/polyloop.\n"], err);

  const { steps, finished, counters } = await project.log();
  assertEquals(steps.map(({ outcome }) => outcome), ["acted", "final_answer"]);
  assertEquals([finished?.stopReason, counters.withdrawnCalls], ["final_answer", 3]);
  const { out: page } = await project.read("show", "imports-1");
  const story = [
    /^ +0 +acted /m,
    /^ +call 1 failed, and the run was suspended: ModelCallError: /m,
    /^ +s0_a0 read_file \{"name":"deno\.json"\} → executed: /m,
    /^ +1 +final_answer /m,
    /^ +call 1 failed, and the run was suspended: ModelCallError: .*slow down, please/m,
    /^ +call 2 failed, and the run was suspended: ModelCallError: .*500 ms/m,
    /^ +asked again after .*: ModelCallError: .*slow down, please/m,
    /^stopped +final_answer/m,
  ];
  let rest = page;
  for (const part of story) {
    assertMatch(rest, part, page);
    rest = rest.slice(rest.search(part) + 1);
  }
  assertEquals((await project.read("verify", "imports-1")).code, 0);
});
