import type { Next } from "../logic/_recovery/mod.ts";
import { decodedEntries } from "../logic/serialization/log_codec.ts";
import { decodeLog } from "../logic/serialization/mod.ts";
import {
  deepFreeze,
  ParameterDriftError,
  present,
  type RunFinishedRecord,
  RunNotFoundError,
  type RunResult,
  RunSuspendedError,
} from "../types/mod.ts";
import { Interrupt } from "./_live/interrupt.ts";
import { closeRun, type LiveRun, liveRun } from "./_live/live_run.ts";
import { admitLines } from "./_live/port_admission.ts";
import { refuseRedacted } from "./_reading/redacted.ts";
import { startedRecordOf } from "./_reading/started_record_of.ts";
import { driftsFrom } from "./_start/drifts_from.ts";
import { type Opening, openingOf } from "./_start/opening.ts";
import { replayLog } from "./_start/replay_log.ts";
import { startedRecord } from "./_start/started_record.ts";
import { drive, planNext } from "./_step/drive.ts";
import { emitSuspended, type Suspension } from "./_step/suspension.ts";
import type { AgentDefinition } from "./define_agent.ts";
import type { RunRequest } from "./define_run.ts";
import type { RunOptions } from "./run_options.ts";

/**
 * Makes a run, from its start to its end.
 *
 * @example
 * ```ts
 * import { defineAgent, defineRun, run, textMessage } from "@polyloop/polyloop";
 * import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
 * import { memoryStore } from "@polyloop/polyloop/stores/memory";
 * import { assertEquals } from "@std/assert";
 *
 * const agent = defineAgent({
 *   model: scriptedModel(["42"]),
 *   interpreter: {
 *     interpret: ({ text }) => ({
 *       decision: { kind: "final_answer", answer: text },
 *       historyText: text,
 *     }),
 *     parameters: () => ({}),
 *   },
 *   store: memoryStore(),
 * });
 * const request = defineRun({
 *   runId: "first-run",
 *   budget: { maxSteps: 3, maxModelCalls: 3, maxPromptChars: 10_000, maxConsecutiveFailures: 1 },
 *   executor: { execute: () => Promise.reject(new Error("no actions")), parameters: () => ({}) },
 *   context: { runLevel: [], goalLevel: [textMessage("user", "What is six times seven?")] },
 * });
 * const result = await run(agent, request);
 * assertEquals([result.stopReason, result.answer], ["final_answer", "42"]);
 * ```
 *
 * A failed model call and a failed action are part of the run, and are not thrown. What an interpreter or a callback
 * throws is, and the run can be resumed; so is the signal's reason, once the run is recorded as `cancelled`, unless the
 * option `onAbort` was set to `finish`: then its result is given.
 *
 * @param agent Who makes the run.
 * @param request The run to be made.
 * @param options How it is driven: the signal, the callbacks, the clock.
 * @returns The result, whatever limit or completion ended the run.
 * @throws {InvalidRequestError} If agent, request or an option is not as it must be, or the interpreter reads another tool
 * protocol than the request asks for. Nothing was written.
 * @throws {PortContractError} If a port's parameters cannot be recorded (nothing was written), or an interpreter or a
 * callback returned junk (the run can be resumed).
 * @throws {RunExistsError} If the store holds a run of that id. It is as it was. With `existing: "resume"`: if another
 * driver has started it this very moment.
 * @throws {ParameterDriftError} With `existing: "resume"`, as {@link resume} does.
 * @throws {RunLogCorruptError} With `existing: "resume"`, as {@link resume} does.
 * @throws {SchemaVersionError} With `existing: "resume"`, as {@link resume} does.
 * @throws {RunSuspendedError} If the signal aborted and `onAbort` is `suspend`, or a model call failed and
 * `onModelFailure` is `suspend`. The run can be resumed.
 * @throws {RunConflictError} If another driver wrote to the run meanwhile. It is the other's.
 * @throws {RunLockedError} If another driver has the run.
 * @throws {StoreFailedError} If the store failed. The run can be resumed.
 */
export async function run(
  agent: AgentDefinition,
  request: RunRequest,
  options: RunOptions = {},
): Promise<RunResult> {
  const opening = openingOf(agent, request, options);
  const found = options.existing === "resume" ? await readRun(opening) : null;
  return await (found === null ? start(opening) : goOn(opening, found));
}

