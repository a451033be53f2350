import { assert, assertMatch } from "@std/assert";

const ROOT = new URL("../../", import.meta.url);
const COMMAND = /^\/\/ deno run ((?:--[\w-]+(?:=\S+)? )*)(examples\/\w+\.ts)$/;

for await (const { name } of Deno.readDir(new URL("examples/", ROOT))) {
  Deno.test(`examples/${name} runs as its first line says, with the permissions named there`, async () => {
    const source = await Deno.readTextFile(new URL(`examples/${name}`, ROOT));
    const first = source.split("\n")[0]!;
    assertMatch(first, COMMAND);
    const [, flags, path] = COMMAND.exec(first)!;
    assert(path === `examples/${name}`, `the first line names ${path}`);
    assert(!flags!.includes("--allow-all"), "the first line allows everything");
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-prompt", ...flags!.trim().split(" ").filter(Boolean), path!],
      cwd: ROOT,
      stdin: "null",
      env: { NO_COLOR: "1" },
    }).output();
    assert(success, new TextDecoder().decode(stderr));
  });
}
