/**
 * A process that drives runs over durable stores, or goes on with every run that is unfinished, five times a second,
 * until all have finished. It says what it does, a line of JSON for each thing. Arguments: drive or recover; the
 * folder; how many runs over each store; how long a lease lasts; each store.
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
import { type DurableStore, runIdOf, withDurableStore } from "./durable_store.ts";
import { outcomeOf, stepOf, steppingInterpreter } from "./stepping.ts";

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

function agentOver(store: RunStore): AgentDefinition {
  return defineAgent({
    model: {
      async call({ callId, attempt }) {
        say("call", callId, attempt);
        await pause(20);
        return { text: String(stepOf(callId)) };
      },
      parameters: () => ({}),
    },
    interpreter: steppingInterpreter(STEPS),
    store,
    events: { emit: ({ runId }) => say("event", runId), parameters: () => ({}) },
  });
}

/** Its second action takes longer than a lease lasts; every third one may not be replayed. */
function requestFor(kind: DurableStore, number: number, leaseMs: number): RunRequest {
  return defineRun({
    runId: runIdOf(kind, number),
    budget: { maxSteps: 9, maxModelCalls: 99, maxPromptChars: 9_999, maxConsecutiveFailures: 9 },
    executor: {
      async execute({ actionId, attempt, action }) {
        const { step } = action as { step: number };
        say("action", actionId, attempt);
        await pause(step === 1 ? leaseMs * 1.25 : 30 + (number * 7 + step * 13) % 50);
        return outcomeOf(actionId);
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
  kind: DurableStore,
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
      const request = requestFor(kind, Number(runId.split("-")[1]), leaseMs);
      const going = resume(agent, request, options).then(() => {}, (error) => {
        if (!(error instanceof RunLockedError || error instanceof RunConflictError)) throw error;
      });
      busy.set(runId, going.finally(() => busy.delete(runId)));
    }
    await pause(RECOVER_EVERY_MS);
  }
  await Promise.all(busy.values());
}

async function drive(
  kind: DurableStore,
  store: RunStore,
  runs: number,
  leaseMs: number,
): Promise<void> {
  const agent = agentOver(store);
  const numbers = Array.from({ length: runs }, (_, number) => number);
  await Promise.all(numbers.map((number) => run(agent, requestFor(kind, number, leaseMs))));
}

if (import.meta.main) {
  const [role, folder, runs, lease, ...kinds] = Deno.args as [
    ...[role: string, folder: string, runs: string, lease: string],
    ...DurableStore[],
  ];
  const leaseMs = Number(lease);
  const play = role === "drive" ? drive : recover;
  await Promise.all(kinds.map((kind) =>
    withDurableStore(
      kind,
      folder,
      (store) => play(kind, store, Number(runs), leaseMs),
      { leaseMs },
    )
  ));
}
