import { assertEquals } from "@std/assert";
import { serverTest } from "../stores/postgres/server.ts";

const ROOT = new URL("../../", import.meta.url);

serverTest("is what worker_pool.ts kills two of four processes over", async (server) => {
  const source = await Deno.readTextFile(new URL("examples/worker_pool.ts", ROOT));
  const [run, ...args] = source.split("\n")[0]!.replace("// deno ", "").split(" ");
  assertEquals([run, args.at(-1)], ["run", "examples/worker_pool.ts"]);
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--no-lock", ...args],
    cwd: ROOT,
    env: { NO_COLOR: "1", DATABASE_URL: server.url },
  }).output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assertEquals(code, 0, err);
  assertEquals(out!.trimEnd().split("\n"), [
    "2 of 4 processes were killed",
    "200 runs finished",
    "400 letters sent, 400 different ones",
  ]);
});
