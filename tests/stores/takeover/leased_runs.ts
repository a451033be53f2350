/**
 * A run whose tool makes a run, over a database with leases. As a program it makes both, and hangs in the second thing that
 * the tool's run does, until it is killed. Arguments: the database; the file that what was done is written to; what the
 * tool says of being replayed.
 *
 * @module
 */
import {
  type AgentDefinition,
  defineAgent,
  defineRun,
  defineTool,
  type ReplayPolicy,
  run,
  type RunRequest,
  textMessage,
  ToolRegistry,
} from "../../../mod.ts";
import { jsonActionInterpreter } from "../../../adapters/json_action_interpreter.ts";
import { scriptedModel } from "../../../adapters/scripted_model.ts";
import { childRunId } from "../../../session/mod.ts";
import { sqliteStore } from "../../../stores/sqlite.ts";

/** The run that a tool makes. */
export const CHILD: string = childRunId("boss/s0_a0");

/** Longer than any test takes. */
const LEASE_MS = 600_000;

/** What makes a run, and which. */
export interface Runs {
  readonly agent: AgentDefinition;
  readonly request: RunRequest;
}

/** A run, and the one that its tool makes. */
export function leasedRuns(
  path: string,
  does: (word: string) => void | Promise<void>,
  replay: ReplayPolicy = "replayable",
): { readonly boss: Runs; readonly child: Runs } {
  const store = sqliteStore({ path, leaseMs: LEASE_MS });
  const budget = {
    maxSteps: 9,
    maxModelCalls: 9,
    maxPromptChars: 9_000,
    maxConsecutiveFailures: 1,
  };
  const context = { runLevel: [], goalLevel: [textMessage("user", "Go on.")] };
  const parameters = { type: "object", properties: {} };
  const agentOf = (tools: readonly string[], answer: string) =>
    defineAgent({
      model: scriptedModel(({ callId }) => {
        const tool = tools[Number(callId.split("/s")[1])];
        return JSON.stringify(
          tool === undefined ? { final_answer: answer } : { tool, arguments: {} },
        );
      }),
      interpreter: jsonActionInterpreter(),
      store,
    });
  const doing = (name: string, replay: ReplayPolicy) =>
    defineTool({ name, description: name, parameters, replay, execute: () => does(name) });
  const child: Runs = {
    agent: agentOf(["once", "again"], "both"),
    request: defineRun({
      runId: CHILD,
      parent: { runId: "boss", actionId: "boss/s0_a0" },
      budget,
      context,
      tools: ToolRegistry.of([doing("once", "never"), doing("again", "replayable")]),
    }),
  };
  const delegate = defineTool({
    name: "delegate",
    description: "Has it done.",
    parameters,
    replay,
    async execute(_, { signal }) {
      const options = { existing: "resume", signal, onAbort: "suspend" } as const;
      return (await run(child.agent, child.request, options)).answer;
    },
  });
  const request = defineRun({ runId: "boss", budget, context, tools: ToolRegistry.of([delegate]) });
  return { child, boss: { agent: agentOf(["delegate"], "done"), request } };
}

if (import.meta.main) {
  const [path, done, replay] = Deno.args as [string, string, ReplayPolicy];
  const does = async (word: string) => {
    Deno.writeTextFileSync(done, `${word}\n`, { append: true });
    if (word !== "again") return;
    Deno.stdout.writeSync(new TextEncoder().encode("it hangs\n"));
    await new Promise((resolve) => setTimeout(resolve, LEASE_MS));
  };
  const { agent, request } = leasedRuns(path, does, replay).boss;
  await run(agent, request);
}
