import { assert, assertEquals, assertStringIncludes } from "@std/assert";

const ROOT = new URL("../../", import.meta.url);
const EXAMPLE = new URL("examples/context_builder.ts", ROOT);

Deno.test("context_builder.ts runs with the permissions that its first line names, and shows both sides of trust", async () => {
  const [firstLine] = (await Deno.readTextFile(EXAMPLE)).split("\n");
  const [run, ...args] = firstLine!.replace("// deno ", "").split(" ");
  assertEquals([run, args.at(-1)], ["run", "examples/context_builder.ts"]);
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--no-lock", ...args],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
  }).output();
  const [printed, complaints] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assert(success, complaints);
  const row = (id: string) => printed!.split("\n").find((line) => line.includes(`"${id}"`)) ?? "";
  assertStringIncludes(row("rules"), '"run[0] 27"');
  assertStringIncludes(row("memory 2"), '"duplicate"');
  assertStringIncludes(row("LICENSE"), '"included"');
  assertStringIncludes(row("talk"), '"included"');
  assertStringIncludes(row("test log"), '"trimmed"');
  assertStringIncludes(row("page"), '"untrusted"');
  const [, agreeing, sections] = /agrees with (\d+) of (\d+) sections/.exec(printed!) ?? [];
  assertEquals([agreeing, sections], ["10", "10"]);
  const [, byReport, byReceipt] = /size: report (\d+), receipt (\d+)/.exec(printed!) ?? [];
  assertEquals([byReport, Number(byReport) <= 12_000], [byReceipt, true]);
  assertStringIncludes(printed!, "wiki: source_failed (Error: wiki is away)\n");
  assertStringIncludes(printed!, "upload: not_executed (A text that nobody vouches for");
  assertStringIncludes(printed!, "answer: MIT\n");
});
