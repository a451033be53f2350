import { InvalidRequestError, present } from "../types/mod.ts";
import { refuseRedacted } from "./_reading/redacted.ts";
import type { RunRequest } from "./define_run.ts";
import { requireLog, type RunLog } from "./read_log.ts";

/** What a log has of its request: all of it that is data and not a limit, a port or a way of doing things. */
export type RequestInputs = Pick<
  RunRequest,
  "context" | "injections" | "report" | "fingerprints" | "derivedFrom" | "parent"
>;

/**
 * What the request of a recorded run was made from. A run whose context was gathered, from files or a search, is resumed
 * with what was gathered then, not with what would be found now.
 *
 * @example
 * ```ts
 * import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
 * import { jsonActionInterpreter } from "@polyloop/polyloop/adapters/json-action-interpreter";
 * import {
 *   defineAgent,
 *   defineRun,
 *   driftsOf,
 *   readLog,
 *   requestInputs,
 *   run,
 *   type RunSpec,
 * } from "@polyloop/polyloop/session";
 * import { memoryStore } from "@polyloop/polyloop/stores/memory";
 * import { textMessage } from "@polyloop/polyloop/types";
 * import { assertEquals } from "@std/assert";
 *
 * const store = memoryStore();
 * const agent = defineAgent({
 *   model: scriptedModel(['{"final_answer": "calm"}']),
 *   interpreter: jsonActionInterpreter(),
 *   store,
 * });
 * const task: Omit<RunSpec, "context"> = {
 *   runId: "sea",
 *   budget: { maxSteps: 3, maxModelCalls: 3, maxPromptChars: 10_000, maxConsecutiveFailures: 1 },
 *   executor: { execute: () => Promise.reject(new Error("no actions")), parameters: () => ({}) },
 * };
 * const gathered = [textMessage("user", `The sea at ${Date.now()}?`)];
 * await run(agent, defineRun({ ...task, context: { runLevel: [], goalLevel: gathered } }));
 *
 * const log = readLog((await store.readRun("sea"))!);
 * const request = defineRun({ ...task, ...requestInputs(log) });
 * assertEquals(driftsOf(log, agent, request), []);
 * ```
 *
 * @param log A log that `readLog` read.
 * @throws {InvalidRequestError} If it is none, is redacted, or was recorded with `recordInputs: false`.
 */
export function requestInputs(log: RunLog): RequestInputs {
  requireLog(log);
  refuseRedacted(log.started);
  const { started: { inputs, derivedFrom, parent }, settings: { fingerprints } } = log;
  if (inputs === undefined) {
    throw new InvalidRequestError("log", log.runId, "it was recorded without its inputs");
  }
  const { context, injections, report } = inputs;
  return Object.freeze(present({ context, injections, report, fingerprints, derivedFrom, parent }));
}
