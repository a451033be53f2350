// deno run --allow-env --allow-net --allow-sys --allow-run examples/worker_pool.ts
// deno-lint-ignore-file no-console
/**
 * Four processes and one PostgreSQL database, whose URL is in `DATABASE_URL`: each takes runs that nobody drives, until
 * all have finished. Two of them are killed while they work; the others go on with their runs once the leases have run
 * out, and no letter is sent twice.
 *
 * The store's catalog is the queue. Who starts the processes, and how many, is yours: here it is this program.
 *
 * @module
 */
import {
  defineAgent,
  defineRun,
  defineTool,
  type ResolveUnknownAction,
  run,
  RunConflictError,
  RunLockedError,
  textMessage,
  ToolRegistry,
} from "@polyloop/polyloop";
import { jsonActionInterpreter } from "@polyloop/polyloop/adapters/json-action-interpreter";
import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
import {
  type PostgresClient,
  postgresSchema,
  postgresStore,
} from "@polyloop/polyloop/stores/postgres";

const WORKERS = 4;
const KILLED = 2;
const RUN_IDS = Array.from({ length: 200 }, (_, i) => `letter-${i}`);

/** For how long a run waits whose process died. */
const LEASE_MS = 2_000;

interface Pool extends PostgresClient {
  end(): Promise<void>;
}
const driver = "npm:pg@8"; // In a program of yours: import pg from "npm:pg@8".
const { default: pg }: { default: { Pool: new (options: object) => Pool } } = await import(driver);
const pool = new pg.Pool({ connectionString: Deno.env.get("DATABASE_URL") });
const store = postgresStore({ client: pool, leaseMs: LEASE_MS });

/** Sends the letters: an outbox in which nothing keeps one from being there twice. */
const send = defineTool({
  name: "send_letter",
  description: "Sends a letter.",
  parameters: { type: "object", properties: {} },
  async execute(_, { actionId }) {
    await pool.query("INSERT INTO letters VALUES ($1)", [actionId]);
    return "sent";
  },
});

/** Knows whether a letter went out whose process died before it could say so. */
const lookIntoTheOutbox: ResolveUnknownAction = {
  id: "outbox",
  async resolve({ actionId }) {
    const { rows } = await pool.query("SELECT FROM letters WHERE letter = $1", [actionId]);
    if (rows.length === 0) return { kind: "did_not_happen" };
    const outcome = {
      status: "executed",
      failed: false,
      observation: "sent",
      observationSynthetic: false,
      completed: false,
      truncatedChars: 0,
    } as const;
    return { kind: "happened", outcome };
  },
};

const agent = defineAgent({
  model: scriptedModel(({ messages }) =>
    messages.length < 5 ? '{"tool": "send_letter", "arguments": {}}' : '{"final_answer": "sent"}'
  ),
  interpreter: jsonActionInterpreter(),
  store,
});
const tools = ToolRegistry.of([send]);

/** Starts a run, or goes on with it; whether it has ended. Another process may have it, or be faster. */
async function drive(runId: string): Promise<boolean> {
  const request = defineRun({
    runId,
    budget: { maxSteps: 9, maxModelCalls: 9, maxPromptChars: 9_000, maxConsecutiveFailures: 1 },
    tools,
    context: { runLevel: [], goalLevel: [textMessage("user", "Send two letters.")] },
    modelReplayPolicy: "replayable",
  });
  try {
    await run(agent, request, { existing: "resume", resolveUnknownAction: lookIntoTheOutbox });
    return true;
  } catch (error) {
    if (error instanceof RunLockedError || error instanceof RunConflictError) return false;
    throw error;
  }
}

/** The runs that nobody has started, or that nobody drives. */
async function waiting(): Promise<readonly string[]> {
  const started = new Set(await store.listRuns());
  const idle = await store.listRuns({ unfinished: true, idle: true });
  return [...RUN_IDS.filter((runId) => !started.has(runId)), ...idle];
}

async function work(): Promise<void> {
  for (;;) {
    const runIds = await waiting();
    const runId = runIds[Math.floor(Math.random() * runIds.length)];
    if (runId !== undefined) {
      if (await drive(runId)) console.log(runId);
      continue;
    }
    if ((await store.listRuns({ unfinished: true })).length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, LEASE_MS / 4));
  }
}

/** Starts a process that works, and kills it after so many runs; whether it was killed. */
async function worker(killAfter: number): Promise<boolean> {
  const flags = ["--no-lock", "--allow-env", "--allow-net", "--allow-sys"];
  const args = ["run", ...flags, "examples/worker_pool.ts", "work"];
  const process = new Deno.Command(Deno.execPath(), { args, stdout: "piped" }).spawn();
  let finished = 0;
  for await (const text of process.stdout.pipeThrough(new TextDecoderStream())) {
    finished += text.split("\n").length - 1;
    if (finished >= killAfter) process.kill("SIGKILL");
  }
  return (await process.status).signal === "SIGKILL";
}

if (Deno.args[0] === "work") {
  await work();
} else {
  await pool.query(postgresSchema());
  await pool.query("CREATE TABLE IF NOT EXISTS letters (letter text NOT NULL)");
  const chance = () => 1 + Math.floor(Math.random() * 20);
  const deaths = await Promise.all(
    Array.from({ length: WORKERS }, (_, i) => worker(i < KILLED ? chance() : Infinity)),
  );
  const [started, unfinished] = [
    await store.listRuns(),
    await store.listRuns({ unfinished: true }),
  ];
  const { rows: [letters] } = await pool.query(
    "SELECT count(*)::int AS sent, count(DISTINCT letter)::int AS different FROM letters",
  );
  console.log(`${deaths.filter(Boolean).length} of ${WORKERS} processes were killed`);
  console.log(`${started.length - unfinished.length} runs finished`);
  console.log(`${letters?.sent} letters sent, ${letters?.different} different ones`);
}
await pool.end();
