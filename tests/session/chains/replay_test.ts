import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { recordedExecutor } from "../../../adapters/recorded_executor.ts";
import { recordedModel } from "../../../adapters/recorded_model.ts";
import {
  InvalidRequestError,
  resume,
  run,
  RunLogCorruptError,
  type RunRequest,
  textMessage,
} from "../../../mod.ts";
import {
  defineRun,
  diffLogs,
  readLog,
  recordedActions,
  recordedCalls,
  type RunLog,
} from "../../../session/mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import { ReplayMismatchError, replayRun } from "../../contract/mod.ts";
import { GOLDEN_RUNS } from "../../golden/golden_runs.ts";
import { INTERRUPTED_RUNS, interruptedRun } from "../../golden/interrupted_runs.ts";
import { drawing } from "../../types/json_values.ts";
import { forged } from "../logs/forged.ts";
import { agentOf, now, rejection, requestOf, wordExecutor } from "../world.ts";
import { made, PROTOCOLS } from "./chain_world.ts";

async function goldenLines(name: string): Promise<readonly string[]> {
  const url = new URL(`../../golden/logs/1.0/${name}.jsonl`, import.meta.url);
  return (await Deno.readTextFile(url)).trimEnd().split("\n");
}

const offline = (request: RunRequest, log: RunLog): RunRequest =>
  defineRun({
    ...request,
    executor: recordedExecutor(recordedActions(log), { parameters: log.settings.executor }),
  });

for (const [name, golden] of Object.entries(GOLDEN_RUNS)) {
  Deno.test(`the golden log ${name} replays, with its tools and without, to one without a difference`, async () => {
    const lines = await goldenLines(name);
    const log = readLog(lines);
    for (const request of [golden.request, offline(golden.request, log)]) {
      const store = memoryStore();
      const model = recordedModel(recordedCalls(log), { parameters: log.settings.model });
      await run({ ...golden.agent(store), model }, request, { now });
      assertEquals([model.mismatch, model.unused], [undefined, []]);
      assertEquals(diffLogs(log, readLog((await store.readRun(log.runId))!)), undefined);
      const { stopReason } = await replayRun(golden.agent(memoryStore()), request, lines);
      assertEquals(stopReason, log.finished?.stopReason);
    }
  });
}

Deno.test("a golden log with a denial replays with its approver, and without it is refused by name", async () => {
  const lines = await goldenLines("denied");
  const log = readLog(lines);
  const { agent, request, options } = interruptedRun(
    "denied",
    memoryStore(),
    () => Promise.resolve(),
  );
  for (const each of [request, offline(request, log)]) {
    await replayRun(agent, each, lines, options);
  }
  const error = await rejection(replayRun(agent, request, lines));
  assert(error instanceof InvalidRequestError);
  assertStringIncludes(error.message, '"policy" denied golden-denied/s0_a1');
});

Deno.test("golden logs that were cut off or cancelled are refused by name", async () => {
  for (const name of Object.keys(INTERRUPTED_RUNS).filter((name) => name !== "denied")) {
    const { agent, request } = interruptedRun(name, memoryStore(), () => Promise.resolve());
    const error = await rejection(replayRun(agent, request, await goldenLines(name)));
    assert(error instanceof InvalidRequestError, name);
    assertStringIncludes(error.message, "the run cannot be replayed");
  }
});

/** The script of a run in which something of each kind happens. */
const SCRIPT = [
  "do a; do b; do alone",
  new Error("down"),
  "gibberish #cut",
  "do fail; do reject",
  "do refuse",
  "do throw; do never",
  "do again; use submit x",
];

