import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { nativeToolsInterpreter } from "../../adapters/native_tools_interpreter.ts";
import { scriptedModel } from "../../adapters/scripted_model.ts";
import { reportEnd } from "../../cli/_driving/report_end.ts";
import { terminalPage } from "../../cli/_report/terminal_page.ts";
import { doubts, openPlace, openWords, standing } from "../../cli/_report/standing.ts";
import { defineTool, ToolRegistry } from "../../logic/tools/mod.ts";
import {
  defineAgent,
  EnvironmentError,
  ModelCallError,
  resume,
  run,
  type RunOptions,
  type RunSpec,
  type RunStore,
} from "../../mod.ts";
import { readLog, type RunLog } from "../../session/mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import { COMPLETIONS } from "../../types/mod.ts";
import { EXECUTED } from "../session/world.ts";
import { captured } from "./command_line.ts";
import { agentOf, leaveOpen, makeRun, REPLIES, requestOf } from "./made_runs.ts";

const PLAIN = { hasColor: false, columns: 160 };

async function logOf(make: (store: RunStore) => Promise<unknown>): Promise<RunLog> {
  const store = memoryStore();
  await make(store);
  return readLog((await store.readRun("r"))!);
}

/** The log of a run that died before an entry and was resumed. */
function afterCrash(
  seq: number,
  spec: Partial<RunSpec>,
  options: RunOptions = {},
): Promise<RunLog> {
  return logOf(async (store) => {
    await leaveOpen(store, "r", spec, seq);
    await resume(agentOf(store, ["do look", "do look again"]), requestOf("r", spec), options);
  });
}

Deno.test("doubts() is empty where everything is known", async () => {
  assertEquals(doubts(await logOf((store) => makeRun(store, "r"))), []);
});

Deno.test("doubts() names what a crash left open, and what became of it", async () => {
  const replayable = { modelReplayPolicy: "replayable" } as const;
  const cases: [Promise<RunLog>, readonly string[]][] = [
    [logOf((store) => leaveOpen(store, "r", {}, 2)), ["r/s0: no reply yet, or it is lost"]],
    [logOf((store) => leaveOpen(store, "r")), ["r/s1_a0: no result yet, or it is lost"]],
    [afterCrash(2, {}), ["r/s0: the reply is lost"]],
    [afterCrash(2, replayable), ["r/s0: called 2 times"]],
    [afterCrash(6, {}), ["r/s1_a0: nobody knows whether it took effect"]],
    [
      afterCrash(6, {}, {
        resolveUnknownAction: {
          id: "looked",
          resolve: () => ({ kind: "happened", outcome: EXECUTED }),
        },
      }),
      ["r/s1_a0: resolved by looked"],
    ],
    [
      afterCrash(6, {}, {
        resolveUnknownAction: { id: "looked", resolve: () => ({ kind: "did_not_happen" }) },
      }),
      ["r/s1_a0: tried 2 times", "r/s1_a0: resolved by looked"],
    ],
  ];
  for (const [log, expected] of cases) assertEquals(doubts(await log), expected);
});

Deno.test("doubts() names what was given up after an abort", async () => {
  const abort = new AbortController();
  const hangs = {
    execute: () => (abort.abort(), new Promise<never>(() => {})),
    parameters: () => ({}),
  };
  const log = await logOf((store) =>
    makeRun(store, "r", ["do wait"], { executor: hangs, cancelGraceMs: 0 }, {
      signal: abort.signal,
    }).catch(() => {})
  );
  assertEquals(doubts(log), [
    "r/s0_a0: nobody knows whether it took effect",
    "r/s0_a0: given up, and may have gone on",
  ]);
  assertEquals(standing(log), "cancelled: its signal was aborted");
});

