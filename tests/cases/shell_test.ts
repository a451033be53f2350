import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type ActionRecord, defineAgent, defineRun, run, textMessage } from "../../mod.ts";
import { codeFenceInterpreter } from "../../adapters/code_fence_interpreter.ts";
import { scriptedModel } from "../../adapters/scripted_model.ts";
import { shellExecutor } from "../../adapters/shell_executor.ts";
import { memoryStore } from "../../stores/memory.ts";
import { AMPLE } from "../session/world.ts";

/** What becomes of a code block that a model answers with. */
async function actionOf(language: string, code: string): Promise<ActionRecord | undefined> {
  await using executor = shellExecutor({
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    timeoutMs: 60_000,
    maxOutputChars: 2_000,
  });
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
