import { assert, assertEquals, assertThrows } from "@std/assert";
import { InvalidRequestError, RunLogCorruptError } from "../../../mod.ts";
import { digest, type LogRecord } from "../../../types/mod.ts";
import { readLog, rebuildPrompt, verifyLog } from "../../../session/mod.ts";
import { forged } from "./forged.ts";
import { recorded } from "./recorded_run.ts";

Deno.test("readLog() gives what the run's result gave, from the lines alone", async () => {
  const { result, lines } = await recorded();
  const log = readLog(lines);
  assertEquals([log.runId, log.entries, log.logHead], ["r", lines.length, result.logHead]);
  assertEquals([log.steps, log.counters], [result.steps, result.counters]);
  assertEquals({ stopReason: log.finished?.stopReason, open: log.open }, {
    stopReason: result.stopReason,
    open: undefined,
  });
  assert(Object.isFrozen(log) && Object.isFrozen(log.steps) && Object.isFrozen(log.callEntries));
  for (const part of [result, result.steps, result.stopConditions, result.counters]) {
    assert(Object.isFrozen(part), JSON.stringify(part));
  }
});

Deno.test("readLog() says what an open log waits for, at every prefix", async () => {
  const { lines } = await recorded();
  const awaited = lines.map((_, i) => {
    const { open, steps, finished } = readLog(lines.slice(0, i + 1));
    return open?.awaits ?? (finished === undefined ? `step ${steps.length}` : "nothing");
  });
  assertEquals(awaited, [
    "step 0",
    "reply",
    "action_result",
    "action_result",
    "step 1",
    "reply",
    "step 2",
    "reply",
    "step 3",
    "reply",
    "action_result",
    "step 4",
    "nothing",
  ]);
  const { open } = readLog(lines.slice(0, 4));
  const { openAction, actions, ...rest } = open!;
  assertEquals({
    stepIndex: rest.stepIndex,
    modelCallId: rest.modelCallId,
    modelAttempts: rest.modelAttempts,
    year: rest.startedAt.slice(0, 4),
  }, { stepIndex: 0, modelCallId: "r/s0", modelAttempts: 1, year: "2026" });
  assertEquals({
    actions: actions.length,
    actionId: openAction?.actionId,
    attempts: openAction?.attempts,
    ordinal: openAction?.ordinal,
  }, { actions: 1, actionId: "r/s0_a1", attempts: 1, ordinal: 1 });
});

Deno.test("readLog() refuses what is no log, with the seq", () => {
  for (const lines of [[], [""], ["not a log"], ["null"], ['{"records":[{"runId":5}]}']]) {
    const error = assertThrows(() => readLog(lines), RunLogCorruptError);
    assertEquals(error.seq, 0);
  }
});

Deno.test("rebuildPrompt() gives every prompt byte for byte as the model got it, open calls too", async () => {
  const { model, lines } = await recorded();
  const sent = model.calls.map(({ messages }) => JSON.stringify(messages));
  for (let length = 1; length <= lines.length; length++) {
    const log = readLog(lines.slice(0, length));
    const rebuilt = log.callEntries.map((_, i) => JSON.stringify(rebuildPrompt(log, i)));
    assertEquals(rebuilt, sent.slice(0, rebuilt.length));
    if (length === lines.length) assertEquals(rebuilt.length, sent.length);
    assertThrows(() => rebuildPrompt(log, rebuilt.length), InvalidRequestError, "model calls");
  }
  for (const index of [-1, 0.5, NaN]) {
    assertThrows(() => rebuildPrompt(readLog(lines), index), InvalidRequestError, "callIndex");
  }
});

Deno.test("rebuildPrompt() refuses a log without inputs, and one that does not give its prompts", async () => {
  const bare = readLog((await recorded({ recordInputs: false })).lines);
  assertThrows(() => rebuildPrompt(bare, 0), InvalidRequestError, "without its inputs");
  const { lines } = await recorded();
  const other = (record: LogRecord) =>
    record.type === "model_call_intent" ? { ...record, promptDigest: digest("other") } : record;
  for (const length of [2, lines.length]) {
    const log = readLog(forged(lines.slice(0, length), other));
    const error = assertThrows(() => rebuildPrompt(log, 0), RunLogCorruptError);
    assertEquals(error.seq, 1);
  }
  const template = readLog(
    forged(
      lines,
      (record) =>
        record.type === "run_started"
          ? { ...record, parameters: { ...record.parameters, "request.observation_template": "{" } }
          : record,
    ),
  );
  assertThrows(() => rebuildPrompt(template, 0), RunLogCorruptError, "prompt");
});

Deno.test("readLog() and verifyLog() ask of no line whether the store holds the run", () => {
  const words = "there is no line: does the store hold the run?";
  assertThrows(() => readLog([]), RunLogCorruptError, words);
  const { fault } = verifyLog([]);
  assertEquals([fault?.seq, fault?.code, fault?.message.endsWith(words)], [0, "grammar", true]);
});