Deno.test("doubts() names what its executor gave up", async () => {
  const executor = {
    execute: () =>
      Promise.resolve(
        {
          status: "environment_failed",
          effect: "unknown",
          observation: "it took too long",
          observationSynthetic: true,
          truncatedChars: 0,
        } as const,
      ),
    parameters: () => ({}),
  };
  const budget = { maxSteps: 1, maxModelCalls: 9, maxPromptChars: 999, maxConsecutiveFailures: 9 };
  const log = await logOf((store) => makeRun(store, "r", ["do wait"], { executor, budget }));
  assertEquals(doubts(log), [
    "r/s0_a0: nobody knows whether it took effect",
    "r/s0_a0: given up, and may have gone on",
  ]);
});

Deno.test("standing() gives each reason that was true, the first in words", async () => {
  const budget = { maxSteps: 0, maxModelCalls: 0, maxPromptChars: 9, maxConsecutiveFailures: 1 };
  const log = await logOf((store) => makeRun(store, "r", [], { budget }));
  assertEquals(
    standing(log),
    "step_budget_exhausted: it took maxSteps steps; also model_call_budget_exhausted",
  );
  assertEquals(COMPLETIONS.includes(log.finished!.stopReason), false);
  assertMatch(terminalPage(log, PLAIN), /^no steps are recorded$/m);
});

Deno.test("terminalPage() has a line for each step, cut to the screen", async () => {
  const log = await logOf((store) => makeRun(store, "r"));
  const page = terminalPage(log, PLAIN).split("\n");
  assertMatch(
    page[2]!,
    /^spent +5 of 8 steps, 5 of 9 model calls, \d+ of 9000 prompt characters, 12 tokens, \d+ ms$/,
  );
  assertEquals(page.filter((line) => /^ +\d /.test(line)).length, 5);
  assertMatch(page.join("\n"), /^ +2 +model_call_failed .* TypeError: the line is dead$/m);
  assertMatch(
    page.join("\n"),
    /^ +3 +acted .* do fail\n {6}s3_a0 do \{"do":"fail"\} → failed: did fail$/m,
  );
  const narrow = terminalPage(log, { hasColor: false, columns: 40 }).split("\n").slice(4, 12)
    .filter((line) => /^ {1,3}\d /.test(line));
  assertEquals(narrow.filter((line) => [...line].length > 40), []);
});

Deno.test("terminalPage() gives the place of the bars to what was done on a narrow screen", async () => {
  const log = await logOf((store) => makeRun(store, "r"));
  const done = (columns: number) =>
    terminalPage(log, { hasColor: false, columns }).split("\n").find((line) => /^ +3 /.test(line))!;
  assertMatch(done(110), /^ +3 +acted .*█.* do fail$/);
  assertMatch(done(109), /^ +3 +acted +\d+ +\d+ ms +do fail$/);
});

Deno.test("terminalPage() tells the last failure whole, and tokens only where they were reported", async () => {
  const budget = { maxSteps: 8, maxModelCalls: 9, maxPromptChars: 900, maxConsecutiveFailures: 1 };
  const said = `no way to the server: ${"far away, ".repeat(20)}`.trim();
  const cases: readonly [string | Error, RegExp][] = [
    [
      new TypeError(said),
      /^failed {3}TypeError: no way to the server: (far away, ){19}far away,$/m,
    ],
    ["hm", /^failed {3}.*no "hm"/m],
    ["do look", /^failed {3}RangeError: no disk$/m],
  ];
  const executor = {
    execute: () => Promise.reject(new RangeError("no disk")),
    parameters: () => ({}),
  };
  for (const [reply, expected] of cases) {
    const log = await logOf((store) => makeRun(store, "r", [reply], { budget, executor }));
    const page = terminalPage(log, PLAIN);
    assertMatch(page, expected);
    assertMatch(page, /^spent .*, tokens not reported, \d+ ms$/m);
  }
  const page = terminalPage(await logOf((store) => makeRun(store, "r")), PLAIN);
  assertEquals(/^failed/m.test(page), false);
});

