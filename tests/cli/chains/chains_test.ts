import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { readLog, verifyLog } from "../../../session/mod.ts";
import { jsonlStore } from "../../../stores/jsonl.ts";
import { inTempFolder } from "../../stores/drivers/temp_folder.ts";
import { commandLine, type CommandOutput } from "../command_line.ts";
import { leaveOpen } from "../made_runs.ts";

const ROOT = new URL("../../../", import.meta.url).href;

/** A module whose model says how many messages it was sent; it fails its calls where its word is "down". */
const moduleText = (word: string): string => `
import { defineAgent, defineRun, textMessage } from "${ROOT}mod.ts";
import { jsonlStore } from "${ROOT}stores/jsonl.ts";

const interpreter = {
  interpret: ({ text }) => ({
    decision: text.startsWith("do ")
      ? { kind: "action", actions: [{ action: text.slice(3) }] }
      : { kind: "final_answer", answer: text },
    historyText: text,
  }),
  parameters: () => ({}),
};
const executed = { status: "executed", failed: false, observationSynthetic: false, completed: false, truncatedChars: 0 };
const model = {
  async call({ messages }) {
    const last = messages.at(-1).content[0].text;
    if (last.startsWith("did ")) return { text: "after " + messages.length };
    if ("${word}" === "down") throw new Error("down");
    return { text: "do ${word}" };
  },
  parameters: () => ({ name: "counting" }),
};
export const agent = defineAgent({ model, interpreter, store: jsonlStore({ dir: import.meta.dirname }) });
export const request = defineRun({
  runId: "sea",
  budget: { maxSteps: 5, maxModelCalls: 6, maxPromptChars: 999, maxConsecutiveFailures: 1 },
  executor: { execute: async ({ action }) => ({ ...executed, observation: "did " + action }), parameters: () => ({}) },
  context: { runLevel: [], goalLevel: [textMessage("user", "Look at the sea.")] },
});
`;

/** A folder with a run, "sea". */
interface Sea {
  readonly dir: string;
  /** The path of a module with a word. */
  agent(word?: string): string;
  linesOf(runId: string): Promise<readonly string[]>;
  /** Runs a command line on the folder's store. */
  command(...args: readonly string[]): Promise<CommandOutput>;
}

async function withRun(body: (sea: Sea) => Promise<void>): Promise<void> {
  await inTempFolder(async (dir) => {
    const sea: Sea = {
      dir,
      agent(word = "look") {
        const path = `${dir}/${word}.ts`;
        Deno.writeTextFileSync(path, moduleText(word));
        return path;
      },
      linesOf: async (runId) => (await jsonlStore({ dir }).readRun(runId)) ?? [],
      command: (...args) => commandLine(...args, "--store", `jsonl:${dir}`),
    };
    const { code, err } = await commandLine("run", sea.agent());
    assertEquals(code, 0, err);
    await body(sea);
  });
}

Deno.test("fork makes another run from a step of a recorded one, which stays as it is; show, list, diff and verify tell of it", async () => {
  await withRun(async ({ agent, linesOf, command }) => {
    const before = await linesOf("sea");
    const fork = ["fork", "sea"];
    const made = await commandLine(...fork, agent("listen"), "--at", "0", "--as", "b");
    assertEquals([made.code, made.out], [0, "after 3\n"], made.err);
    const later = await commandLine(...fork, agent(), "--at", "1", "--as", "c");
    assertEquals([later.code, later.out], [0, "after 3\n"], later.err);
    assertEquals(await linesOf("sea"), before);
    const [sea, c] = [readLog(before), readLog(await linesOf("c"))];
    assert(verifyLog(await linesOf("c")).ok);
    assertEquals(c.steps[0]?.promptDigest, sea.steps[1]?.promptDigest);
    assertEquals(c.started.derivedFrom, {
      runId: "sea",
      logHead: sea.heads[1]!,
      steps: 1,
      historySteps: 1,
      root: "sea",
    });
    assertStringIncludes(
      (await command("show", "c")).out,
      `from     sea after 1 step (${sea.heads[1]})`,
    );
    assertMatch((await command("list")).out, /^c .* final_answer \(from sea after 1 step\)$/m);
    const diff = await command("diff", "sea", "b");
    assertEquals([diff.code, diff.out], [
      1,
      'step 0: another reply, at text\n  sea  "do look"\n  b    "do listen"\n',
    ]);
    const same = await command("diff", "sea", "sea");
    assertEquals([same.code, same.out], [0, "no difference in 2 steps\n"]);
    for (const id of ["b", "c"]) {
      const verified = await command("verify", id, "--parent");
      assertEquals(verified.code, 0, verified.err);
      assertMatch(verified.out, /^ok: from run sea: unchanged$/m);
    }
    const none = await command("verify", "sea", "--parent");
    assertEquals(none.code, 1);
    assertStringIncludes(none.err, "it goes on from no other");
  });
});

