import { assert, assertEquals, assertInstanceOf } from "@std/assert";
import { advance, startPosition } from "../../../logic/_recovery/mod.ts";
import {
  checkShape,
  LOG_RECORD_TYPES,
  type LogRecord,
  logRecordShape,
  RunLogCorruptError,
  STEP_OUTCOMES,
  type StepOutcome,
} from "../../../types/mod.ts";
import { IS_WHOLE } from "../../tasks/fuzz_rounds.ts";
import { RUN_ID } from "./legal_calls.ts";
import { legalSteps, logOf, withdrawnOnly } from "./legal_logs.ts";

/** Every log of one step, and some of two, as records: a sample of them, but for the whole task. */
const LOGS: readonly (readonly LogRecord[])[] = [false, true].flatMap((finished) => {
  const steps = legalSteps();
  const pairs = steps.filter((_, i) => i % 40 === 0)
    .flatMap((first) => steps.filter((_, i) => i % 60 === 7).map((second) => [first, second]));
  const unended = [steps[0]!, withdrawnOnly(["suspended", "failed"])];
  return [...steps.map((step) => [step]), ...pairs, unended]
    .filter((_, i) => IS_WHOLE || i % 25 === 3)
    .map((list) => logOf(list, finished).map(({ record }) => record));
});

/** Whether a log reads: each record has its shape, as the codec checks first, and stands where it may. */
function reads(records: readonly LogRecord[]): boolean {
  let position = startPosition(RUN_ID);
  for (const [seq, record] of records.entries()) {
    if (!checkShape(record, logRecordShape).ok) return false;
    try {
      position = advance(position, record, seq);
    } catch (error) {
      assertInstanceOf(error, RunLogCorruptError);
      assertEquals([error.runId, error.seq], [RUN_ID, seq]);
      return false;
    }
  }
  return true;
}

function refuse(records: readonly LogRecord[], what: () => string): void {
  if (reads(records)) throw new Error(`it reads: ${what()}\n${JSON.stringify(records)}`);
}

/**
 * The deletions that leave another legal log, exactly. The hash chain forbids them; the grammar cannot:
 *
 * - the last intent before a result, if it was a replay, or if the result is `not_executed` (a denial looks so)
 * - the withdrawal of an action that was not executed in the end: so it may be of an executor's own word
 * - the last of several attempts of a call that was never answered, unless a finished record counts the calls
 * - the withdrawal of a call that may be replayed, unless a finished record counts it: the attempt looks lost
 * - a reply that was never interpreted, unless a finished record counts its tokens
 */
function staysLegal(log: readonly LogRecord[], at: number): boolean {
  const [before, gone, next] = [log[at - 1], log[at]!, log[at + 1]!];
  const finished = log.at(-1)!.type === "run_finished";
  switch (gone.type) {
    case "action_intent":
      return next.type === "action_result" &&
        (before?.type === "action_intent" || next.status === "not_executed");
    case "action_withdrawn":
      return next.type === "action_result";
    case "model_call_intent":
      return before?.type === "model_call_intent" && next.type === "step" && !finished;
    case "model_call_withdrawn":
      return !finished;
    case "model_reply":
      return next.type === "step" && !finished;
    default:
      return false;
  }
}

Deno.test("advance() refuses every log that lost a record, but for the last and the exact exceptions", () => {
  let exceptions = 0;
  for (const log of LOGS) {
    assert(reads(log));
    for (let at = 0; at < log.length - 1; at++) {
      const legal = staysLegal(log, at);
      if (legal) exceptions++;
      assertEquals(reads(log.toSpliced(at, 1)), legal, `without ${at}: ${JSON.stringify(log)}`);
    }
  }
  assert(exceptions > 0);
});

Deno.test("advance() refuses every log in which a record stands twice", () => {
  for (const log of LOGS) {
    for (let from = 0; from < log.length; from++) {
      for (let to = from + 1; to <= log.length; to++) {
        refuse(log.toSpliced(to, 0, log[from]!), () => `${from} also before ${to}`);
      }
    }
  }
});

Deno.test("advance() refuses every log in which two records changed places", () => {
  for (const log of LOGS) {
    for (let a = 0; a < log.length; a++) {
      for (let b = a + 1; b < log.length; b++) {
        refuse(log.with(a, log[b]!).with(b, log[a]!), () => `${a} and ${b}`);
      }
    }
  }
});

