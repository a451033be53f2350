import type { RunStore } from "../../ports/mod.ts";
import {
  type AgentDefinition,
  readLog,
  run,
  type RunOptions,
  type RunRequest,
  verifyLog,
} from "../../session/mod.ts";
import { errorInfo } from "../../types/mod.ts";
import { CrashProcess } from "./_crash_process.ts";
import { checkMade, checkSubject, type CrashSubject } from "./_crash_subject.ts";

export type { CrashSubject } from "./_crash_subject.ts";

/**
 * What a crash did: an effect happened more often than without it; one is missing and the log says that all is known;
 * an entry that the store had acknowledged is gone; the run cannot go on; its log is not in order.
 */
export type CrashFault = "twice" | "vanished" | "lost_entry" | "stuck" | "log_fault";

/** One thing that went wrong, and after which crash. */
export interface CrashFinding {
  /** What kind of thing. */
  readonly fault: CrashFault;
  /** The effect, the entry, or what was thrown. */
  readonly detail: string;
  /** The moments at which the processes died, in order. */
  readonly crashes: readonly string[];
}

/** What {@link exploreCrashes} found. */
export interface CrashReport {
  /** How many crashed runs were carried to their end. */
  readonly explored: number;
  /** What went wrong; empty if no crash changes anything. */
  readonly findings: readonly CrashFinding[];
}

/**
 * Runs an agent once, then crashes it at every moment and resumes it: before each call of the model, the interpreter,
 * the executor and each write of the store, and when that took effect and had not returned. It tells whether any crash
 * makes a side effect of **your** tools happen twice or vanish, or loses what **your** store had acknowledged.
 *
 * A crash is a call that never settles; its process is never heard of again. What a power loss does to a file is
 * beyond it, and so is a tool that dies halfway. The run must come to its end where nothing stops it; what it throws
 * then propagates.
 *
 * @example
 * ```ts
 * import { defineAgent, defineRun, defineTool, textMessage, ToolRegistry } from "@polyloop/polyloop";
 * import { jsonActionInterpreter } from "@polyloop/polyloop/adapters/json-action-interpreter";
 * import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
 * import { exploreCrashes } from "@polyloop/polyloop/contract";
 * import { memoryStore } from "@polyloop/polyloop/stores/memory";
 * import { assertEquals } from "@std/assert";
 *
 * const { findings } = await exploreCrashes({
 *   makeStore: memoryStore,
 *   makeWorld: (): string[] => [],
 *   effects: (notes) => notes,
 *   agent: (store) =>
 *     defineAgent({
 *       model: scriptedModel(({ messages }) =>
 *         messages.length === 1
 *           ? '{"tool": "note", "arguments": {"text": "milk"}}'
 *           : '{"final_answer": "noted"}'
 *       ),
 *       interpreter: jsonActionInterpreter(),
 *       store,
 *     }),
 *   request: (notes) => {
 *     const tools = ToolRegistry.of([defineTool({
 *       name: "note",
 *       description: "Writes a note.",
 *       parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
 *       execute: ({ text }) => void notes.push(text),
 *     })]);
 *     return defineRun({
 *       runId: "shopping",
 *       budget: { maxSteps: 4, maxModelCalls: 4, maxPromptChars: 9_000, maxConsecutiveFailures: 2 },
 *       context: { runLevel: [], goalLevel: [textMessage("user", "Note milk.")] },
 *       tools,
 *       executor: tools.executor(),
 *     });
 *   },
 * });
 * assertEquals(findings, []);
 * ```
 *
 * @throws {PortContractError} If what it makes is no store, request or agent.
 * @throws {InvalidRequestError} If a field of the subject is not as it must be, or there is none of its name.
 */
export async function exploreCrashes<World = undefined, Store extends RunStore = RunStore>(
  subject: CrashSubject<World, Store>,
): Promise<CrashReport> {
  checkSubject(subject);
  const undisturbed = await live(subject, []);
  if (undisturbed.error !== undefined) throw undisturbed.error;
  const findings: CrashFinding[] = [];
  let explored = 0;
  const explore = async (crashAt: readonly number[], moments: number): Promise<void> => {
    for (let moment = 0; moment < moments; moment++) {
      const places = [...crashAt, moment];
      const lived = await live(subject, places);
      if (lived.crashes.length < places.length) continue;
      explored += 1;
      for (const finding of findingsOf(lived, undisturbed)) findings.push(finding);
      if (places.length < (subject.depth ?? 1)) await explore(places, lived.moments);
    }
  };
  await explore([], undisturbed.moments);
  return { explored, findings };
}