for (const protocol of PROTOCOLS) {
  Deno.test(`a run in which everything happens replays without its environment, by the protocol ${protocol}`, async () => {
    const script = protocol === "native"
      ? SCRIPT
      : SCRIPT.map((said) => typeof said === "string" ? said.split("; ").at(-1)! : said);
    for (const maxConcurrentActions of [1, 3]) {
      const spec = { maxConcurrentActions, budget: { maxConsecutiveFailures: 9 } };
      const { log, lines } = await made(memoryStore(), protocol, script, spec);
      assertEquals(log.finished?.stopReason, "tool_completed");
      const request = offline(requestOf({ ...spec, toolProtocol: protocol }), log);
      await replayRun(agentOf([], { protocol }), request, lines);
      const executor = recordedExecutor(recordedActions(log));
      await replayRun(agentOf([], { protocol }), defineRun({ ...request, executor }), lines);
      assertEquals([executor.unused, executor.mismatch], [[], undefined]);
    }
  });
}

Deno.test("recordedModel() names the first message that differs, whatever character of whatever text was changed", async () => {
  const script = ["do a", "do b 🌊", "gibberish", "do c", "answer 1"];
  const context = {
    runLevel: [textMessage("system", "Be brief, and say what you see.")],
    goalLevel: [textMessage("user", "What is outside? 🌊"), textMessage("user", "Look well.")],
  };
  const { log, prompts } = await made(memoryStore(), "text", script, { context });
  const calls = recordedCalls(log);
  const draw = drawing(7);
  for (let mutation = 0; mutation < 200; mutation++) {
    const step = draw(prompts.length);
    const prompt = prompts[step]!;
    const message = draw(prompt.length);
    const changed = prompt.map((each, i) => {
      const [block] = each.content;
      assert(block?.type === "text");
      const points = [...block.text];
      const at = draw(points.length);
      points[at] = points[at] === "x" ? "y" : "x";
      return i === message ? { ...each, content: [{ ...block, text: points.join("") }] } : each;
    });
    const model = recordedModel(calls);
    const { signal } = new AbortController();
    const call = { callId: `other/s${step}`, attempt: 1, binding: {}, signal, draining: signal };
    const error = await rejection(model.call({ ...call, messages: changed }));
    assert(error instanceof Error);
    assertEquals(model.mismatch?.path, `messages[${message}].content[0].text`);
    assertStringIncludes(error.message, `message ${message} (content[0].text)`);
    const told = await model.call({ ...call, messages: prompt });
    assertEquals(told, log.steps[step]?.reply);
  }
});

Deno.test("recordedModel() takes no other tools, no other binding, and no call that is not on record", async () => {
  const { log } = await made(memoryStore(), "native", ["do a", "answer 1"]);
  const calls = recordedCalls(log);
  const { signal } = new AbortController();
  const { messages, tools, binding } = calls[0]!;
  assertEquals(tools?.map(({ name }) => name), ["submit", "the"]);
  const call = {
    callId: "r/s0",
    attempt: 1,
    messages,
    tools: tools!,
    binding,
    signal,
    draining: signal,
  };
  const { tools: _, ...toolless } = call;
  const changes = [
    [{ ...call, tools: [{ ...tools![0]!, description: "!" }, tools![1]!] }, "tools[0].description"],
    [toolless, "tools"],
    [{ ...call, binding: { cell: "b" } }, "binding.cell"],
    [{ ...call, callId: "r/s9" }, undefined],
  ] as const;
  for (const [changed, path] of changes) {
    const model = recordedModel(calls);
    await rejection(model.call(changed));
    assertEquals(model.mismatch?.path, path);
    assertEquals(model.unused, ["s0", "s1"]);
  }
});

Deno.test("recordedModel() throws again what was thrown, so that the new record has the same error", async () => {
  const { log, lines } = await made(memoryStore(), "text", [new TypeError("down"), "answer 1"]);
  assertEquals(log.steps[0]?.error, { name: "TypeError", message: "down" });
  await replayRun(agentOf([]), requestOf(), lines);
});

