import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { IS_WHOLE } from "../tasks/fuzz_rounds.ts";

const ROOT = new URL("../../", import.meta.url);

/** What each example must print, in this order. */
const PRINTED: Readonly<Record<string, readonly RegExp[]>> = {
  smallest_run: [/^final_answer after 1 step: 42$/m],
  code_agent: [/^done: 5$/m, /^failed: NotCapable: .*\/etc\/passwd/m, /^The sum is 28\.$/m],
  tool_agent: [/^not_executed: .*count_lines/m, /^executed: \d+$/m, /^answer: counted$/m],
  native_tools: [/^2 calls in one reply; 56 tokens$/m, /^They are 3 and 34\.$/m],
  cancel_and_suspend: [
    /^finish: cancelled; resumed: cancelled after 3 steps$/m,
    /^suspend: suspended as Error: somebody pressed Ctrl-C; resumed: final_answer after 6 steps$/m,
  ],
  crash_and_resume: [
    /^step 0: action_outcome_unknown, tried 1 time$/m,
    /^The letter may have been sent: please look\.$/m,
  ],
  approval_later: [
    /^the model is asked: bill\/s0\nask the boss about \{"tool":"pay","arguments":\{"euros":90\}\}$/m,
    /^the model is asked: bill\/s1\nThe bill is paid\.$/m,
  ],
  custom_store: [/^all \d\d cases of the contract hold$/m],
  custom_event_sink: [
    /^step 0: 8 of 500 \(new: goal\[0\] 8\)$/m,
    /^step_recorded: Error: this sink is broken$/m,
    /^finished: final_answer$/m,
    /^answer yes, 3 events were not taken$/m,
  ],
  many_runs: [
    /^\d+ runs in the database, 50 of them made just now$/m,
    /^the first rolled (\d,){4}\d$/m,
  ],
  fork: [
    /^again: an umbrella; sunny: a hat$/m,
    /^again: the prompt is the same$/m,
    /^sunny: edited at message 2$/m,
    /^they part at step 0, messages\[2\]\.content\[0\]\.text: It rains\. \/ It is sunny\.$/m,
  ],
  worker: [/^final_answer after 2 steps; the action met: NotCapable$/m],
};

/** The flags of an example's first line, which names its command with the permissions that it needs. */
async function flagsOf(name: string): Promise<readonly string[]> {
  const source = await Deno.readTextFile(new URL(`examples/${name}.ts`, ROOT));
  const [first] = source.split("\n");
  const [, flags] = new RegExp(`^// deno run (.*)examples/${name}\\.ts$`).exec(first!)!;
  return flags!.split(" ").filter(Boolean);
}

async function runExample(
  name: string,
  flags: readonly string[],
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--no-lock", ...flags, `examples/${name}.ts`],
    cwd: ROOT,
    stdin: "null",
    env: { NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  return { code, out: decoder.decode(stdout), err: decoder.decode(stderr) };
}

Deno.test("every example names its command in its first line, and a test runs it as it says", async () => {
  const files = (path: string) =>
    [...Deno.readDirSync(new URL(path, ROOT))].map(({ name }) => name);
  const tested = [
    ...Object.keys(PRINTED),
    ...files("tests/examples").map((file) => file.replace(/_test\.ts$/, "")),
  ];
  for (const file of files("examples").filter((file) => file.endsWith(".ts"))) {
    const name = file.replace(/\.ts$/, "");
    assert(tested.includes(name), `no test runs ${file}`);
    for (const flag of await flagsOf(name)) assertMatch(flag, /^--(?!allow-all)[a-z-]+(?:=\S+)?$/);
  }
});

for (const [name, expected] of Object.entries(PRINTED)) {
  Deno.test(`examples/${name}.ts does what it says with the permissions of its first line`, async () => {
    const { code, out, err } = await runExample(name, await flagsOf(name));
    assertEquals({ code, err }, { code: 0, err: "" });
    let rest = out;
    for (const pattern of expected) {
      assertMatch(rest, pattern);
      rest = rest.slice(pattern.exec(rest)!.index);
    }
  });

  Deno.test(`examples/${name}.ts needs each of them, and is one screen`, async () => {
    const flags = await flagsOf(name);
    assert(!flags.includes("-A") && !flags.includes("--allow-all"));
    const allowing = flags.filter((flag) => flag.startsWith("--allow-"));
    for (const flag of IS_WHOLE ? allowing : allowing.slice(-1)) {
      const { out } = await runExample(name, flags.filter((other) => other !== flag));
      const kept = expected.every((pattern) => pattern.test(out));
      assert(!kept, `it does the same without ${flag}`);
    }
    const source = await Deno.readTextFile(new URL(`examples/${name}.ts`, ROOT));
    assert(source.split("\n").length <= 60, "it is longer than a screen");
    assertStringIncludes(source, 'from "@polyloop/polyloop');
    assert(!/from "\.\.?\//.test(source));
  });
}