/**
 * Goes on with a run that a crash or a suspension interrupted, where its log says that it stands; gives the stored
 * result of one that has finished. What is unknown is never guessed: a model call or an action without a result is
 * replayed only if it may be, resolved only by the caller's callback, and recorded as unknown otherwise.
 *
 * Like {@link run} it throws what an interpreter or a callback throws, and the signal's reason once the run is recorded
 * as `cancelled`, unless the option `onAbort` was set to `finish`.
 *
 * @param agent The same agent as before, assembled anew.
 * @param request The same request as before.
 * @param options How it is driven. It may differ from before in all but `approveAction.id`.
 * @returns The result. A finished run's is read from its log: only the store is called, and nothing is written.
 * @throws {RunNotFoundError} If the store holds no run of that id.
 * @throws {ParameterDriftError} If agent or request are not those that the run started with, naming every difference.
 * Nothing was written.
 * @throws {RunLogCorruptError} If the log is damaged. It is untouched.
 * @throws {SchemaVersionError} If a later version of the library wrote the log. It is untouched.
 * @throws {InvalidRequestError} If agent, request or an option is not as it must be, the interpreter reads another tool
 * protocol than the request asks for, or the log is redacted. Nothing was written.
 * @throws {PortContractError} If a port's parameters cannot be recorded (nothing was written), or an interpreter or a
 * callback returned junk (the run can be resumed).
 * @throws {RunSuspendedError} If the signal aborted and `onAbort` is `suspend`, or a model call failed and
 * `onModelFailure` is `suspend`. The run can be resumed.
 * @throws {RunConflictError} If another driver wrote to the run meanwhile. It is the other's.
 * @throws {RunLockedError} If another driver has the run. No port but the store was asked more than its parameters, no
 * callback was called, and nothing was told or written.
 * @throws {StoreFailedError} If the store failed. The run can be resumed.
 */
export async function resume(
  agent: AgentDefinition,
  request: RunRequest,
  options: RunOptions = {},
): Promise<RunResult> {
  const opening = openingOf(agent, request, options);
  const found = await readRun(opening);
  if (found === null) throw new RunNotFoundError(opening.request.runId);
  return await goOn(opening, found);
}

async function readRun({ agent, request, options }: Opening): Promise<readonly string[] | null> {
  const { runId, cancelGraceMs } = request;
  const interrupt = new Interrupt(options.signal, cancelGraceMs);
  try {
    return await interrupt.stored({ action: "read", runId }, () => agent.store.readRun(runId));
  } finally {
    interrupt.dispose();
  }
}

/** Makes a run from its first record on. */
async function start(opening: Opening): Promise<RunResult> {
  const { parameters, assembly, request } = opening;
  const live = liveRun(opening, replayLog(request.runId, [], assembly));
  return await conduct(live, async () => {
    const contextDigest = assembly.measure().promptDigest;
    live.journal.record(startedRecord(live, parameters, contextDigest));
    await live.journal.flush();
    live.events.emit(present({ type: "run_started", parameters, ...lineageOf(live) } as const));
    return planNext(live);
  });
}

/** Goes on with a run where its lines say that it stands. */
async function goOn(opening: Opening, lines: readonly string[]): Promise<RunResult> {
  const { parameters, assembly, request: { runId } } = opening;
  const admitted = admitLines(lines);
  const started = startedRecordOf(runId, decodeLog(runId, admitted.slice(0, 1)));
  refuseRedacted(started, "runId");
  const drifts = driftsFrom(started, opening);
  if (drifts.length > 0) throw new ParameterDriftError(runId, drifts);
  const live = liveRun(opening, replayLog(runId, decodedEntries(runId, admitted), assembly));
  const { position } = live.journal;
  if (position.kind === "finished") {
    live.interrupt.dispose();
    return resultOf(live, position.finished);
  }
  return await conduct(live, async () => {
    await live.journal.claim(takesOver(opening));
    const plan = planNext(live);
    const recordedSteps = live.steps.length;
    const told = { parameters, ...lineageOf(live), plan: plan.kind, recordedSteps };
    live.events.emit(present({ type: "run_resumed", ...told } as const));
    return plan;
  });
}

/** Whether the run is taken from whoever drives it: a child's driver is that of its parent, and there is no other. */
function takesOver({ options, request }: Opening): boolean {
  return options.takeOver ?? request.parent !== undefined;
}

function lineageOf(
  { request: { derivedFrom, parent } }: LiveRun,
): Pick<RunRequest, "derivedFrom" | "parent"> {
  return present({ derivedFrom, parent });
}

async function conduct(live: LiveRun, begin: () => Next | Promise<Next>): Promise<RunResult> {
  const { interrupt, options } = live;
  let end: RunFinishedRecord;
  try {
    end = await driveToEnd(live, await begin());
    const isToldBySignal = end.stopReason === "cancelled" && interrupt.aborted;
    if (isToldBySignal && options.onAbort === undefined) throw interrupt.reason;
  } catch (error) {
    // The error of the run goes before any that follows from it.
    await closeRun(live).catch(() => {});
    throw error;
  }
  await closeRun(live);
  return resultOf(live, end);
}

/** Drives a run that has begun, and tells where it stops before its end. */
async function driveToEnd(live: LiveRun, first: Next): Promise<RunFinishedRecord> {
  let end: RunFinishedRecord | Suspension;
  try {
    end = await drive(live, first);
  } catch (error) {
    // What is known is written, whatever went wrong.
    await live.journal.flush().catch(() => {});
    emitSuspended(live, "error", error);
    throw error;
  }
  if (end.type !== "suspended") return end;
  emitSuspended(live, end.why, end.cause);
  throw new RunSuspendedError(live.request.runId, { cause: end.cause });
}

function resultOf(live: LiveRun, finished: RunFinishedRecord): RunResult {
  const { stopReason, stopConditions, answer, counters } = finished;
  return deepFreeze(present({
    runId: live.request.runId,
    stopReason,
    stopConditions,
    answer,
    steps: live.steps,
    counters,
    eventDeliveryFailures: live.events.failures,
    logHead: live.journal.head,
  }));
}
