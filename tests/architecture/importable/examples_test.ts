import { assert, assertMatch } from "@std/assert";

const ROOT = new URL("../../../", import.meta.url);
const COMMAND = /^\/\/ deno run ((?:--[\w-]+(?:=\S+)? )*)(examples\/\w+\.ts)$/;

for await (const { name } of Deno.readDir(new URL("examples/", ROOT))) {
  if (!name.endsWith(".ts")) continue;
  Deno.test(`examples/${name} runs as its first line says, with the permissions named there`, async () => {
    const source = await Deno.readTextFile(new URL(`examples/${name}`, ROOT));
    const first = source.split("\n")[0]!;
    assertMatch(first, COMMAND);
    const [, flags, path] = COMMAND.exec(first)!;
    assert(path === `examples/${name}`, `the first line names ${path}`);
    assert(!flags!.includes("--allow-all"), "the first line allows everything");
    const args = [...flags!.trim().split(" ").filter(Boolean), path!];
    const serving = args.some((arg) => /:\d+$/.test(arg));
    const process = new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "--no-prompt"],
        // A server that waits takes the port as an argument: the one in its first line may be taken.
        ...serving ? [...args.map((arg) => arg.replace(/:\d+$/, ":0")), "0"] : args,
      ],
      cwd: ROOT,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
      env: { NO_COLOR: "1" },
    }).spawn();
    let complaints = "";
    let listens = false;
    for await (const text of process.stderr.pipeThrough(new TextDecoderStream())) {
      complaints += text;
      if (!serving || listens || !complaints.includes("Listening on ")) continue;
      listens = true;
      process.kill();
    }
    const { success } = await process.status;
    assert(serving ? listens : success, complaints);
  });
}
