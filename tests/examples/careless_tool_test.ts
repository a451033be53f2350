import { assertEquals } from "@std/assert";

const ROOT = new URL("../../", import.meta.url);

Deno.test("careless_tool.ts finds the crashes that send a letter twice, and none with a careful tool", async () => {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--no-lock", "examples/careless_tool.ts"],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
  }).output();
  assertEquals(new TextDecoder().decode(stdout).split("\n"), [
    "careless tool: 26 crashes, 2 findings",
    '  twice: "letter to Ada" after a crash when action one-letter/s0_a0 took effect and had not returned',
    '  twice: "letter to Ada" after a crash before write 3',
    "careful tool: 26 crashes, 0 findings",
    "",
  ]);
});
