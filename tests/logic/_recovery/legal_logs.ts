/**
 * Every legal log up to a bound, made from the grammar's words and not from the code that reads them; each record
 * comes with what a log that ends behind it waits for.
 *
 * @module
 */
import {
  type ActionResultRecord,
  type Denial,
  digest,
  type LogRecord,
  type ReplayPolicy,
  type StepOutcome,
} from "../../../types/mod.ts";
import { fuzzSample } from "../../tasks/fuzz_rounds.ts";
import {
  AT,
  type Attempts,
  type Awaits,
  call,
  calls,
  type Placed,
  RUN_ID,
  withdrawal,
} from "./legal_calls.ts";

const TOKENS_OF_A_REPLY = 3;

type FateResult =
  | { readonly status: "executed" } & Partial<Omit<Executed, "status" | "error">>
  | { readonly status: "not_executed"; readonly denial?: Denial }
  | { readonly status: "environment_failed" }
  | { readonly status: "unknown" };

type Executed = Extract<ActionResultRecord, { readonly status: "executed" }>;

/** What can become of one action: its intents, and its result. */
interface Fate {
  readonly intents: readonly ReplayPolicy[];
  /** How many of the intents, from the first, were withdrawn. */
  readonly withdrawn?: number;
  readonly resolvedBy?: string;
  readonly result: FateResult;
  /** Whether the step ends with it. */
  readonly ends?: true;
}

const FATES: readonly Fate[] = [
  { intents: ["never"], result: { status: "executed" } },
  { intents: ["replayable"], result: { status: "executed", failed: true, toolCompletes: true } },
  { intents: ["replayable", "replayable"], result: { status: "executed" } },
  { intents: ["never", "never"], resolvedBy: "ops", result: { status: "executed" } },
  { intents: ["never", "replayable"], withdrawn: 1, result: { status: "executed" } },
  { intents: ["never"], withdrawn: 1, result: { status: "not_executed" } },
  { intents: ["never"], result: { status: "not_executed" } },
  { intents: [], result: { status: "not_executed", denial: { by: "human" } } },
  { intents: ["never"], result: { status: "executed", toolCompletes: true }, ends: true },
  { intents: ["never"], result: { status: "executed", completed: true }, ends: true },
  { intents: ["never"], result: { status: "environment_failed" }, ends: true },
  { intents: ["replayable", "replayable"], result: { status: "unknown" }, ends: true },
];
const SKIPPED: Fate = { intents: [], result: { status: "not_executed" } };

/** The fates of a step's actions: behind one that ends the step, the rest is skipped. */
function* rows(length: number, fates: readonly Fate[]): Generator<readonly Fate[]> {
  if (length === 0) return yield [];
  for (const first of fates) {
    if (first.ends) yield [first, ...Array<Fate>(length - 1).fill(SKIPPED)];
    else for (const rest of rows(length - 1, fates)) yield [first, ...rest];
  }
}

type Step = (stepIndex: number) => readonly Placed[];

/** A step of withdrawn calls, in which a run may finish as if it had not begun. */
export function withdrawnOnly(attempts: readonly ("suspended" | "failed")[]): Step {
  return (n) => attempts.flatMap((given, i) => [call(n, i + 1), withdrawal(n, i + 1, given)]);
}

function reply(stepIndex: number, { length }: Attempts): Placed {
  const attempt = length + 1;
  const usage = { inputTokens: TOKENS_OF_A_REPLY - 1, outputTokens: 1 };
  const callId = `${RUN_ID}/s${stepIndex}`;
  const record = { type: "model_reply", stepIndex, callId, attempt, reply: { text: "t", usage } };
  return { record: record as LogRecord, awaits: "decision" };
}

function end(stepIndex: number, outcome: StepOutcome, observation?: string): Placed {
  const seen = observation === undefined ? {} : { observation, observationSynthetic: false };
  return {
    record: { type: "step", stepIndex, outcome, durationMs: 1, ...seen },
    awaits: "step",
  };
}

function unanswered(attempts: Attempts, outcome: StepOutcome): Step {
  return (n) => [...calls(n, attempts), end(n, outcome, outcome === "cancelled" ? undefined : "o")];
}

/** A step whose last attempt was withdrawn, and of an earlier one of which nobody knows what became. */
function lostAndWithdrawn(outcome: "model_outcome_unknown" | "cancelled"): Step {
  return (n) => [
    ...calls(n, ["lost"]),
    withdrawal(n, 2, "suspended"),
    end(n, outcome, outcome === "cancelled" ? undefined : "o"),
  ];
}

function uninterpreted(attempts: Attempts): Step {
  return (n) => [...calls(n, attempts), reply(n, attempts), end(n, "cancelled")];
}

function decided(attempts: Attempts, kind: "final_answer" | "invalid"): Step {
  return (n) => {
    const decision = kind === "invalid" ? { kind, explanation: "o" } : { kind, answer: 1 };
    const record: LogRecord = { type: "decision", stepIndex: n, decision, historyText: "t" };
    const last = kind === "invalid" ? end(n, "invalid_decision", "o") : end(n, "final_answer");
    return [...calls(n, attempts), reply(n, attempts), { record, awaits: "end" }, last];
  };
}

function acted(attempts: Attempts, fates: readonly Fate[], cancelled: boolean): Step {
  return (n) => {
    const actions = fates.map((_, i) => ({
      action: { do: i },
      toolCall: { name: "do", arguments: { i } },
    }));
    const decision = { kind: "action", actions } as const;
    const record: LogRecord = { type: "decision", stepIndex: n, decision, historyText: "t" };
    const over = fates.findIndex(({ ends }) => ends);
    const last = over < 0 ? fates.length - 1 : over;
    return [
      ...calls(n, attempts),
      reply(n, attempts),
      { record, awaits: "action" },
      ...fates.flatMap((fate, i) => action(n, i, fate, i < last ? "action" : "end")),
      end(n, cancelled ? "cancelled" : outcomeOf(fates)),
    ];
  };
}

