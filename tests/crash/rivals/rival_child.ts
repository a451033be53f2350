/**
 * A process that drives runs over a durable store, or goes on with every run that is unfinished, five times a second,
 * until all have finished. It says what it does, a line of JSON for each thing. Arguments: drive or recover; jsonl,
 * sqlite or kv; the folder; how many runs; how long a lease lasts.
 *
 * @module
 */
import {
  type AgentDefinition,
  defineAgent,
  defineRun,
  resume,
  run,
  RunConflictError,
  RunLockedError,
  type RunRequest,
  type RunStore,
  textMessage,
} from "../../../mod.ts";
import type { RunCatalog } from "../../../types/mod.ts";
import { type DurableStore, withDurableStore } from "../kills/durable_store.ts";

/** A thing that a process did: it reached the world, told of a run, or asked a human. */
export interface Deed {
  readonly what: "call" | "action" | "event" | "question";
  /** The id of the call or the action; of the run for what is told. */
  readonly id: string;
  readonly attempt: number;
  /** When it was done, in milliseconds since the epoch. */
  readonly at: number;
}

const STEPS = 4;
const RECOVER_EVERY_MS = 200;

function say(what: Deed["what"], id: string, attempt = 1): void {
  const deed: Deed = { what, id, attempt, at: Date.now() };
  Deno.stdout.writeSync(new TextEncoder().encode(`${JSON.stringify(deed)}\n`));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}

/** The id of a run, by its number. */
export function runIdOf(number: number): string {
  return `run-${number}`;
}

function agentOver(store: RunStore): AgentDefinition {
  return defineAgent({
    model: {
      async call({ callId, attempt }) {
        say("call", callId, attempt);
        await pause(20);
        return { text: /\/s(\d+)/.exec(callId)![1]! };
      },
      parameters: () => ({}),
    },
    interpreter: {
      interpret: ({ text }) => ({
        decision: Number(text) < STEPS
          ? { kind: "action", actions: [{ action: { step: Number(text) } }] }
          : { kind: "final_answer", answer: "done" },
        historyText: text,
      }),
      parameters: () => ({}),
    },
    store,
    events: { emit: ({ runId }) => say("event", runId), parameters: () => ({}) },
  });
}

/** Its second action takes longer than a lease lasts; every third one may not be replayed. */
function requestFor(number: number, leaseMs: number): RunRequest {
  return defineRun({
    runId: runIdOf(number),
    budget: { maxSteps: 9, maxModelCalls: 99, maxPromptChars: 9_999, maxConsecutiveFailures: 9 },
    executor: {
      async execute({ actionId, attempt, action }) {
        const { step } = action as { step: number };
        say("action", actionId, attempt);
        await pause(step === 1 ? leaseMs * 1.5 : 30 + (number * 7 + step * 13) % 50);
        return {
          status: "executed",
          failed: false,
          observation: `did ${actionId}`,
          observationSynthetic: false,
          completed: false,
          truncatedChars: 0,
        };
      },
      replayPolicy: (action) =>
        (action as { step: number }).step % 3 === 2 ? "never" : "replayable",
      parameters: () => ({}),
    },
    context: { runLevel: [], goalLevel: [textMessage("user", "Go.")] },
    modelReplayPolicy: "replayable",
  });
}

/** Goes on with whatever is unfinished, whoever drives it. */
async function recover(
  store: RunStore & RunCatalog,
  runs: number,
  leaseMs: number,
): Promise<void> {
  const agent = agentOver(store);
  const options = {
    resolveUnknownAction: {
      id: "human",
      resolve: ({ actionId }: { readonly actionId: string }) => {
        say("question", actionId);
        return { kind: "unknown" } as const;
      },
    },
  };
  const busy = new Map<string, Promise<void>>();
  for (;;) {
    const [all, unfinished] = [await store.listRuns(), await store.listRuns({ unfinished: true })];
    if (all.length === runs && unfinished.length === 0) break;
    for (const runId of unfinished) {
      if (busy.has(runId)) continue;
      const request = requestFor(Number(runId.slice(runIdOf(0).length - 1)), leaseMs);
      const going = resume(agent, request, options).then(() => {}, (error) => {
        if (!(error instanceof RunLockedError || error instanceof RunConflictError)) throw error;
      });
      busy.set(runId, going.finally(() => busy.delete(runId)));
    }
    await pause(RECOVER_EVERY_MS);
  }
  await Promise.all(busy.values());
}

async function drive(store: RunStore, runs: number, leaseMs: number): Promise<void> {
  const agent = agentOver(store);
  const numbers = Array.from({ length: runs }, (_, number) => number);
  await Promise.all(numbers.map((number) => run(agent, requestFor(number, leaseMs))));
}

if (import.meta.main) {
  const [role, kind, folder, ...numbers] = Deno.args;
  const [runs, leaseMs] = numbers.map(Number) as [number, number];
  await withDurableStore(
    kind as DurableStore,
    folder!,
    (store) => (role === "drive" ? drive : recover)(store, runs, leaseMs),
    { leaseMs },
  );
}
