import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { readLog } from "../../session/mod.ts";
import { jsonlStore } from "../../stores/jsonl.ts";
import { commandLine, type CommandOutput, PROGRAM } from "./command_line.ts";

const ROOT = new URL("../../", import.meta.url).href;

/** A module whose agent waits in its second action until it is told to stop, and answers after it. */
function moduleText(setup: (body: string) => string): string {
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
    if (Deno.env.get("BREAK")) throw new TypeError("broken");
    if (action === "wait") {
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    }
    return { ...executed, observation: "did " + action };
  },
  parameters: () => ({}),
};
const script = ["do look", Deno.env.get("WAIT") ? "do wait" : "do look", "The sea is \\x1b[31mcalm."];
function made() {
  const model = scriptedModel(({ callId }) => script[Number(callId.split("/s")[1])]);
  const agent = defineAgent({ model, interpreter, store: jsonlStore({ dir: ".polyloop" }) });
  const request = defineRun({
    runId: "sea",
    budget: { maxSteps: Number(Deno.env.get("STEPS") ?? 5), maxModelCalls: 6, maxPromptChars: 999, maxConsecutiveFailures: 1 },
    executor,
    cancelGraceMs: 100,
    context: { runLevel: [], goalLevel: [textMessage("user", "Look at the sea.")] },
  });
  return { agent, request, close: () => console.error("closed") };
}
`);
}

const CONSTANTS = moduleText((body) =>
  `${body}\nexport const { agent, request, close } = made();\n`
);
const SETUP = moduleText((body) =>
  `${body}\nexport async function setup() { await null; return made(); }\n`
);

async function withModule(text: string, body: (dir: string) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${dir}/a #1 100%.ts`, text);
    await body(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

const MODULE = "a #1 100%.ts";

Deno.test("run makes the run of a module, by its exports or by its setup function", async () => {
  for (const text of [CONSTANTS, SETUP]) {
    await withModule(text, async (dir) => {
      const { code, out, err } = await commandLine(["run", MODULE], {}, dir);
      assertEquals(code, 0, err);
      assertEquals(out, "The sea is \\u{1b}[31mcalm.\n");
      assertMatch(err, /^sea: final_answer, head sha256:[0-9a-f]{64}$/m);
      assertMatch(err, /^sea started, at most 5 steps\nsea step 0: acted in .*\n/);
      assertMatch(err, /\nclosed\n$/);
      assertMatch((await commandLine(["verify", "sea"], {}, dir)).out, /^ok: run sea/);
    });
  }
});

Deno.test("run takes another run id and another store, and tells what became of a run that has finished", async () => {
  await withModule(SETUP, async (dir) => {
    const other = ["--run-id", "sea-2", "--store", "sqlite:runs.db"];
    assertEquals((await commandLine(["run", MODULE, ...other], {}, dir)).code, 0);
    assertMatch(
      (await commandLine(["list", "--store", "sqlite:runs.db"], {}, dir)).out,
      /^sea-2 /m,
    );
    assertEquals((await commandLine(["list"], {}, dir)).out, "");
    const again = await commandLine(["run", MODULE, ...other], {}, dir);
    assertEquals([again.code, again.out], [0, "The sea is \\u{1b}[31mcalm.\n"]);
    assertMatch(
      again.err,
      /^run "sea-2" has finished before, and nothing was called now; --new makes another$/m,
    );
    assertMatch(again.err, /^sea-2: final_answer, head/m);
    const read = await commandLine(["resume", MODULE, ...other], {}, dir);
    assertEquals([read.code, read.out], [0, again.out]);
    const bad = await commandLine(["run", MODULE, "--run-id", "No Id"], {}, dir);
    assertEquals(bad.code, 1);
    assertMatch(bad.err, /error: Cannot use "runId" as it must match .*: "No Id"/);
  });
});

Deno.test("run exits with 1 where the run did not complete, and resume names a drift", async () => {
  await withModule(CONSTANTS, async (dir) => {
    const { code, out, err } = await commandLine(["run", MODULE], { STEPS: "1" }, dir);
    assertEquals([code, out], [1, ""]);
    assertMatch(err, /^sea: step_budget_exhausted, head/m);
    const again = await commandLine(["run", MODULE], { STEPS: "1" }, dir);
    assertEquals([again.code, again.out], [1, ""]);
    assertMatch(again.err, /^run "sea" has finished before/m);
    const drift = await commandLine(["resume", MODULE], { STEPS: "2" }, dir);
    assertEquals(drift.code, 1);
    assertMatch(
      drift.err,
      /^error: .*request\.budget\.max_steps \(changed: recorded "1", current "2"\)/m,
    );
    assertEquals((await commandLine(["resume", MODULE, "--run-id", "x"], {}, dir)).code, 1);
  });
});

Deno.test("run says what is wrong with a module, in one line", async () => {
  const cases: [string, RegExp][] = [
    ["export const agent = {};", /gives no agent and request: export both, or a function "setup"/],
    ["export const setup = () => null;", /gives no agent and request/],
    [
      "export const setup = () => { throw new Error('no sandbox'); };",
      /Cannot set up the run of "a #1 100%\.ts" as no sandbox/,
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
    ["throw new Error('no\\nkey')", /Cannot load "a #1 100%\.ts" as no key/],
    ["export const = 3;", /Cannot load "a #1 100%\.ts" as /],
    ["import 'file:///no/such/file.ts';", /Cannot load "a #1 100%\.ts" as .*file\.ts/],
  ];
  for (const [text, expected] of cases) {
    await withModule(text, async (dir) => {
      const { code, out, err } = await commandLine(["run", MODULE], {}, dir);
      assertEquals([code, out], [1, ""]);
      assertMatch(err, new RegExp(`^error: .*${expected.source}.*\\n$`));
    });
  }
  const missing = await commandLine(["run", "none.ts"]);
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
    await withModule(SETUP, async (dir) => {
      const { code, out, err } = await interrupted(dir, (child) => child.kill(signal));
      assertEquals([code, out], [1, ""]);
      assertStringIncludes(err, "\ninterrupted: suspending the run");
      assertStringIncludes(err, "suspended: go on with: resume 'a #1 100%.ts'");
      const again = await commandLine(["run", MODULE], {}, dir);
      assertEquals([again.code, again.out], [1, ""]);
      assertMatch(
        again.err,
        /^error: .*: resume 'a #1 100%\.ts' goes on with it, --new makes another$/m,
      );
      assertMatch(err, /\nclosed\n$/);
      assertMatch(
        (await commandLine(["list"], {}, dir)).out,
        /^sea .* not finished: 1 step recorded/m,
      );
      const resumed = await commandLine(["resume", MODULE], {}, dir);
      assertEquals(resumed.code, 0);
      assertMatch(resumed.err, /^sea: final_answer/m);
      assertMatch((await commandLine(["verify", "sea"], {}, dir)).out, /^ok/);
    });
  });
}

Deno.test("a run that is killed goes on with resume, and what is unknown is told", async () => {
  await withModule(SETUP, async (dir) => {
    const { out } = await interrupted(dir, (child) => child.kill("SIGKILL"));
    assertEquals(out, "");
    const resumed = await commandLine(["resume", MODULE], {}, dir);
    assertEquals(resumed.code, 0);
    const page = await commandLine(["show", "sea"], {}, dir);
    assertMatch(page.out, /^ +1 +action_outcome_unknown /m);
    assertMatch(page.out, /^unknown +sea\/s1_a0: nobody knows whether it took effect$/m);
    assert((await commandLine(["verify", "sea"], {}, dir)).out.startsWith("ok"));
  });
});

Deno.test("run --verbose shows where a tool threw, and run alone does not", async () => {
  for (const verbose of [[], ["--verbose"]]) {
    await withModule(CONSTANTS, async (dir) => {
      const { code, err } = await commandLine(["run", MODULE, ...verbose], { BREAK: "1" }, dir);
      assertEquals(code, 1);
      assertMatch(err, /^sea step 0: environment_failed in /m);
      assertEquals(/^sea {3}at .*execute/m.test(err), verbose.length > 0, err);
    });
  }
});