Deno.test("recordedExecutor() gives back what the executor said of its actions, and executes nothing else", async () => {
  const { log } = await made(memoryStore(), "native", ["do again; do b", "use submit x"], {
    maxConcurrentActions: 2,
  });
  const executor = recordedExecutor(recordedActions(log));
  assertEquals(executor.replayPolicy?.({ do: "again" }), "replayable");
  assertEquals(executor.replayPolicy?.({ do: "b" }), "never");
  assertEquals([executor.concurrent?.({ do: "b" }), executor.concurrent?.({ do: "x" })], [
    true,
    false,
  ]);
  assertEquals([executor.completes?.("submit"), executor.completes?.("the")], [true, false]);
  const { signal } = new AbortController();
  const call = { actionId: "q/s0_a1", attempt: 1, signal };
  const error = await rejection(executor.execute({ ...call, action: { do: "c" } }));
  assert(error instanceof Error);
  assertStringIncludes(error.message, "action.do");
  assertEquals([executor.mismatch?.key, executor.mismatch?.path], ["s0_a1", "action.do"]);
  assertEquals((await executor.execute({ ...call, action: { do: "b" } })).observation, "did b");
  assertEquals(executor.unused, ["s0_a0", "s1_a0"]);
});

Deno.test("replayRun() names what is another: a prompt, a result that no prompt shows, and the end", async () => {
  const executor = wordExecutor();
  const { lines } = await made(memoryStore(), "text", ["do a", "use submit b"], { executor });
  const other = wordExecutor((word) =>
    word === "b"
      ? Promise.resolve({
        status: "executed",
        failed: false,
        completed: false,
        observation: "!",
        observationSynthetic: false,
        truncatedChars: 0,
      })
      : undefined
  );
  const cases: readonly (readonly [RunRequest, string, string])[] = [
    [
      requestOf({ context: { runLevel: [], goalLevel: [textMessage("user", "go")] } }),
      "prompt",
      "messages[0]",
    ],
    [requestOf({ executor: other }), "result", "actions[0].observation"],
    [requestOf({ budget: { maxSteps: 1 } }), "stop", "steps"],
  ];
  for (const [request, what, path] of cases) {
    const error = await rejection(replayRun(agentOf([]), request, lines));
    assert(error instanceof ReplayMismatchError, String(error));
    assertEquals(error.difference.what, what);
    assertStringIncludes(error.difference.path, path);
    assertStringIncludes(error.message, "record the run anew");
  }
  assertEquals(
    (await replayRun(agentOf([]), requestOf({ budget: { maxSteps: 9 } }), lines)).stopReason,
    "tool_completed",
  );
});

Deno.test("replayRun() refuses a run that its time ended, unless it is given a clock", async () => {
  const clock = () => {
    let ms = 0;
    return () => ms += 1_000;
  };
  const spec = { budget: { maxActiveMs: 5_000 } };
  const { log, lines } = await made(memoryStore(), "text", ["do a", "do b", "do c"], spec, {
    now: clock(),
  });
  assertEquals(log.finished?.stopReason, "time_budget_exhausted");
  const error = await rejection(replayRun(agentOf([]), requestOf(spec), lines));
  assert(error instanceof InvalidRequestError);
  assertStringIncludes(error.message, "options.now");
  await replayRun(agentOf([]), requestOf(spec), lines, { now: clock() });
});

Deno.test("recordedCalls() names the entry of the call whose prompt its log does not give", async () => {
  const store = memoryStore();
  const down = {
    call: () => Promise.reject(new Error("down")),
    parameters: () => ({ name: "script" }),
  };
  const options = { now, onModelFailure: "suspend" } as const;
  await rejection(run(agentOf(down, { store }), requestOf(), options));
  await resume(agentOf(["do a", "do b", "answer 1"], { store }), requestOf(), options);
  const lines = await store.readRun("r") ?? [];
  const lied = readLog(
    forged(
      lines,
      (record) =>
        record.type === "decision" && record.stepIndex === 0
          ? { ...record, historyText: "do something else" }
          : record,
    ),
  );
  const error = assertThrows(() => recordedCalls(lied), RunLogCorruptError);
  assertEquals(lied.calls.map(({ callId }) => callId), ["r/s0", "r/s0", "r/s1", "r/s2"]);
  assertEquals(error.seq, lied.callEntries[2]);
});
