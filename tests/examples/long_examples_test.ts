import { assertEquals, assertMatch } from "@std/assert";

const ROOT = new URL("../../", import.meta.url);
const FOLDER = "examples/long";

/** What each example of the folder must print, in this order. */
const PRINTED: Readonly<Record<string, readonly RegExp[]>> = {
  "long_run.ts": [
    /^without a policy: context_overflow after \d+ steps\n/,
    /^with one: final_answer, (\d+) guides of \d+ words \(there are \1\)\n/m,
    /^before step \d+: elide_observations, steps 0 to \d+, \d+ → \d+\n/m,
    /^before step \d+: summarise, steps 0 to \d+, \d+ → \d+\n/m,
    /^the last prompt: \d+ messages, \d{1,5} characters\n/m,
    /^message 1 stands for \d{5,} characters of steps 0 to \d+\n/m,
  ],
  "context_with_clock.ts": [
    /^gathered anew: refused, .*context_builder\.output, request\.context\n/,
    /^as recorded: the tide came in\. When I was asked: "It is \d{4}-\S+Z\."\n$/m,
  ],
};

Deno.test("every example of examples/long does what it says with the permissions of its first line", async () => {
  const files = [...Deno.readDirSync(new URL(FOLDER, ROOT))].map(({ name }) => name);
  assertEquals(files.sort(), Object.keys(PRINTED).sort());
  for (const [file, expected] of Object.entries(PRINTED)) {
    const [first = ""] = (await Deno.readTextFile(new URL(`${FOLDER}/${file}`, ROOT))).split("\n");
    assertMatch(first, new RegExp(`^// deno run (--allow-[a-z]+(=\\S+)? )+${FOLDER}/${file}$`));
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-prompt", "--no-lock", ...first.split(" ").slice(3)],
      cwd: ROOT,
      stdin: "null",
      env: { NO_COLOR: "1" },
    }).output();
    const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    assertEquals({ code, err }, { code: 0, err: "" });
    let rest = out!;
    for (const pattern of expected) {
      assertMatch(rest, pattern);
      rest = rest.slice(pattern.exec(rest)!.index);
    }
  }
});
