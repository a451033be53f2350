/**
 * The workload that other libraries are compared by: `peer.ts <variant> <mode> <n> <concurrency> <dir>`. A run is n model
 * calls: all but the last answer with a native tool call `echo({i, text})` whose text has 200 characters, the tool gives
 * 400 characters, and the last call answers with a text. The variant is the store: `default` (memory), `jsonl`, `sqlite`
 * or `kv`, in the folder. The mode is `run` (one run) or `many` (as many at once as the concurrency says). It prints one
 * line of JSON.
 *
 * @module
 */
import {
  defineAgent,
  defineRun,
  defineTool,
  type ModelPort,
  type ModelReply,
  run,
  type RunRequest,
  type RunStore,
  textMessage,
  ToolRegistry,
} from "../../mod.ts";
import { nativeToolsInterpreter } from "../../adapters/native_tools_interpreter.ts";
import { jsonlStore } from "../../stores/jsonl.ts";
import { kvStore } from "../../stores/kv.ts";
import { memoryStore } from "../../stores/memory.ts";
import { sqliteStore } from "../../stores/sqlite.ts";
import { countWrites } from "./counted_stores.ts";
import { GOAL, UNBOUNDED } from "./workload.ts";

const OPEN: Readonly<Record<string, (dir: string) => RunStore | Promise<RunStore>>> = {
  default: memoryStore,
  jsonl: (dir) => jsonlStore({ dir }),
  sqlite: (dir) => sqliteStore({ path: `${dir}/runs.db` }),
  kv: async (dir) => kvStore({ kv: await Deno.openKv(`${dir}/kv.db`) }),
};

const tools = ToolRegistry.of([
  defineTool({
    name: "echo",
    description: "Says it again.",
    parameters: {
      type: "object",
      properties: { i: { type: "integer" }, text: { type: "string" } },
      required: ["i", "text"],
      additionalProperties: false,
    },
    execute: ({ i, text }) => `${i}: ${text}`.padEnd(400, "echo "),
  }),
]);

/** A model that calls the tool until its last call. */
function echoingModel(calls: number): ModelPort {
  return {
    call: ({ callId }) => Promise.resolve(replyOf(Number(/\/s(\d+)$/.exec(callId)![1]), calls)),
    parameters: () => ({ name: "echoing" }),
  };
}

function replyOf(i: number, calls: number): ModelReply {
  if (i === calls - 1) return { text: "done", finishReason: "stop" };
  const args = { i, text: `${i} `.padEnd(200, "text ") };
  const call = {
    id: `call_${i}`,
    name: "echo",
    arguments: args,
    rawArguments: JSON.stringify(args),
  };
  return { text: "", toolCalls: [call], finishReason: "tool_calls" };
}

function request(index: number): RunRequest {
  return defineRun({
    runId: `peer-${index}`,
    budget: UNBOUNDED,
    executor: tools.executor(),
    tools,
    toolProtocol: "native",
    context: { runLevel: [], goalLevel: [textMessage("user", GOAL)] },
  });
}

if (import.meta.main) {
  const [variant = "", mode = "", n = "", concurrency = "", dir = "."] = Deno.args;
  const open = OPEN[variant];
  const runs = mode === "run" ? 1 : mode === "many" ? Number(concurrency) : NaN;
  if (open === undefined || !(runs >= 1) || !(Number(n) >= 1)) {
    throw new Error("usage: peer.ts default|jsonl|sqlite|kv run|many <n> <concurrency> <dir>");
  }
  const { store, counts } = countWrites(await open(dir));
  const model = echoingModel(Number(n));
  const agent = defineAgent({ model, interpreter: nativeToolsInterpreter(), store });
  const startedMs = performance.now();
  const results = await Promise.all(
    Array.from({ length: runs }, (_, index) => run(agent, request(index))),
  );
  const wallMs = performance.now() - startedMs;
  const steps = results.reduce((sum, result) => sum + result.steps.length, 0);
  const said = {
    variant,
    mode,
    runs,
    steps,
    microsecondsPerStep: wallMs * 1_000 / steps,
    bytes: counts.bytes,
    barriers: counts.barriers,
    peakResidentBytes: peakResidentBytes(),
  };
  Deno.stdout.writeSync(new TextEncoder().encode(`${JSON.stringify(said)}\n`));
  Deno.exit();
}

/** The most memory that the process ever had, where the system tells; what it has now elsewhere. */
function peakResidentBytes(): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(Deno.readTextFileSync("/proc/self/status"))![1]) *
      1024;
  } catch {
    return Deno.memoryUsage().rss;
  }
}