Deno.test("an action is shown with the beginning of all its lines, and one that was denied with by whom", async () => {
  const executor = {
    execute: () =>
      Promise.resolve(
        {
          status: "executed",
          failed: false,
          observation: '{\n  "a": 1\n}',
          observationSynthetic: false,
          completed: false,
          truncatedChars: 0,
        } as const,
      ),
    parameters: () => ({}),
  };
  const log = await logOf((store) =>
    makeRun(store, "r", ["do look", "do harm", "answer no"], { executor }, {
      approveAction: {
        id: "a\nguard",
        decide: ({ action }) =>
          JSON.stringify(action).includes("harm")
            ? { allow: false, reason: "no way" }
            : { allow: true },
      },
    })
  );
  const page = terminalPage(log, PLAIN);
  assertStringIncludes(page, '→ executed: { "a": 1 }');
  assertStringIncludes(page, "→ denied by a guard: no way");
});

Deno.test("the place of a run whose model call failed says what kind of failure it was", async () => {
  const failure = new ModelCallError("no such key", { kind: "auth", retriable: false });
  const log = await logOf((store) =>
    makeRun(store, "r", [failure], {}, { onModelFailure: "suspend" }).catch(() => {})
  );
  assertEquals(
    openPlace(log),
    "0 steps recorded; step 0 is open, and its model call failed (auth) and is made again",
  );
  assertEquals(openWords(log), `${openPlace(log)}: ModelCallError: no such key`);
});

Deno.test("a run whose model call was withdrawn says so, also where it finished there", async () => {
  const spec = { budget: { ...requestOf("r").budget, maxModelCalls: 2 } };
  const store = memoryStore();
  const script = ["do look", new TypeError("the line is dead")];
  await makeRun(store, "r", script, spec, { onModelFailure: "suspend" }).catch(() => {});
  const log = readLog((await store.readRun("r"))!);
  assertEquals(doubts(log), []);
  assertEquals(
    standing(log),
    "not finished: 1 step recorded; step 1 is open, and its model call failed and is made again: " +
      "TypeError: the line is dead",
  );
  const signal = AbortSignal.abort();
  await resume(agentOf(store, script), requestOf("r", spec), { signal }).catch(() => {});
  const finished = readLog((await store.readRun("r"))!);
  assertEquals(doubts(finished), []);
  assertEquals(standing(finished), "cancelled: its signal was aborted");
  assertMatch(terminalPage(finished, PLAIN), /^spent {4}1 of \d+ steps, 2 of 2 model calls/m);
});

Deno.test("a page says how many replies a limit of tokens could not count", async () => {
  const budget = { ...requestOf("r").budget, maxTotalTokens: 99 };
  const some = await logOf((store) => makeRun(store, "r", REPLIES, { budget }));
  assertMatch(terminalPage(some, PLAIN), / 12 of 99 tokens \(3 replies did not tell theirs\), /);
  const none = await logOf((store) => makeRun(store, "r", ["answer 1"], { budget }));
  assertMatch(terminalPage(none, PLAIN), / tokens not reported, /);
});

Deno.test("run and show name what broke the environment, not what was skipped for it", async () => {
  const execute = () => {
    throw new EnvironmentError("the disk is gone");
  };
  const parameters = { type: "object" } as const;
  const tools = ToolRegistry.of([
    defineTool({ name: "write", description: "Writes", parameters, execute }),
  ]);
  const toolCalls = ["a", "b"].map((id) => ({
    id,
    name: "write",
    arguments: {},
    rawArguments: "{}",
  }));
  const store = memoryStore();
  const agent = defineAgent({
    model: scriptedModel([{ text: "", toolCalls }]),
    interpreter: nativeToolsInterpreter(),
    store,
  });
  const budget = { maxSteps: 3, maxModelCalls: 3, maxPromptChars: 9999, maxConsecutiveFailures: 1 };
  const result = await run(agent, requestOf("r", { tools, executor: tools.executor(), budget }));
  assertEquals(result.steps[0]?.actions.map(({ status }) => status), [
    "environment_failed",
    "not_executed",
  ]);
  const { err } = await captured((screen) => reportEnd(result, screen));
  assertStringIncludes(err, "\nfailed: EnvironmentError: the disk is gone\n");
  const screen = { hasColor: false, columns: 160 };
  const page = terminalPage(readLog((await store.readRun("r"))!), screen);
  assertStringIncludes(page, "\nfailed   EnvironmentError: the disk is gone\n");
});
