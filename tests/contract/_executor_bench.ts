import type { ActionCall, ActionExecutor } from "../../ports/mod.ts";
import {
  type ActionOutcome,
  actionOutcomeShape,
  type JsonValue,
  type ReplayPolicy,
} from "../../types/mod.ts";
import { expectShape, frozen, resolved, shown, started } from "./_port_bench.ts";

/** An action, and what the executor under test must make of it. */
export interface ExecutorSample {
  /** The action, as a decision gives it. It is really executed, several times: let it do no harm. */
  readonly action: JsonValue;
  /** The tool that it names. Absent: it names none. */
  readonly toolName?: string;
  /**
   * `succeeds`: it is executed and does not fail; `fails`: it is executed and fails by itself; `refused`: it is not
   * executed, since there is no such tool or it is malformed.
   */
  readonly result: "succeeds" | "fails" | "refused";
}

/** How the suite gets at the executor under test. */
export interface ExecutorContractOptions<E extends ActionExecutor> {
  /** Makes an executor. Called once or twice for each case; cases may run one after the other or at the same time. */
  readonly makeExecutor: () => E | Promise<E>;
  /** Actions of every kind that the executor knows, and some that it must refuse. */
  readonly samples: readonly ExecutorSample[];
  /** An action that ends only after an abort. Absent: there is none, and that case is left out. */
  readonly endlessAction?: JsonValue;
  /**
   * An action whose observation holds the action's id and `attempt <n>`, as the executor hands them on. Absent: it does
   * not hand them on, and those cases are left out.
   */
  readonly idAction?: JsonValue;
  /**
   * Whether several runs may share the executor: then it executes actions at the same time.
   *
   * @default {false}
   */
  readonly isShared?: boolean;
  /**
   * How long an action may take to settle after an abort, in milliseconds. The default is that of the cancel grace
   * of a run.
   *
   * @default {5000}
   */
  readonly graceMs?: number;
  /** Closes an executor of which the suite needs no more. Default: nothing is done. */
  readonly dispose?: (executor: E) => void | Promise<void>;
}

/** Executes a sample as a run does; fails if that throws, or the outcome has another form. */
export function outcomeOf(
  executor: ActionExecutor,
  { action, toolName }: ExecutorSample,
  parts: Partial<ActionCall> = {},
): Promise<ActionOutcome> {
  const tool = toolName === undefined ? {} : { toolName };
  return executed(executor, actionCall(action, { ...tool, ...parts }));
}

/** Executes one call; fails if that throws, or the outcome has another form. */
export async function executed(executor: ActionExecutor, call: ActionCall): Promise<ActionOutcome> {
  const what = `execute() of ${JSON.stringify(call.action).slice(0, 120)}`;
  const outcome = await resolved(started(() => executor.execute(call), what), what);
  expectShape(outcome, actionOutcomeShape, `the outcome of ${what}`);
  return outcome;
}

/** A call as a run makes it, frozen, but for an action in `parts`. */
export function actionCall(action: JsonValue, parts: Partial<ActionCall> = {}): ActionCall {
  return Object.freeze({
    action: frozen(action),
    actionId: "contract/s0_a0",
    attempt: 1,
    signal: new AbortController().signal,
    ...parts,
  });
}

/** A sample in an error message. */
export function named({ action }: ExecutorSample): string {
  return `the action ${JSON.stringify(action).slice(0, 120)}`;
}

/** What the executor says about replaying an action, `never` if it says nothing; fails if that throws. */
export function policyOf(executor: ActionExecutor, action: JsonValue): ReplayPolicy {
  const what = `replayPolicy() of ${JSON.stringify(action).slice(0, 80)}`;
  if (executor.replayPolicy === undefined) return "never";
  return answered(() => executor.replayPolicy!(action), what);
}

/** What a question that must not throw is answered. */
export function answered<T>(ask: () => T, what: string): T {
  try {
    return ask();
  } catch (cause) {
    throw new Error(`${what} threw ${shown(cause)}`, { cause });
  }
}
