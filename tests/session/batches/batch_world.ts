import { assert } from "@std/assert";
import {
  type ActionCall,
  type ActionExecutor,
  resume,
  run,
  type RunOptions,
  type RunResult,
  type RunSpec,
  type RunStore,
} from "../../../mod.ts";
import { readLog, type RunLog, verifyLog } from "../../../session/mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import { agentOf, now, recordsOf, requestOf, wordExecutor } from "../world.ts";

export const NATIVE = { toolProtocol: "native" } as const;

/** What became of a process of a run. */
export interface Driven {
  /** Its result, or what it rejected with. */
  readonly outcome: RunResult | Error;
  readonly log: RunLog;
  readonly lines: readonly string[];
  readonly store: RunStore;
}

/** A run of one decision and an answer, several actions at once. */
export async function runOf(
  decision: string,
  spec: Partial<Omit<RunSpec, "budget">> = {},
  options: RunOptions = {},
  store: RunStore = memoryStore(),
): Promise<Driven> {
  const agent = agentOf([decision, "answer 1"], { store, protocol: "native" });
  const request = requestOf({ ...NATIVE, maxConcurrentActions: 4, cancelGraceMs: 1, ...spec });
  const driven = (await store.readRun("r")) === null ? run : resume;
  const outcome = await driven(agent, request, { now, ...options }).catch((error) => error);
  const lines = (await store.readRun("r"))!;
  const verdict = verifyLog(lines);
  assert(verdict.ok, verdict.fault?.message);
  return { outcome, log: readLog(lines), lines, store };
}

/** An executor whose actions end in the order of a list of words, once all of these run. */
export function endingAs(
  order: readonly string[],
  ends: Readonly<Record<string, () => Promise<unknown>>> = {},
): ActionExecutor & { readonly most: () => number } {
  const words = wordExecutor();
  const gates = new Map(order.map((word) => [word, Promise.withResolvers<void>()]));
  let [running, most, waiting] = [0, 0, order.length];
  const executor: ActionExecutor = {
    ...words,
    async execute(call: ActionCall) {
      const { do: word } = call.action as { do: string };
      most = Math.max(most, ++running);
      if (--waiting === 0) gates.get(order[0]!)!.resolve();
      await gates.get(word)?.promise;
      const outcome = await (ends[word]?.() ?? words.execute(call)) as never;
      // The next one ends when this one's result is on its way.
      const next = order.includes(word) ? order[order.indexOf(word) + 1] : undefined;
      if (next !== undefined) setTimeout(() => gates.get(next)?.resolve());
      running--;
      return outcome;
    },
  };
  return { ...executor, most: () => most };
}

/** The records of actions, entry by entry, each by a letter and its ordinal. */
export function actionsOf(lines: readonly string[]): readonly string[] {
  return recordsOf(lines).map((records) =>
    records.flatMap((record) => {
      if (record.type === "action_intent") return [`i${record.ordinal}`];
      if (record.type === "action_withdrawn") return [`w${record.ordinal}`];
      if (record.type === "action_result") return [`r${record.ordinal}`];
      return record.type === "step" ? ["S"] : [];
    }).join(" ")
  ).filter((text) => text !== "");
}
