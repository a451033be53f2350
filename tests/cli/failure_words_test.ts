import { assertEquals, assertStringIncludes } from "@std/assert";
import { nativeToolsInterpreter } from "../../adapters/native_tools_interpreter.ts";
import { scriptedModel } from "../../adapters/scripted_model.ts";
import { reportEnd } from "../../cli/_driving/report_end.ts";
import { runPage } from "../../cli/_report/run_page.ts";
import { defineTool, ToolRegistry } from "../../logic/tools/mod.ts";
import { defineAgent, EnvironmentError, run } from "../../mod.ts";
import { readLog } from "../../session/mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import { requestOf } from "./made_runs.ts";

Deno.test("run and show name what broke the environment, not what was skipped for it", async () => {
  const execute = () => {
    throw new EnvironmentError("the disk is gone");
  };
  const parameters = { type: "object" } as const;
  const tools = ToolRegistry.of([
    defineTool({ name: "write", description: "Writes", parameters, execute }),
  ]);
  const toolCalls = ["a", "b"].map((id) => ({
    id,
    name: "write",
    arguments: {},
    rawArguments: "{}",
  }));
  const store = memoryStore();
  const agent = defineAgent({
    model: scriptedModel([{ text: "", toolCalls }]),
    interpreter: nativeToolsInterpreter(),
    store,
  });
  const budget = { maxSteps: 3, maxModelCalls: 3, maxPromptChars: 9999, maxConsecutiveFailures: 1 };
  const result = await run(agent, requestOf("r", { tools, executor: tools.executor(), budget }));
  assertEquals(result.steps[0]?.actions.map(({ status }) => status), [
    "environment_failed",
    "not_executed",
  ]);
  let complaints = "";
  const screen = { hasColor: false, isTerminal: false, columns: 160, print() {} };
  reportEnd(result, {
    ...screen,
    complain: (text) => void (complaints += `${text}\n`),
    ask: () => undefined,
  });
  assertStringIncludes(complaints, "\nfailed: EnvironmentError: the disk is gone\n");
  const page = runPage(readLog((await store.readRun("r"))!), screen);
  assertStringIncludes(page, "\nfailed   EnvironmentError: the disk is gone\n");
});
