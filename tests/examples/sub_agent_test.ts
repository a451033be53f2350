import { assertEquals } from "@std/assert";

const ROOT = new URL("../../", import.meta.url);

Deno.test("examples/sub_agent.ts resumes a child that was killed, through its parent, and does nothing twice", async () => {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--no-prompt", "--no-lock", "--allow-read=.", "--allow-write=.polyloop"],
      ...["--allow-run", "examples/sub_agent.ts"],
    ],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  assertEquals([code, decoder.decode(stderr)], [0, ""]);
  assertEquals(decoder.decode(stdout), "the child waits\nIt rains. Take one.\n");
});
