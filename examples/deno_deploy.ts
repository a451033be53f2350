// deno run --unstable-kv --unstable-cron --allow-net=0.0.0.0:8000 examples/deno_deploy.ts
// deno-lint-ignore-file no-console
/**
 * An agent on Deno Deploy: a request starts a run and drives it until a deadline, which suspends it; a scheduled
 * function finds unfinished runs that nobody drives and goes on with them, also with those whose instance died: their
 * leases run out. However many instances try the same run at once, one goes on and the others meet an error.
 *
 *     curl -X POST localhost:8000/runs/whales      starts a run
 *     curl localhost:8000/runs/whales              says how far it is
 *     curl -X POST localhost:8000/resume           does what the schedule does every minute
 *
 * Another port may be given as an argument.
 *
 * @module
 */
import {
  defineAgent,
  defineRun,
  defineTool,
  resume,
  run,
  RunConflictError,
  RunExistsError,
  RunLockedError,
  type RunRequest,
  type RunResult,
  RunSuspendedError,
  textMessage,
  ToolRegistry,
} from "@polyloop/polyloop";
import { readLog } from "@polyloop/polyloop/session";
import { jsonActionInterpreter } from "@polyloop/polyloop/adapters/json-action-interpreter";
import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
import { kvStore } from "@polyloop/polyloop/stores/kv";

const DEADLINE_MS = 1_000;
const PAGES = 6;

/** For how long a run waits whose instance died; one that lives keeps its runs, however long they take. */
const LEASE_MS = 2_000;

const store = kvStore({ kv: await Deno.openKv(), leaseMs: LEASE_MS });
/** Stands for a real model: it reads one page after the other, as far as the prompt shows that it has not. */
const model = scriptedModel(({ messages }) => {
  const read = messages.filter(({ role }) => role === "assistant").length;
  const next = { tool: "read_page", arguments: { page: read + 1 } };
  return JSON.stringify(read < PAGES ? next : { final_answer: `I have read ${read} pages.` });
});
const agent = defineAgent({ model, interpreter: jsonActionInterpreter(), store });
const tools = ToolRegistry.of([defineTool({
  name: "read_page",
  description: "Reads a page from a slow archive.",
  parameters: { type: "object", properties: { page: { type: "integer" } }, required: ["page"] },
  replay: "replayable", // Reading again does no harm: a run whose instance died in the middle reads again.
  execute: ({ page }) =>
    new Promise((resolve) => void setTimeout(() => resolve(`The text of page ${page}.`), 300)),
})]);

/** The same request for the same run id, in every instance and at every time: a resume compares it. */
function requestOf(runId: string): RunRequest {
  return defineRun({
    runId,
    budget: { maxSteps: 20, maxModelCalls: 30, maxPromptChars: 50_000, maxConsecutiveFailures: 2 },
    tools,
    context: { runLevel: [], goalLevel: [textMessage("user", `Read all about ${runId}.`)] },
    modelReplayPolicy: "replayable",
  });
}

/** Drives a run until it ends or the deadline suspends it, and says which. */
async function drive(verb: typeof run, runId: string): Promise<string> {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  try {
    const result: RunResult = await verb(agent, requestOf(runId), { signal, onAbort: "suspend" });
    return `${result.stopReason}: ${result.answer}`;
  } catch (error) {
    if (error instanceof RunSuspendedError) return "suspended";
    if (error instanceof RunLockedError) return "another instance goes on with it";
    if (error instanceof RunConflictError) return "another instance was faster";
    if (error instanceof RunExistsError) return "it was started before";
    throw error;
  }
}

async function resumeUnfinished(): Promise<Record<string, string>> {
  const runIds = await store.listRuns({ unfinished: true, idle: true });
  const outcomes = await Promise.all(runIds.map(async (runId) => {
    // One run that cannot be resumed, such as one of an earlier deployment, must not hold up the others.
    const outcome = await drive(resume, runId).catch((error) => String(error));
    return [runId, outcome] as const;
  }));
  return Object.fromEntries(outcomes);
}

async function progress(runId: string): Promise<Response> {
  const lines = await store.readRun(runId);
  if (lines === null) return Response.json({ error: "there is no such run" }, { status: 404 });
  const { steps, finished } = readLog(lines);
  return Response.json({ steps: steps.length, answer: finished?.answer ?? null });
}

if ("cron" in Deno) {
  Deno.cron("go on with unfinished runs", "* * * * *", async () => {
    console.log(await resumeUnfinished());
  });
}

Deno.serve({ port: Number(Deno.args[0] ?? 8000) }, async (request) => {
  const { pathname } = new URL(request.url);
  const runId = /^\/runs\/([a-z0-9][a-z0-9._-]{0,127})$/.exec(pathname)?.[1];
  if (request.method === "GET" && runId !== undefined) return await progress(runId);
  if (request.method !== "POST") return new Response("nothing is here\n", { status: 404 });
  if (pathname === "/resume") return Response.json(await resumeUnfinished());
  if (runId === undefined) return new Response("a run id is missing\n", { status: 404 });
  return Response.json({ outcome: await drive(run, runId) });
});
