import { assertEquals, assertStringIncludes } from "@std/assert";

const ROOT = new URL("../../", import.meta.url);
const EXAMPLE = new URL("examples/recorded/replay_test.ts", ROOT);

async function tested(path: string): Promise<{ readonly code: number; readonly out: string }> {
  const { code, stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      "test",
      "--no-prompt",
      "--no-lock",
      "--no-check",
      "--config",
      `${ROOT.pathname}deno.json`,
      "--allow-read",
      path,
    ],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
  }).output();
  return { code, out: new TextDecoder().decode(stdout) };
}

Deno.test("examples/recorded/replay_test.ts passes, and fails with the place where its agent is changed by one character", async () => {
  assertEquals((await tested(EXAMPLE.pathname)).code, 0);
  const source = await Deno.readTextFile(EXAMPLE);
  const dir = await Deno.makeTempDir();
  try {
    const log = "area.jsonl";
    await Deno.copyFile(new URL(log, EXAMPLE), `${dir}/${log}`);
    for (
      const [was, is, place] of [
        ["6 by 7 m?", "6 by 8 m?", 'prompt is another at step 0, "messages[0].content[0].text"'],
        ["a * b", "a + b", 'result is another at step 0, "actions[0].observation"'],
      ] as const
    ) {
      await Deno.writeTextFile(`${dir}/replay_test.ts`, source.replace(was, is));
      const { code, out } = await tested(`${dir}/replay_test.ts`);
      assertEquals(code, 1);
      assertStringIncludes(out, place);
    }
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
