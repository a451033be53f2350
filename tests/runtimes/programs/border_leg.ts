/**
 * One leg of a run over a database: it begins the run, or goes on with it, and after one step is suspended, killed in
 * its action, or goes on to the end. Each prompt is appended to a file.
 */
import { appendFileSync } from "node:fs";
import process from "node:process";
import {
  defineAgent,
  defineRun,
  defineTool,
  resume,
  run,
  RunSuspendedError,
  textMessage,
  ToolRegistry,
} from "@polyloop/polyloop";
import { jsonActionInterpreter } from "@polyloop/polyloop/adapters/json-action-interpreter";
import { verifyLog } from "@polyloop/polyloop/session";
import { sqliteStore } from "@polyloop/polyloop/stores/sqlite";

const [database = "", prompts = "", steps = "0", end = "finish"] = process.argv.slice(2);
const abort = new AbortController();

const agent = defineAgent({
  model: {
    call({ messages }) {
      appendFileSync(prompts, `${JSON.stringify(messages)}\n`);
      const step = messages.filter(({ role }) => role === "assistant").length;
      const reply = step < Number(steps)
        ? { tool: "cross", arguments: { border: `№ ${step}: «ü» 🌊\u2028` } }
        : { final_answer: "home" };
      return Promise.resolve({ text: JSON.stringify(reply) });
    },
    parameters: () => ({ kind: "walker" }),
  },
  interpreter: jsonActionInterpreter(),
  store: sqliteStore({ path: database, leaseOwner: "the walker" }),
});
const request = defineRun({
  runId: "journey",
  budget: { maxSteps: 99, maxModelCalls: 99, maxPromptChars: 99_000, maxConsecutiveFailures: 1 },
  tools: ToolRegistry.of([defineTool({
    name: "cross",
    description: "Crosses a border.",
    parameters: {
      type: "object",
      properties: { border: { type: "string" } },
      required: ["border"],
    },
    replay: "replayable",
    execute({ border }) {
      if (end === "suspend") abort.abort(new Error("a border"));
      if (end === "kill") process.kill(process.pid, "SIGKILL");
      return `crossed ${border}`;
    },
  })]),
  context: { runLevel: [], goalLevel: [textMessage("user", "Walk home. 東京 🏠")] },
});

const go = await agent.store.readRun("journey") === null ? run : resume;
let stopped: string;
try {
  stopped = (await go(agent, request, { signal: abort.signal, onAbort: "suspend" })).stopReason;
} catch (error) {
  if (!(error instanceof RunSuspendedError)) throw error;
  stopped = "suspended";
}
const lines = await agent.store.readRun("journey") ?? [];
const { ok } = verifyLog(lines);
process.stdout.write(JSON.stringify({ stopped, ok, entries: lines.length }));