Deno.test("continue says something to a finished run, and its run is resumed with the same module", async () => {
  await withRun(async ({ agent, linesOf, command }) => {
    const down = await commandLine(
      ...["continue", "sea", agent("down"), "--message", "And the sky?", "--as", "sky"],
    );
    assertEquals(down.code, 1);
    assertStringIncludes(down.err, `resume ${agent("down")} --run-id sky`);
    const resumed = await commandLine("resume", agent(), "--run-id", "sky");
    assertEquals([resumed.code, resumed.out], [0, "after 7\n"], resumed.err);
    const log = readLog(await linesOf("sky"));
    const texts = log.started.inputs?.context.goalLevel.map(({ content: [block] }) =>
      block?.type === "text" ? block.text : ""
    );
    assertEquals(texts, ["Look at the sea.", "do look", "did look", "after 3", "And the sky?"]);
    assertMatch(
      (await command("verify", "sky", "--parent")).out,
      /^ok: from run sea: unchanged, 1 message more$/m,
    );
  });
});

Deno.test("fork, continue and diff say what they lack", async () => {
  await withRun(async ({ agent, command }) => {
    const cases: readonly (readonly [number, string, ...string[]])[] = [
      [2, "it needs --at", "fork", "sea", agent(), "--as", "b"],
      [2, "it needs --as", "fork", "sea", agent(), "--at", "1"],
      [2, "whole number", "fork", "sea", agent(), "--at", "one", "--as", "b"],
      [2, "it needs --message", "continue", "sea", agent(), "--as", "b"],
      [
        1,
        'Cannot fork at "3" as run "sea" has 2 recorded steps',
        "fork",
        "sea",
        agent(),
        "--at",
        "3",
        "--as",
        "b",
      ],
      [
        1,
        'Cannot go on from run "lake" as the store holds no run of that id',
        ...["continue", "lake", agent(), "--message", "x", "--as", "b"],
      ],
      [1, "lake", "diff", "sea", "lake"],
      [1, "sea", "fork", "sea", agent(), "--at", "1", "--as", "sea"],
    ];
    for (const [code, words, ...args] of cases) {
      const output = await command(...args);
      assertEquals(output.code, code, args.join(" "));
      assertStringIncludes(output.err, words);
    }
  });
});

Deno.test("continue refuses a run that has not finished in words of the command line", async () => {
  await withRun(async ({ dir, agent, command }) => {
    await leaveOpen(jsonlStore({ dir }), "open");
    const { code, err } = await command("continue", "open", agent(), "--message", "x", "--as", "b");
    assertEquals(code, 1);
    assertMatch(
      err,
      /^error: Cannot continue run "open" as it has not finished: resume it first, or fork it$/m,
    );
  });
});

Deno.test("fork and continue refuse a redacted run, and diff shows it", async () => {
  await withRun(async ({ dir, agent, command }) => {
    const file = ["redact", "sea", "--pattern", "look", "--out", `${dir}/shown/sea.jsonl`];
    assertEquals((await command(...file)).code, 0);
    const where = ["--store", `jsonl:${dir}/shown`];
    const from = ["--as", "b", ...where];
    for (
      const words of [
        ["fork", "sea", agent(), "--at", "1", ...from],
        ["continue", "sea", agent(), "--message", "And?", ...from],
      ]
    ) {
      const { code, err } = await commandLine(...words);
      assertEquals(code, 1);
      assertStringIncludes(err, "take the log that it was made from");
    }
    const diff = await commandLine("diff", "sea", "sea", ...where);
    assertEquals([diff.code, diff.out], [0, "no difference in 2 steps\n"]);
  });
});
