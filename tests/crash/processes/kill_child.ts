/**
 * A process to be killed: it drives a run over each of some durable stores, writes each effect into a file, and says
 * each entry that a store acknowledged. Arguments: the folder; the number of the runs; each store.
 *
 * @module
 */
import {
  defineAgent,
  defineRun,
  type LogEntry,
  resume,
  run,
  RunNotFoundError,
  type RunStore,
  textMessage,
} from "../../../mod.ts";
import { type DurableStore, runIdOf, withDurableStore } from "./durable_store.ts";
import { outcomeOf, stepOf, steppingInterpreter } from "./stepping.ts";

/** How many steps with an action each run has. */
const STEPS = 6;

function say(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

function acknowledging(store: RunStore): RunStore {
  const write =
    (method: "startRun" | "writeIntent" | "writeOutcome" | "finishRun") =>
    async (runId: string, entry: LogEntry) => {
      await store[method](runId, entry);
      say(`${runId} ${entry.seq} ${entry.hash}`);
    };
  return {
    ...store,
    startRun: write("startRun"),
    writeIntent: write("writeIntent"),
    writeOutcome: write("writeOutcome"),
    finishRun: write("finishRun"),
  };
}

async function drive(store: RunStore, folder: string, runId: string): Promise<void> {
  const agent = defineAgent({
    model: {
      call: ({ callId }) => Promise.resolve({ text: String(stepOf(callId)) }),
      parameters: () => ({}),
    },
    interpreter: steppingInterpreter(STEPS),
    store: acknowledging(store),
  });
  const request = defineRun({
    runId,
    budget: { maxSteps: 99, maxModelCalls: 99, maxPromptChars: 99_999, maxConsecutiveFailures: 99 },
    executor: {
      execute({ actionId, attempt }) {
        const options = { append: true };
        Deno.writeTextFileSync(`${folder}/${runId}.effects`, `${actionId} ${attempt}\n`, options);
        return Promise.resolve(outcomeOf(actionId));
      },
      replayPolicy: (action) => {
        const { step } = action as { step: number };
        return step % 3 === 2 ? "replayable" : "never";
      },
      parameters: () => ({}),
    },
    context: { runLevel: [], goalLevel: [textMessage("user", "Go.")] },
    modelReplayPolicy: "replayable",
  });
  try {
    await resume(agent, request);
  } catch (error) {
    if (!(error instanceof RunNotFoundError)) throw error;
    await run(agent, request);
  }
}

if (import.meta.main) {
  const [folder, number, ...kinds] = Deno.args as [string, string, ...DurableStore[]];
  await Promise.all(kinds.map((kind) =>
    withDurableStore(
      kind,
      folder,
      (store) => drive(store, folder, runIdOf(kind, Number(number))),
    )
  ));
}
