import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { readLog } from "../../session/mod.ts";
import { jsonlStore } from "../../stores/jsonl.ts";
import { inTempFolder, namesIn } from "../stores/drivers/temp_folder.ts";
import { commandLine, type CommandOutput, PROGRAM } from "./command_line.ts";

const ROOT = new URL("../../", import.meta.url).href;

/** A module whose agent does two things and answers; where `WAIT` is set it waits in the second one until it is told to stop. */
function moduleText(
  setup: (body: string) => string,
  { first = "look", maxSteps = 5 }: { readonly first?: string; readonly maxSteps?: number } = {},
): string {
  return setup(`
import { defineAgent, defineRun, textMessage } from "${ROOT}mod.ts";
import { scriptedModel } from "${ROOT}adapters/scripted_model.ts";
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
const executor = {
  async execute({ action, signal }) {
    if (action === "break") throw new TypeError("broken");
    if (action === "wait") {
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    }
    return { ...executed, observation: "did " + action };
  },
  parameters: () => ({}),
};
const script = ["do ${first}", Deno.env.get("WAIT") ? "do wait" : "do look", "The sea is \\x1b[31mcalm."];
function made() {
  const model = scriptedModel(({ callId }) => script[Number(callId.split("/s")[1])]);
  const agent = defineAgent({ model, interpreter, store: jsonlStore({ dir: import.meta.dirname + "/.polyloop" }) });
  const request = defineRun({
    runId: "sea",
    budget: { maxSteps: ${maxSteps}, maxModelCalls: 6, maxPromptChars: 999, maxConsecutiveFailures: 1 },
    executor,
    cancelGraceMs: 100,
    context: { runLevel: [], goalLevel: [textMessage("user", "Look at the sea.")] },
  });
  return { agent, request, close: () => Deno.writeTextFileSync(import.meta.dirname + "/closed", "") };
}
`);
}

const constants = (body: string) => `${body}\nexport const { agent, request, close } = made();\n`;
const setup = (body: string) =>
  `${body}\nexport async function setup() { await null; return made(); }\n`;

const MODULE = "a #1 100%.ts";

/** A folder with a module. */
interface ModuleFolder {
  readonly dir: string;
  /** The module's path. */
  readonly module: string;
  /** Runs a command line on the store of the module's agent. */
  read(...args: readonly string[]): Promise<CommandOutput>;
}

async function withModule(
  text: string,
  body: (folder: ModuleFolder) => Promise<void>,
): Promise<void> {
  await inTempFolder(async (dir) => {
    const module = `${dir}/${MODULE}`;
    await Deno.writeTextFile(module, text);
    const read = (...args: readonly string[]) =>
      commandLine(...args, "--store", `jsonl:${dir}/.polyloop`);
    await body({ dir, module, read });
  });
}

Deno.test("run makes the run of a module, by its exports or by its setup function", async () => {
  for (const exported of [constants, setup]) {
    await withModule(moduleText(exported), async ({ dir, module, read }) => {
      const { code, out, err } = await commandLine("run", module);
      assertEquals(code, 0, err);
      assertEquals(out, "The sea is \\u{1b}[31mcalm.\n");
      assertMatch(err, /^sea: final_answer, head sha256:[0-9a-f]{64}$/m);
      assertMatch(err, /^sea started, at most 5 steps\nsea step 0: acted in .*\n/);
      assert(namesIn(dir).includes("closed"));
      assertMatch((await read("verify", "sea")).out, /^ok: run sea/);
    });
  }
});

Deno.test("run takes another run id and another store, and tells what became of a run that has finished", async () => {
  await withModule(moduleText(setup), async ({ dir, module }) => {
    const store = ["--store", `sqlite:${dir}/runs.db`];
    const other = ["--run-id", "sea-2", ...store];
    assertEquals((await commandLine("run", module, ...other)).code, 0);
    assertMatch((await commandLine("list", ...store)).out, /^sea-2 /m);
    assertEquals(namesIn(dir), [MODULE, "closed", "runs.db"]);
    const again = await commandLine("run", module, ...other);
    assertEquals([again.code, again.out], [0, "The sea is \\u{1b}[31mcalm.\n"]);
    assertMatch(
      again.err,
      /^run "sea-2" has finished before, and nothing was called now; --new makes another$/m,
    );
    assertMatch(again.err, /^sea-2: final_answer, head/m);
    const read = await commandLine("resume", module, ...other);
    assertEquals([read.code, read.out], [0, again.out]);
    const bad = await commandLine("run", module, "--run-id", "No Id");
    assertEquals(bad.code, 1);
    assertMatch(bad.err, /error: Cannot use "runId" as it must match .*: "No Id"/);
  });
});

Deno.test("run exits with 1 where the run did not complete, and resume names a drift", async () => {
  await withModule(moduleText(constants, { maxSteps: 1 }), async ({ dir, module }) => {
    const { code, out, err } = await commandLine("run", module);
    assertEquals([code, out], [1, ""]);
    assertMatch(err, /^sea: step_budget_exhausted, head/m);
    const again = await commandLine("run", module);
    assertEquals([again.code, again.out], [1, ""]);
    assertMatch(again.err, /^run "sea" has finished before/m);
    const changed = `${dir}/changed.ts`;
    await Deno.writeTextFile(changed, moduleText(constants, { maxSteps: 2 }));
    const drift = await commandLine("resume", changed);
    assertEquals(drift.code, 1);
    assertMatch(
      drift.err,
      /^error: .*request\.budget\.max_steps \(changed: recorded "1", current "2"\)/m,
    );
    assertEquals((await commandLine("resume", module, "--run-id", "x")).code, 1);
  });
});