/** A run that was carried to its end, through the crashes that it had. */
interface Life {
  readonly crashes: readonly string[];
  /** How many moments the last process had. */
  readonly moments: number;
  readonly error?: unknown;
  readonly acknowledged: readonly string[];
  readonly lines: readonly string[];
  readonly effects: readonly string[];
}

async function live<World, Store extends RunStore>(
  subject: CrashSubject<World, Store>,
  crashAt: readonly number[],
): Promise<Life> {
  // Without `makeWorld` the type of the world is `undefined`.
  const world = await subject.makeWorld?.() as World;
  const crashes: string[] = [];
  const processes: CrashProcess[] = [];
  let store = checkMade("makeStore", await subject.makeStore(), ["readRun", "startRun"]);
  try {
    for (const place of [...crashAt, Infinity]) {
      const process = new CrashProcess(place);
      processes.push(process);
      const request = process.request(
        checkMade("request", subject.request(world), ["runId", "executor"]),
      );
      const agent = process.agent(
        checkMade("agent", subject.agent(process.store(store), world), ["model", "interpreter"]),
      );
      // The process that had the run is dead, whatever its lease says.
      const ended = drive(agent, request, { ...subject.options, takeOver: true });
      const death = await Promise.race([ended, process.died]);
      if (typeof death === "string") {
        crashes.push(death);
        store = await reopened(subject, store, request.runId);
        continue;
      }
      const lines = await store.readRun(request.runId) ?? [];
      const acknowledged = processes.flatMap((process) => process.acknowledged);
      const effects = await subject.effects?.(world) ?? executions(processes);
      const { length } = process.moments;
      return { crashes, moments: length, ...death, acknowledged, lines, effects: [...effects] };
    }
    throw new Error("the last process lives");
  } finally {
    await subject.dispose?.(store);
  }
}

async function drive(
  agent: AgentDefinition,
  request: RunRequest,
  options: RunOptions,
): Promise<{ readonly error?: unknown }> {
  try {
    await run(agent, request, { ...options, existing: "resume" });
    return {};
  } catch (error) {
    return { error };
  }
}

async function reopened<World, Store extends RunStore>(
  { reopen }: CrashSubject<World, Store>,
  store: Store,
  runId: string,
): Promise<Store> {
  if (reopen !== undefined) return await reopen(store);
  await store.releaseRun(runId);
  return store;
}

function executions(processes: readonly CrashProcess[]): readonly string[] {
  return processes.flatMap(({ executions }) =>
    [...executions].flatMap(([id, times]) => Array<string>(times).fill(`action ${id}`))
  );
}

function findingsOf(
  { crashes, error, acknowledged, lines, effects }: Life,
  undisturbed: Life,
): readonly CrashFinding[] {
  const findings: CrashFinding[] = [];
  const say = (fault: CrashFault, detail: string) => findings.push({ fault, detail, crashes });
  const kept = new Set(lines);
  for (const line of acknowledged) if (!kept.has(line)) say("lost_entry", line);
  const expected = counted(undisturbed.effects);
  const happened = counted(effects);
  for (const [effect, times] of happened) {
    if (times > (expected.get(effect) ?? 0)) say("twice", effect);
  }
  if (error !== undefined) {
    say("stuck", `${errorInfo(error).name}: ${errorInfo(error).message}`);
    return findings;
  }
  const { ok, fault } = verifyLog(lines);
  if (!ok) {
    say("log_fault", fault!.message);
    return findings;
  }
  if (saysUnknown(lines)) return findings;
  for (const [effect, times] of expected) {
    if (times > (happened.get(effect) ?? 0)) say("vanished", effect);
  }
  return findings;
}

function counted(effects: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const effect of effects) counts.set(effect, (counts.get(effect) ?? 0) + 1);
  return counts;
}

/** Whether the log says of something that nobody knows what became of it: what is missing is then no surprise. */
function saysUnknown(lines: readonly string[]): boolean {
  return readLog(lines).steps.some(({ outcome, actions }) =>
    outcome === "model_outcome_unknown" || actions.some(({ status }) => status === "unknown")
  );
}
