/**
 * Runs that go on from each other, in the small world.
 *
 * @module
 */
import { type Message, run, type RunOptions, type RunStore } from "../../../mod.ts";
import { readLog, type RunLog } from "../../../session/mod.ts";
import { agentOf, now, requestOf, type Said, scriptModel } from "../world.ts";

export const PROTOCOLS = ["text", "native"] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** Makes a run in a store: its log, and the messages of each of its prompts. */
export async function made(
  store: RunStore,
  protocol: Protocol,
  script: readonly Said[],
  spec: Parameters<typeof requestOf>[0] = {},
  options: RunOptions = {},
): Promise<{
  readonly log: RunLog;
  readonly lines: readonly string[];
  readonly prompts: readonly (readonly Message[])[];
}> {
  const model = scriptModel(script);
  const request = requestOf({ toolProtocol: protocol, ...spec });
  await run(agentOf(model, { protocol, store }), request, { now, onAbort: "finish", ...options });
  const lines = (await store.readRun(request.runId))!;
  return { log: readLog(lines), lines, prompts: model.calls.map(({ messages }) => messages) };
}