/** Every change of a record's type, ids, index, ordinal or attempt. */
function* changes(record: LogRecord): Generator<object> {
  for (const type of LOG_RECORD_TYPES) if (type !== record.type) yield { type };
  const fields: Readonly<Record<string, unknown>> = { ...record };
  for (const id of ["runId", "callId", "actionId"]) {
    if (id in fields) {
      for (const other of ["", `${fields[id]}x`, String(fields[id]).replace("r", "q")]) {
        yield { [id]: other };
      }
    }
  }
  for (const number of ["stepIndex", "ordinal", "attempt"]) {
    if (number in fields) {
      for (const by of [-1, 1, 2]) yield { [number]: (fields[number] as number) + by };
    }
  }
}

Deno.test("advance() refuses every change of a type, an id, an index, an ordinal or an attempt", () => {
  let changed = 0;
  for (const log of LOGS) {
    for (const [at, record] of log.entries()) {
      for (const change of changes(record)) {
        refuse(log.with(at, { ...record, ...change }), () => `${at}: ${JSON.stringify(change)}`);
        changed++;
      }
    }
  }
  assert(changed > 10_000);
});

/** Changes of other facts that the records around them contradict. */
const CONTRADICTIONS: readonly (readonly [LogRecord["type"], object])[] = [
  ["run_finished", { stopReason: "cancelled" }],
  ["run_finished", {
    counters: {
      steps: 1,
      modelCalls: 1,
      withdrawnCalls: 9,
      totalTokens: 3,
      largestPromptChars: 7,
    },
  }],
  ["run_finished", {
    counters: { steps: 9, modelCalls: 1, withdrawnCalls: 0, totalTokens: 3, largestPromptChars: 7 },
  }],
  ["run_finished", {
    counters: { steps: 1, modelCalls: 9, withdrawnCalls: 0, totalTokens: 3, largestPromptChars: 7 },
  }],
  ["run_finished", {
    counters: { steps: 1, modelCalls: 1, withdrawnCalls: 0, totalTokens: 9, largestPromptChars: 7 },
  }],
  ["run_finished", {
    counters: { steps: 1, modelCalls: 1, withdrawnCalls: 0, totalTokens: 3, largestPromptChars: 9 },
  }],
];

Deno.test("advance() holds the counters and the reason of the finished record to the records", () => {
  for (const log of LOGS) {
    if (log.at(-1)!.type !== "run_finished") continue;
    for (const [type, change] of CONTRADICTIONS) {
      const at = log.findIndex((record) => record.type === type);
      refuse(log.with(at, { ...log[at]!, ...change }), () => JSON.stringify(change));
    }
  }
});

const ACTED: readonly StepOutcome[] = ["acted", "environment_failed", "action_outcome_unknown"];

/** The outcomes that a step's records allow: its own, and `cancelled` where an action has no execution. */
function possibleOutcomes(records: readonly LogRecord[], own: StepOutcome): readonly StepOutcome[] {
  const results = records.filter((record) => record.type === "action_result");
  if (!records.some(({ type }) => type === "model_reply")) {
    const unknown: readonly StepOutcome[] = ["model_outcome_unknown", "cancelled"];
    return records.at(-1)!.type === "model_call_intent"
      ? ["model_call_failed", ...unknown]
      : unknown;
  }
  if (results.length === 0) return [own];
  const statuses = results.map(({ status }) => status);
  const unfinished = statuses.includes("not_executed") || statuses.includes("unknown");
  const broken = statuses.includes("environment_failed");
  const acted = broken ? ACTED[1]! : statuses.includes("unknown") ? ACTED[2]! : ACTED[0]!;
  return unfinished ? [acted, "cancelled"] : [acted];
}

Deno.test("advance() refuses every outcome of a step that its records do not allow", () => {
  for (const log of LOGS) {
    const at = log.findIndex(({ type }) => type === "step");
    const step = log[at]!;
    assert(step.type === "step");
    const possible = possibleOutcomes(log.slice(0, at), step.outcome);
    for (const outcome of STEP_OUTCOMES) {
      const { observation: _, observationSynthetic: __, ...bare } = step;
      const shown = /invalid|model/.test(outcome)
        ? { observation: "o", observationSynthetic: true }
        : {};
      const changed = log.slice(0, at).concat({ ...bare, ...shown, outcome });
      assertEquals(
        reads(changed),
        possible.includes(outcome),
        `${outcome}: ${JSON.stringify(log)}`,
      );
      const opposite = "observation" in shown
        ? bare
        : { ...bare, observation: "o", observationSynthetic: true };
      refuse(log.slice(0, at).concat({ ...opposite, outcome }), () => `observation of ${outcome}`);
    }
  }
});
