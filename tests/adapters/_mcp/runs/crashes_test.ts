import { assert, assertEquals } from "@std/assert";
import { jsonActionInterpreter } from "../../../../adapters/json_action_interpreter.ts";
import { connectMcpHttp } from "../../../../adapters/mcp_tools.ts";
import { scriptedModel } from "../../../../adapters/scripted_model.ts";
import { defineAgent, type ReplayPolicy } from "../../../../mod.ts";
import { memoryStore } from "../../../../stores/memory.ts";
import { exploreCrashes } from "../../../contract/mod.ts";
import { jsonSide, mcpHttpServer } from "../mcp_http_server.ts";
import { modernAnswer } from "../mcp_sides.ts";
import { runWith } from "./mcp_run.ts";

/** What is found when a run that calls `echo` is crashed at every point; a call has an effect, each time it is made. */
async function findings(replay: ReplayPolicy): Promise<readonly unknown[]> {
  let effects: string[] = [];
  await using remote = mcpHttpServer(jsonSide((asked) => {
    if (asked.method === "tools/call") effects.push("called");
    return modernAnswer(asked);
  }));
  await using server = await connectMcpHttp({ url: remote.url });
  const model = scriptedModel(({ messages }) =>
    messages.length === 1 ? '{"tool": "echo", "arguments": {"text": "hi"}}' : '{"final_answer": 1}'
  );
  const interpreter = jsonActionInterpreter();
  const explored = await exploreCrashes({
    makeStore: memoryStore,
    makeWorld: () => effects = [],
    effects: (world: readonly string[]) => world,
    agent: (store) => defineAgent({ model, interpreter, store }),
    request: () => runWith(server.tools({ replay })),
  });
  return explored.findings;
}

Deno.test("a call of a server has its effect once at most, wherever the run crashes, unless it may be replayed", async () => {
  assertEquals(await findings("never"), []);
  assert((await findings("replayable")).length > 0);
});
