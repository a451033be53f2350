import { recordedModel } from "../../adapters/recorded_model.ts";
import {
  type AgentDefinition,
  defineAgent,
  diffLogs,
  type LogDifference,
  parameterSnapshot,
  readLog,
  recordedCalls,
  run,
  type RunLog,
  type RunOptions,
  type RunRequest,
} from "../../session/mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import {
  InvalidRequestError,
  PolyLoopError,
  type RunResult,
  shownDifference,
} from "../../types/mod.ts";

/** A run that was made again is not the recorded one. */
export class ReplayMismatchError extends PolyLoopError {
  /** The first thing in which they differ. */
  readonly difference: LogDifference;

  /** Makes an error for a difference of which `a` is the recorded run's part. */
  constructor(difference: LogDifference) {
    const { what, step, path, a, b } = difference;
    const [was, is] = shownDifference(a, b);
    super(
      "replay_mismatch",
      `Cannot replay the run as its ${what} is another at step ${step}, "${path}"\n` +
        `  recorded: ${was}\n  now:      ${is}\n` +
        "If the change is meant, record the run anew: its log is the recording",
    );
    this.difference = difference;
  }
}

/**
 * Makes a recorded run again, in memory, with the model's recorded replies: a test of an agent without a key and a
 * network, that fails where a prompt, a decision, a result or the end is another. Interpreter and executor are the agent's
 * and the request's own: give the request a `recordedExecutor`, and nothing happens at all. Only settings may be others,
 * as long as nothing of the run is.
 *
 * @example
 * ```ts
 * import { jsonActionInterpreter } from "@polyloop/polyloop/adapters/json-action-interpreter";
 * import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
 * import { ReplayMismatchError, replayRun } from "@polyloop/polyloop/contract";
 * import { defineAgent, defineRun, run } from "@polyloop/polyloop/session";
 * import { memoryStore } from "@polyloop/polyloop/stores/memory";
 * import { textMessage } from "@polyloop/polyloop/types";
 * import { assertEquals, assertRejects } from "@std/assert";
 *
 * const store = memoryStore();
 * const interpreter = jsonActionInterpreter();
 * const agent = defineAgent({ model: scriptedModel(['{"final_answer": 42}']), interpreter, store });
 * const request = (question: string) =>
 *   defineRun({
 *     runId: "asked",
 *     budget: { maxSteps: 3, maxModelCalls: 3, maxPromptChars: 10_000, maxConsecutiveFailures: 1 },
 *     executor: { execute: () => Promise.reject(new Error("no actions")), parameters: () => ({}) },
 *     context: { runLevel: [], goalLevel: [textMessage("user", question)] },
 *   });
 * await run(agent, request("6 × 7?"));
 * const lines = (await store.readRun("asked"))!; // usually a file: lines of text
 *
 * assertEquals((await replayRun(agent, request("6 × 7?"), lines)).answer, 42);
 * await assertRejects(() => replayRun(agent, request("6 × 8?"), lines), ReplayMismatchError, "6 × 8?");
 * ```
 *
 * @param agent The agent. Its model is not asked, and its store is not used.
 * @param request The request.
 * @param lines The recorded run's log: lines in order, each without LF.
 * @param options How the run is driven. Default: nothing special.
 * @returns The new run's result.
 * @throws {ReplayMismatchError} For the first difference.
 * @throws {InvalidRequestError} If an argument is not as it must be; or, by name, if the log has what cannot be replayed: no
 * end, no inputs, a call or an action of unknown outcome, an abort, a resolved action, a denial without its approver, or an
 * end by the time without a clock.
 * @throws {RunLogCorruptError} If the log is damaged.
 * @throws {SchemaVersionError} For a log that a later version wrote.
 */
export async function replayRun(
  agent: AgentDefinition,
  request: RunRequest,
  lines: readonly string[],
  options: RunOptions = {},
): Promise<RunResult> {
  parameterSnapshot(agent, request, options);
  const log = readLog(lines);
  refuseUnrepeatable(log, options);
  const model = recordedModel(recordedCalls(log), { parameters: log.settings.model });
  const store = memoryStore();
  const result = await run(defineAgent({ ...agent, model, store }), request, {
    ...options,
    existing: "refuse",
  });
  const again = readLog(await store.readRun(request.runId) ?? []);
  const difference = diffLogs(log, again);
  if (difference !== undefined && difference.what !== "setting") {
    throw new ReplayMismatchError(difference);
  }
  return result;
}

/** Refuses a log with something that came from outside the model and the environment. */
function refuseUnrepeatable(log: RunLog, { approveAction, now }: RunOptions): void {
  const refuse = (reason: string) => {
    throw new InvalidRequestError("lines", log.runId, `the run cannot be replayed: ${reason}`);
  };
  if (log.finished === undefined) refuse("it has not finished; resume it first");
  for (const { outcome, stepIndex, actions } of log.steps) {
    if (outcome === "cancelled" || outcome === "model_outcome_unknown") {
      refuse(`step ${stepIndex} is "${outcome}"`);
    }
    for (const action of actions) {
      const { actionId, status, resolvedBy } = action;
      if (status === "unknown") refuse(`nobody knows what became of ${actionId}`);
      if (resolvedBy !== undefined) refuse(`"${resolvedBy}" said what became of ${actionId}`);
      const by = status === "not_executed" ? action.denial?.by : undefined;
      if (by !== undefined && by !== approveAction?.id) {
        refuse(`"${by}" denied ${actionId}; give it as options.approveAction`);
      }
    }
  }
  const { stopConditions = [] } = log.finished ?? {};
  if (stopConditions.includes("cancelled")) refuse("it was cancelled");
  if (stopConditions.includes("time_budget_exhausted") && now === undefined) {
    refuse("its time was over; give a clock as options.now by which it is again");
  }
}