function outcomeOf(fates: readonly Fate[]): StepOutcome {
  const statuses = fates.map(({ result }) => result.status);
  if (statuses.includes("environment_failed")) return "environment_failed";
  return statuses.includes("unknown") ? "action_outcome_unknown" : "acted";
}

function action(stepIndex: number, ordinal: number, fate: Fate, awaits: Awaits): Placed[] {
  const which = { stepIndex, ordinal, actionId: `${RUN_ID}/s${stepIndex}_a${ordinal}` };
  const intents = fate.intents.flatMap((replayPolicy, i): Placed[] => {
    const attempt = i + 1;
    const resolved = i > 0 && fate.resolvedBy !== undefined && { resolvedBy: fate.resolvedBy };
    const intent = { type: "action_intent", ...which, attempt, replayPolicy, at: AT } as const;
    const placed: Placed = {
      record: { ...intent, ...resolved },
      awaits: { outcomeOf: replayPolicy },
    };
    const withdrawn = { type: "action_withdrawn", ...which, attempt, at: AT } as const;
    return i < (fate.withdrawn ?? 0) ? [placed, { record: withdrawn, awaits: "action" }] : [placed];
  });
  return [...intents, { record: resultOf(which, fate.result), awaits }];
}

function resultOf(
  which: Pick<ActionResultRecord, "stepIndex" | "ordinal" | "actionId">,
  result: FateResult,
): ActionResultRecord {
  const rest = {
    type: "action_result",
    ...which,
    observation: "o",
    observationSynthetic: false,
    toolCompletes: false,
    truncatedChars: 0,
    durationMs: 1,
  } as const;
  return result.status === "executed"
    ? { ...rest, failed: false, completed: false, ...result }
    : { ...rest, ...result };
}

/** Every step up to the bound: three attempts of a call, three actions. */
export function legalSteps(): readonly Step[] {
  const steps: Step[] = [
    lostAndWithdrawn("model_outcome_unknown"),
    lostAndWithdrawn("cancelled"),
    decided(["failed", "lost"], "invalid"),
    decided(["suspended", "suspended"], "final_answer"),
  ];
  const rowsOfAttempts: readonly Attempts[] = [[], ["lost"], ["suspended"]];
  for (const attempts of rowsOfAttempts) {
    for (const outcome of ["model_call_failed", "model_outcome_unknown", "cancelled"] as const) {
      steps.push(unanswered(attempts, outcome));
    }
    steps.push(uninterpreted(attempts), decided(attempts, "final_answer"));
    steps.push(decided(attempts, "invalid"));
    const few = FATES.filter((_, i) => i % 3 === 1);
    const lists = [
      ...rows(1, FATES),
      ...rows(2, FATES),
      ...rows(3, attempts.length === 0 ? few : []),
    ];
    for (const fates of lists) {
      steps.push(acted(attempts, fates, false));
      const unfinished = fates.some(({ result: { status } }) =>
        status === "not_executed" || status === "unknown"
      );
      if (unfinished) steps.push(acted(attempts, fates, true));
    }
  }
  return steps;
}

/** A log of these steps, with or without its end. */
export function logOf(steps: readonly Step[], finished: boolean): readonly Placed[] {
  const started: LogRecord = {
    type: "run_started",
    runId: RUN_ID,
    parameters: {
      "request.tool_protocol": "native",
      "request.model_replay_policy": "replayable",
    },
    contextDigest: digest(""),
    runtime: { polyloop: "0.0.0" },
    at: AT,
  };
  const log: Placed[] = [{ record: started, awaits: "step" }];
  steps.forEach((step, i) => log.push(...step(i)));
  return finished ? [...log, { record: finishOf(log), awaits: "nothing" }] : log;
}

function finishOf(log: readonly Placed[]): LogRecord {
  const count = (type: LogRecord["type"]) =>
    log.filter(({ record }) => record.type === type).length;
  const steps = count("step");
  return {
    type: "run_finished",
    stopReason: "step_budget_exhausted",
    stopConditions: ["step_budget_exhausted"],
    counters: {
      steps,
      modelCalls: count("model_call_intent"),
      withdrawnCalls: count("model_call_withdrawn"),
      totalTokens: count("model_reply") * TOKENS_OF_A_REPLY,
      largestPromptChars: Math.max(0, ...log.map(({ record }) => promptCharsOf(record))),
    },
    abandoned: [],
    at: AT,
  };
}

function promptCharsOf(record: LogRecord): number {
  return record.type === "model_call_intent" ? record.promptChars : 0;
}

/**
 * Every log of up to two steps that the bound allows: all of one step, and pairs of every fifth with every ninth, of
 * which the tests take a sample.
 */
export function* legalLogs(): Generator<readonly Placed[]> {
  const steps = legalSteps();
  const seconds = steps.filter((_, i) => i % 5 === 0);
  const pairs = fuzzSample(
    steps.filter((_, i) => i % 9 === 0)
      .flatMap((first) => seconds.map((second) => [first, second])),
  );
  for (const finished of [false, true]) {
    yield logOf([], finished);
    yield logOf([withdrawnOnly(["suspended", "failed"])], finished);
    for (const step of steps) yield logOf([step], finished);
    for (const pair of pairs) yield logOf(pair, finished);
  }
}
