import { run, type RunOptions, type RunResult } from "../../../mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import { agentOf, now, requestOf, scriptModel } from "../world.ts";

const SCRIPT = ["do a; do fail", "gibberish", new Error("down"), "use submit complete"];

/** A run with a step of each kind, its model, and its log. */
export async function recorded(options: RunOptions = {}): Promise<{
  result: RunResult;
  model: ReturnType<typeof scriptModel>;
  lines: readonly string[];
}> {
  const store = memoryStore();
  const model = scriptModel(SCRIPT);
  const injections = { notes: [{ entryId: "n", content: "x" }] };
  const agent = agentOf(model, { store, protocol: "native" });
  const request = requestOf({ toolProtocol: "native", injections });
  const result = await run(agent, request, { now, ...options });
  return { result, model, lines: (await store.readRun("r"))! };
}
