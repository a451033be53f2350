import { assertEquals, assertStringIncludes } from "@std/assert";

const ROOT = new URL("../../", import.meta.url);
const EXAMPLE = new URL("examples/recorded/replay_test.ts", ROOT);

/** Changes of one character, and the place that is named then. */
const CHANGES = [
  ["6 by 7 m?", "6 by 8 m?", 'prompt is another at step 0, "messages[0].content[0].text"'],
  ["a * b", "a + b", 'result is another at step 0, "actions[0].observation"'],
] as const;

Deno.test("examples/recorded/replay_test.ts passes, and fails with the place where its agent is changed by one character", async () => {
  const source = await Deno.readTextFile(EXAMPLE);
  const dir = await Deno.makeTempDir();
  try {
    const changed: string[] = [];
    for (const [was, is] of CHANGES) {
      const folder = `${dir}/${changed.length}`;
      await Deno.mkdir(folder);
      await Deno.copyFile(new URL("area.jsonl", EXAMPLE), `${folder}/area.jsonl`);
      await Deno.writeTextFile(`${folder}/replay_test.ts`, source.replace(was, is));
      changed.push(`${folder}/replay_test.ts`);
    }
    const { code, stdout } = await new Deno.Command(Deno.execPath(), {
      args: [
        "test",
        "--no-prompt",
        "--no-lock",
        "--no-check",
        "--config",
        `${ROOT.pathname}deno.json`,
        "--allow-read",
        EXAMPLE.pathname,
        ...changed,
      ],
      cwd: ROOT,
      env: { NO_COLOR: "1" },
    }).output();
    const out = new TextDecoder().decode(stdout);
    assertEquals(code, 1);
    for (const [, , place] of CHANGES) assertStringIncludes(out, place);
    assertStringIncludes(out, "\nFAILED | 1 passed | 2 failed ");
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
