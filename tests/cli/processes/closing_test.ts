import { assertEquals } from "@std/assert";
import { inTempFolder } from "../../stores/drivers/temp_folder.ts";
import { commandLine } from "../command_line.ts";

const ROOT = new URL("../../../", import.meta.url).href;

const MODULE = `
import { defineAgent, defineRun, textMessage } from "${ROOT}mod.ts";
import { scriptedModel } from "${ROOT}adapters/scripted_model.ts";
import { jsonlStore } from "${ROOT}stores/jsonl.ts";
const interpreter = {
  interpret: ({ text }) => ({ decision: { kind: "final_answer", answer: text }, historyText: text }),
  parameters: () => ({}),
};
const store = jsonlStore({ dir: ".polyloop" });
export const agent = defineAgent({ model: scriptedModel(["answer"]), interpreter, store });
export const request = defineRun({
  runId: "r",
  budget: { maxSteps: 3, maxModelCalls: 3, maxPromptChars: 999, maxConsecutiveFailures: 1 },
  executor: { execute: () => Promise.reject(new Error("none")), parameters: () => ({}) },
  context: { runLevel: [], goalLevel: [textMessage("user", "Go on.")] },
});
export async function close() {
  Deno.kill(Deno.pid, Deno.env.get("SIGNAL"));
  await new Promise((resolve) => setTimeout(resolve, 500));
}
`;

for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143]] as const) {
  Deno.test(`a process that gets ${signal} once its run is over ends, and suspends nothing`, async () => {
    await inTempFolder(async (dir) => {
      await Deno.writeTextFile(`${dir}/agent.ts`, MODULE);
      const ended = await commandLine(["run", "agent.ts"], { SIGNAL: signal }, dir);
      assertEquals([ended.code, ended.out], [code, "answer\n"]);
      assertEquals(ended.err.includes("suspending"), false, ended.err);
    });
  });
}
