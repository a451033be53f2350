/**
 * An executor that gives the outcomes of a recorded run, and takes nothing but its actions: with `recordedModel` a run is
 * made again in which nothing happens.
 *
 * @example
 * ```ts
 * import { recordedExecutor } from "@polyloop/polyloop/adapters/recorded-executor";
 * import { assertEquals } from "@std/assert";
 *
 * const executor = recordedExecutor([{
 *   key: "s0_a0",
 *   action: { tool: "look" },
 *   replayPolicy: "never",
 *   concurrent: false,
 *   toolCompletes: false,
 *   outcome: {
 *     status: "executed",
 *     failed: false,
 *     completed: false,
 *     observation: "rain",
 *     observationSynthetic: false,
 *     truncatedChars: 0,
 *   },
 * }]);
 * const { signal } = new AbortController();
 * const call = { action: { tool: "look" }, actionId: "again/s0_a0", attempt: 1, signal };
 * assertEquals((await executor.execute(call)).observation, "rain");
 * ```
 *
 * @module
 */
import type { ActionExecutor, RecordedAction } from "../ports/mod.ts";
import {
  copyField,
  EnvironmentError,
  isSameJson,
  type KnownFields,
  mapShape,
  refuseUnknownFields,
  requireArray,
  stringShape,
} from "../types/mod.ts";
import { mismatchIn, mismatchText, type RecordedMismatch } from "./_recorded/mismatch.ts";
import { thrownAgain } from "./_recorded/thrown_again.ts";

export type { RecordedMismatch } from "./_recorded/mismatch.ts";

/** An executor that gives the outcomes of a recorded run. */
export interface RecordedExecutor extends ActionExecutor {
  /** The first action that was not the recorded one; `undefined` if there was none yet. */
  readonly mismatch: RecordedMismatch | undefined;
  /** The keys of the recorded actions that were not asked for yet, in order. */
  readonly unused: readonly string[];
}

/** Options of {@link recordedExecutor}. */
export interface RecordedExecutorOptions {
  /**
   * What it reports of its configuration: `log.settings.executor` has the new run record what the old one did.
   *
   * By default: that its kind is `recorded`.
   */
  readonly parameters?: Readonly<Record<string, string>>;
}

const OPTIONS: KnownFields<RecordedExecutorOptions> = { parameters: true };

/**
 * An executor that gives the recorded outcomes, throws again what was thrown, and says of replaying, of running at once
 * and of completing what the recorded one said. It is strict: an action that is not the recorded one, or is not on record,
 * is refused by an {@link EnvironmentError} that names the first place that differs. It never executes anything.
 *
 * @param actions What `recordedActions` gives.
 * @throws {InvalidRequestError} If there is no array of actions, or no option of a name.
 */
export function recordedExecutor(
  actions: readonly RecordedAction[],
  options: RecordedExecutorOptions = {},
): RecordedExecutor {
  requireArray("actions", actions);
  refuseUnknownFields(options, OPTIONS);
  const recordings = new Map(Array.from(actions, (action, i) => {
    return [copyField(`actions[${i}].key`, Object(action).key, stringShape), action];
  }));
  const { parameters = { kind: "recorded" } } = options;
  const reported = copyField("options.parameters", parameters, mapShape(stringShape));
  const unused = new Set(recordings.keys());
  let mismatch: RecordedMismatch | undefined;
  const refusal = (found: RecordedMismatch) => {
    mismatch ??= found;
    return new EnvironmentError(mismatchText(found));
  };
  return {
    // deno-lint-ignore require-await -- what it throws is a rejection
    async execute({ action, actionId, signal }) {
      signal.throwIfAborted();
      const key = actionId.slice(actionId.indexOf("/") + 1);
      const recorded = recordings.get(key);
      if (recorded === undefined) throw refusal({ key, recorded, now: action });
      const found = mismatchIn(key, { action: recorded.action }, { action });
      if (found !== undefined) throw refusal(found);
      unused.delete(key);
      if (recorded.error !== undefined) throw thrownAgain(recorded.error);
      return recorded.outcome;
    },
    replayPolicy: (action) =>
      actions.some((recorded) =>
          recorded.replayPolicy === "replayable" && isSameJson(recorded.action, action)
        )
        ? "replayable"
        : "never",
    concurrent: (action) =>
      actions.some((recorded) => recorded.concurrent && isSameJson(recorded.action, action)),
    completes: (toolName) =>
      actions.some((recorded) => recorded.toolCompletes && recorded.toolName === toolName),
    parameters: () => reported,
    get mismatch() {
      return mismatch;
    },
    get unused() {
      return [...unused];
    },
  };
}
