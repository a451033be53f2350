import type { UnsettledAction } from "../../logic/_recovery/mod.ts";
import { present } from "../../types/mod.ts";
import type { Settled } from "../_live/interrupt.ts";
import type { LiveRun } from "../_live/live_run.ts";
import { thrownInfo } from "../_live/thrown_info.ts";
import { brokenEnvironment, executedResult, recordResult, skippedResult } from "./action_result.ts";
import { askCompletes, askReplayPolicy } from "./ask_executor.ts";
import { interruptStep } from "./interrupt_step.ts";
import { isSuspending, type Suspension } from "./suspension.ts";

/** Executes actions, several at once, each behind its intent; and gathers their results. */
export async function execute(
  live: LiveRun,
  actions: readonly UnsettledAction[],
  resolvedBy?: string,
): Promise<Suspension | undefined> {
  const attempts = await intend(live, actions, resolvedBy);
  const running = attempts.map((attempt) => start(live, attempt));
  const [only] = running;
  const isKnown = only !== undefined && running.length === 1
    ? recordEnd(live, await only)
    : await recordEnds(live, running);
  return isKnown ? undefined : await interruptStep(live);
}

/**
 * Gathers results as they come: each but the last is written by itself, so that it is known whatever becomes of the
 * others. Whether each action has its result.
 */
async function recordEnds(
  live: LiveRun,
  running: readonly Promise<EndedAttempt>[],
): Promise<boolean> {
  let areKnown = true;
  const pending = new Set(running);
  try {
    while (pending.size > 0) {
      const [ended, promise] = await Promise.race([...pending].map(withItself));
      pending.delete(promise);
      areKnown = recordEnd(live, ended) && areKnown;
      if (pending.size > 0) await live.journal.flush();
    }
    return areKnown;
  } finally {
    // Nothing is left running, also where the store failed.
    await Promise.all(pending);
  }
}

async function withItself<T>(promise: Promise<T>): Promise<readonly [T, Promise<T>]> {
  return [await promise, promise];
}

/** An attempt at an action. */
interface Attempt {
  readonly action: UnsettledAction;
  readonly attempt: number;
  readonly toolCompletes: boolean;
}

/** An attempt that is over. */
interface EndedAttempt extends Attempt {
  readonly settled: Settled<unknown>;
  readonly durationMs: number;
}

/** Writes the intents of actions, as one entry. */
async function intend(
  live: LiveRun,
  actions: readonly UnsettledAction[],
  resolvedBy: string | undefined,
): Promise<readonly Attempt[]> {
  const { journal, clock } = live;
  const attempts = actions.map((action) => {
    const { stepIndex, ordinal, actionId, planned } = action;
    const attempt = action.attempts + 1;
    const replayPolicy = askReplayPolicy(live, planned);
    const toolCompletes = askCompletes(live, planned);
    const which = { stepIndex, ordinal, actionId, attempt };
    const intent = { ...which, replayPolicy, resolvedBy, at: clock.iso() };
    journal.record(present({ type: "action_intent", ...intent } as const));
    return { action, attempt, toolCompletes };
  });
  await journal.flush();
  return attempts;
}

/** Executes an action. Never rejects. */
async function start(live: LiveRun, began: Attempt): Promise<EndedAttempt> {
  const { clock, interrupt, events, request } = live;
  const { attempt, action: { stepIndex, ordinal, actionId, planned } } = began;
  const { action, toolName } = planned;
  const startedMs = clock.ms();
  if (events.listening && !interrupt.aborted) {
    const which = { stepIndex, ordinal, actionId, attempt, action, toolName };
    events.emit(present({ type: "action_started", ...which } as const));
  }
  const settled = await interrupt.settle<unknown>((signal) => {
    const call = present({ action, toolName, actionId, attempt, signal });
    return request.executor.execute(Object.freeze(call));
  });
  return { ...began, settled, durationMs: clock.ms() - startedMs };
}

/** Gathers what is known of an attempt that is over. Whether its action has its result: an abort may have come first. */
function recordEnd(live: LiveRun, ended: EndedAttempt): boolean {
  const { action, attempt, toolCompletes, settled, durationMs } = ended;
  const { stepIndex, ordinal, actionId } = action;
  switch (settled.kind) {
    case "returned": {
      const result = executedResult(live, settled.value, toolCompletes, durationMs);
      if (result.status === "environment_failed" && result.effect) live.abandoned.push(actionId);
      recordResult(live, action, result);
      return true;
    }
    case "threw": {
      const error = thrownInfo(live, settled.error);
      recordResult(live, action, brokenEnvironment(live, error, toolCompletes, durationMs));
      return true;
    }
    case "abandoned":
      live.abandoned.push(actionId);
      return false;
    case "interrupted":
      return false;
    case "not_started": {
      if (!isSuspending(live)) {
        recordResult(live, action, skippedResult(live));
        return false;
      }
      const which = { stepIndex, ordinal, actionId, attempt };
      live.journal.record({ type: "action_withdrawn", ...which, at: live.clock.iso() });
      return false;
    }
  }
}