Deno.test("run says what is wrong with a module, in one line", async () => {
  const cases: [string, RegExp][] = [
    ["export const agent = {};", /gives no agent and request: export both, or a function "setup"/],
    ["export const setup = () => null;", /gives no agent and request/],
    [
      "export const setup = () => { throw new Error('no sandbox'); };",
      /Cannot set up the run of ".*a #1 100%\.ts" as no sandbox/,
    ],
    ["export const agent = {}, request = {};", /Cannot use "model" as it must have the methods/],
    ["export const agent = {}, request = {}, close = 5;", /as its "close" is no function/],
    ["export const agent = {}, request = {}, options = null;", /as its "options" are no object/],
    ["export const agent = {}, request = {}, options = 5;", /as its "options" are no object/],
    [
      "export const agent = {}, request = {}, options = { onEventError: 5 };",
      /as its option "onEventError" is no function/,
    ],
    ...["signal", "onAbort", "takeOver"].map((name): [string, RegExp] => [
      `export const agent = {}, request = {}, options = { ${name}: undefined };`,
      new RegExp(`as its options have "${name}", which the command itself sets`),
    ]),
    [
      "throw new Error('no\\nkey')",
      /Cannot load ".*a #1 100%\.ts" as no key, at file:.*100%\.ts:1:7/,
    ],
    [
      `import { defineRun } from "${ROOT}mod.ts";\ndefineRun({ runid: "a" });`,
      /as Cannot use "runid" as there is no such field \(did you mean "runId"\?\): "a", at file:.*100%\.ts:2:1/,
    ],
    [
      "export function setup() {\n  null.x;\n}",
      /Cannot set up the run of .*, at file:.*100%\.ts:2:\d/,
    ],
    ["export const = 3;", /Cannot load ".*a #1 100%\.ts" as /],
    ["import 'file:///no/such/file.ts';", /Cannot load ".*a #1 100%\.ts" as .*file\.ts/],
  ];
  for (const [text, expected] of cases) {
    await withModule(text, async ({ module }) => {
      const { code, out, err } = await commandLine("run", module);
      assertEquals([code, out], [1, ""]);
      assertMatch(err, new RegExp(`^error: .*${expected.source}.*\\n$`));
    });
  }
  const missing = await commandLine("run", "none.ts");
  assertEquals([missing.code, missing.err], [
    1,
    'error: Cannot load "none.ts" as there is no such file\n',
  ]);
});

/** Starts a run that waits in its second action, and does something to its process once it does. */
async function interrupted(
  dir: string,
  act: (child: Deno.ChildProcess) => void,
): Promise<CommandOutput> {
  const [program, ...words] = [...PROGRAM, "run", MODULE];
  const child = new Deno.Command(program!, {
    args: words,
    cwd: dir,
    env: { WAIT: "yes" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const out = new Response(child.stdout).text();
  let err = "";
  let acted = false;
  for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
    err += text;
    if (acted || !err.includes("step 0: acted")) continue;
    acted = true;
    await untilActionIsOpen(dir);
    act(child);
  }
  return { code: (await child.status).code, out: await out, err };
}

async function untilActionIsOpen(dir: string): Promise<void> {
  const store = jsonlStore({ dir: `${dir}/.polyloop` });
  const isOpen = async () => readLog((await store.readRun("sea"))!).open?.openAction !== undefined;
  using watcher = Deno.watchFs(`${dir}/.polyloop`);
  if (await isOpen()) return;
  for await (const _ of watcher) if (await isOpen()) return;
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.test(`${signal} suspends a run, which says how to go on, and resume does`, async () => {
    await withModule(moduleText(setup), async ({ dir, module, read }) => {
      const { code, out, err } = await interrupted(dir, (child) => child.kill(signal));
      assertEquals([code, out], [1, ""]);
      assertStringIncludes(err, "\ninterrupted: suspending the run");
      assertStringIncludes(err, "suspended: go on with: resume 'a #1 100%.ts'");
      assert(namesIn(dir).includes("closed"));
      const again = await commandLine("run", module);
      assertEquals([again.code, again.out], [1, ""]);
      assertMatch(
        again.err,
        /^error: .*: resume '.*a #1 100%\.ts' goes on with it, --new makes another$/m,
      );
      assertMatch((await read("list")).out, /^sea .* not finished: 1 step recorded/m);
      const resumed = await commandLine("resume", module);
      assertEquals(resumed.code, 0);
      assertMatch(resumed.err, /^sea: final_answer/m);
      assertMatch((await read("verify", "sea")).out, /^ok/);
    });
  });
}

Deno.test("a run that is killed goes on with resume, and what is unknown is told", async () => {
  await withModule(moduleText(setup), async ({ dir, module, read }) => {
    const { out } = await interrupted(dir, (child) => child.kill("SIGKILL"));
    assertEquals(out, "");
    const resumed = await commandLine("resume", module);
    assertEquals(resumed.code, 0, resumed.err);
    const page = await read("show", "sea");
    assertMatch(page.out, /^ +1 +action_outcome_unknown /m);
    assertMatch(page.out, /^unknown +sea\/s1_a0: nobody knows whether it took effect$/m);
    assert((await read("verify", "sea")).out.startsWith("ok"));
  });
});

Deno.test("run --verbose shows where a tool threw, and run alone does not", async () => {
  for (const verbose of [[], ["--verbose"]]) {
    await withModule(moduleText(constants, { first: "break" }), async ({ module }) => {
      const { code, err } = await commandLine("run", module, ...verbose);
      assertEquals(code, 1);
      assertMatch(err, /^sea step 0: environment_failed in /m);
      assertEquals(/^sea {3}at .*execute/m.test(err), verbose.length > 0, err);
    });
  }
});
