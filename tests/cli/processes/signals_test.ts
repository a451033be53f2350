import { assertEquals, assertStringIncludes } from "@std/assert";
import { inTempFolder } from "../../stores/drivers/temp_folder.ts";
import { IS_WHOLE } from "../../tasks/fuzz_rounds.ts";
import { commandLine, commandProcess } from "../command_line.ts";

const ROOT = new URL("../../../", import.meta.url).href;

/** A run whose first call never ends: at each moment that has a signal its process sends that to itself. */
const MODULE = `
import { defineAgent, defineRun, textMessage } from "${ROOT}mod.ts";
import { jsonlStore } from "${ROOT}stores/jsonl.ts";
function signal(moment) {
  const name = Deno.env.get(moment);
  if (name !== undefined) Deno.kill(Deno.pid, name);
  return name !== undefined;
}
const model = {
  call: async ({ callId, draining }) => {
    if (!callId.endsWith("s0")) return { text: "answer" };
    draining.addEventListener("abort", () => signal("DRAINING"));
    if (signal("CALL")) await new Promise(() => {});
    return { text: "answer" };
  },
  parameters: () => ({}),
};
const interpreter = {
  interpret: ({ text }) => ({ decision: { kind: "final_answer", answer: text }, historyText: text }),
  parameters: () => ({}),
};
export const agent = defineAgent({ model, interpreter, store: jsonlStore({ dir: import.meta.dirname + "/.polyloop" }) });
export const request = defineRun({
  runId: "r",
  budget: { maxSteps: 3, maxModelCalls: 3, maxPromptChars: 999, maxConsecutiveFailures: 2 },
  cancelGraceMs: 60_000,
  executor: { execute: () => Promise.reject(new Error("none")), parameters: () => ({}) },
  context: { runLevel: [], goalLevel: [textMessage("user", "Go on.")] },
});
export async function close() {
  if (signal("CLOSE")) await new Promise((resolve) => setTimeout(resolve, 500));
}
`;

const CODES = { SIGINT: 130, SIGTERM: 143 } as const;

type Signal = keyof typeof CODES;

/** The second signal is the first one again, or the other one. */
const SIGNALS: readonly (readonly [first: Signal, second: Signal])[] = [
  ["SIGINT", "SIGINT"],
  ["SIGTERM", "SIGINT"],
  ...(IS_WHOLE ? [["SIGINT", "SIGTERM"], ["SIGTERM", "SIGTERM"]] as const : []),
];

for (const [first, second] of SIGNALS) {
  Deno.test(`a second signal ends a process at once: ${first}, then ${second}`, async () => {
    await inTempFolder(async (dir) => {
      const agent = `${dir}/agent.ts`;
      await Deno.writeTextFile(agent, MODULE);
      const ended = await commandProcess(["run", agent], { CALL: first, DRAINING: second });
      assertEquals([ended.code, ended.out], [CODES[second], ""]);
      assertStringIncludes(
        ended.err,
        "interrupted: suspending the run; once more to end at once",
      );
      assertEquals(ended.err.includes("go on with"), false, ended.err);
      const resumed = await commandLine("resume", agent);
      assertEquals([resumed.code, resumed.out], [0, "answer\n"]);
    });
  });
}

for (const signal of IS_WHOLE ? ["SIGINT", "SIGTERM"] as const : ["SIGTERM"] as const) {
  Deno.test(`a process that gets ${signal} once its run is over ends, and suspends nothing`, async () => {
    await inTempFolder(async (dir) => {
      await Deno.writeTextFile(`${dir}/agent.ts`, MODULE);
      const ended = await commandProcess(["run", `${dir}/agent.ts`], { CLOSE: signal });
      assertEquals([ended.code, ended.out], [CODES[signal], "answer\n"]);
      assertEquals(ended.err.includes("suspending"), false, ended.err);
    });
  });
}
