import { assertEquals, assertMatch } from "@std/assert";

const ROOT = new URL("../../", import.meta.url);

/** Whether the server of the example is here, or can be fetched. */
async function hasServer(source: string): Promise<boolean> {
  const [name = ""] = /@modelcontextprotocol\/server-\w+@[\d.]+/.exec(source) ?? [];
  const args = ["--yes", "--package", name, "--", "node", "--version"];
  try {
    return (await new Deno.Command("npx", { args, stdout: "null", stderr: "null" }).output())
      .success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Runs the example with some permissions. */
async function runExample(flags: readonly string[]): Promise<Deno.CommandOutput> {
  return await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-prompt", "--no-lock", ...flags, "examples/mcp_agent.ts"],
    cwd: ROOT,
    stdin: "null",
    env: { NO_COLOR: "1" },
  }).output();
}

Deno.test("examples/mcp_agent.ts does what it says, with the permissions of its first line and none less", async () => {
  const source = await Deno.readTextFile(new URL("examples/mcp_agent.ts", ROOT));
  const [, line = ""] = /^\/\/ deno run (.*) examples\/mcp_agent\.ts$/m.exec(source) ?? [];
  const flags = line.split(" ");
  assertEquals(flags.length, 2);
  const [whole, ...fewer] = await Promise.all(
    [flags, ...flags.map((flag) => flags.filter((other) => other !== flag))].map(runExample),
  );
  if (whole?.success === false && !await hasServer(source)) return; // npm is out of reach
  const out = new TextDecoder().decode(whole?.stdout);
  assertMatch(
    out,
    /^secure-filesystem-server speaks .*: files_list_directory, files_read_text_file$/m,
  );
  assertMatch(
    out,
    /^executed: \[FILE\] \S+\nexecuted: # Examples\nexecuted, failed: Access denied/m,
  );
  assertMatch(out, /^answer: read$/m);
  assertEquals(
    fewer.map(({ success }) => success),
    [false, false],
    `one of ${flags} is not needed`,
  );
});
