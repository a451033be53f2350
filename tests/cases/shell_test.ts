import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type ActionRecord, defineAgent, defineRun, run, textMessage } from "../../mod.ts";
import { codeFenceInterpreter } from "../../adapters/code_fence_interpreter.ts";
import { jsonActionInterpreter } from "../../adapters/json_action_interpreter.ts";
import { nativeToolsInterpreter } from "../../adapters/native_tools_interpreter.ts";
import { scriptedModel, type ScriptedReply } from "../../adapters/scripted_model.ts";
import { shellExecutor } from "../../adapters/shell_executor.ts";
import { executorTool, ToolRegistry } from "../../logic/tools/mod.ts";
import type { DecisionInterpreter } from "../../ports/mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import type { JsonObject } from "../../types/mod.ts";
import { AMPLE } from "../session/world.ts";

const SHELL = {
  cwd: "/",
  env: { PATH: "/usr/bin:/bin" },
  timeoutMs: 60_000,
  maxOutputChars: 2_000,
};

/** What becomes of a code block that a model answers with. */
async function actionOf(language: string, code: string): Promise<ActionRecord | undefined> {
  await using executor = shellExecutor(SHELL);
  const { steps } = await run(
    defineAgent({
      model: scriptedModel(["```" + language + "\n" + code + "\n```", "done"]),
      interpreter: codeFenceInterpreter({
        languages: ["sh", "bash", "python"],
        finalAnswer: "text",
      }),
      store: memoryStore(),
    }),
    defineRun({
      runId: "shell",
      budget: AMPLE,
      executor,
      context: { runLevel: [], goalLevel: [textMessage("user", "go")] },
    }),
  );
  return steps[0]?.actions[0];
}

Deno.test("a code fence of a shell's language is run by that shell", async () => {
  assertEquals((await actionOf("sh", "echo hi"))?.observation, "hi\n[exit code 0]");
  assertEquals(
    (await actionOf("bash", "echo ${BASH_VERSION:+bash}"))?.observation,
    "bash\n[exit code 0]",
  );
  const python = await actionOf("python", "print(1)");
  assertEquals(python?.status, "not_executed");
  assertStringIncludes(python?.observation ?? "", "python");
  const failed = await actionOf("sh", "exit 3");
  assertEquals([failed?.status, failed?.observation], ["executed", "[exit code 3]"]);
});

Deno.test("the end of a long output is there, and what was written to stderr", async () => {
  const long = await actionOf("sh", "seq 1 5000; echo FAILED one; exit 1");
  assertMatch(
    long?.observation ?? "",
    /^1\n2\n[^]*\d+ more characters[^]*\nFAILED one\n\[exit code 1\]$/,
  );
  const bad = await actionOf("sh", "seq 1 5000; echo bad >&2; exit 2");
  assertMatch(bad?.observation ?? "", /\n5000\n\[stderr\]\nbad\n\[exit code 2\]$/);
});

Deno.test("of two long outputs both ends are there, and no character is cut in two", async () => {
  const command = "for i in $(seq 1 2000); do echo 🌊$i; echo 🔥$i >&2; done";
  const { observation = "" } = (await actionOf("sh", command)) ?? {};
  for (const [sign, label] of [["🌊", ""], ["🔥", "[stderr]\n"]]) {
    assertStringIncludes(observation, `${label}${sign}1\n${sign}2\n`);
    assertStringIncludes(observation, `\n${sign}1999\n${sign}2000\n`);
  }
  assertEquals(observation.isWellFormed(), true);
  assertEquals(observation.match(/\[\d+ more characters/g)?.length, 2);
});

/** What becomes of a shell's action that stands behind a tool, asked for as the interpreter reads it. */
async function toolActionOf(
  action: JsonObject,
  interpreter: DecisionInterpreter,
  reply: ScriptedReply,
): Promise<ActionRecord | undefined> {
  await using shell = shellExecutor(SHELL);
  const tools = ToolRegistry.of([executorTool(shell, {
    name: "shell",
    description: "Runs a command.",
    parameters: { type: "object" },
    action: (args) => args,
  })]);
  const { steps } = await run(
    defineAgent({ model: scriptedModel([reply]), interpreter, store: memoryStore() }),
    defineRun({
      runId: "shell",
      budget: { ...AMPLE, maxSteps: 1 },
      tools,
      context: { runLevel: [], goalLevel: [textMessage("user", JSON.stringify(action))] },
    }),
  );
  return steps[0]?.actions[0];
}

Deno.test("a shell behind a tool takes both forms of an action, in the JSON and the native protocol", async () => {
  const cases: [action: JsonObject, status: string, observation: RegExp, failed?: boolean][] = [
    [{ command: "echo hi" }, "executed", /^hi\n/, false],
    [{ code: "echo hi", language: "bash" }, "executed", /^hi\n/, false],
    [{ command: "exit 3" }, "executed", /exit code 3/, true],
    [{ code: "1", language: "python" }, "not_executed", /python/],
    [{ command: "sleep 9", background: true }, "not_executed", /a tool of its own/],
  ];
  for (const [action, status, observation, failed] of cases) {
    const records = [
      await toolActionOf(
        action,
        jsonActionInterpreter(),
        JSON.stringify({ tool: "shell", arguments: action }),
      ),
      await toolActionOf(action, nativeToolsInterpreter(), {
        toolCalls: [{ name: "shell", arguments: action }],
      }),
    ];
    for (const record of records) {
      assertEquals(record?.status, status);
      assertMatch(record?.observation ?? "", observation);
      if (record?.status === "executed") assertEquals(record.failed, failed);
    }
  }
});
