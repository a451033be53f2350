// deno run --allow-read=.polyloop --allow-write=.polyloop examples/chat.ts
// deno-lint-ignore-file no-console
/**
 * A conversation on the terminal: each turn is a run that goes on from the one before. Ctrl-C suspends a turn; started
 * again, the program goes on with it. Run ids are by turn, so that two programs cannot both make the same one.
 */
import {
  type AgentDefinition,
  defineAgent,
  defineRun,
  defineTool,
  type ModelPort,
  run,
  type RunOptions,
  type RunRequest,
  type RunResult,
  type RunStore,
  RunSuspendedError,
  textMessage,
  ToolRegistry,
} from "@polyloop/polyloop";
import { nativeToolsInterpreter } from "@polyloop/polyloop/adapters/native-tools-interpreter";
import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
import { buildContext } from "@polyloop/polyloop/context";
import { continued, readLog, requestInputs, type RunLog } from "@polyloop/polyloop/session";
import { jsonlStore } from "@polyloop/polyloop/stores/jsonl";

export const MAX_PROMPT_CHARS = 12_000;
/** What a turn begins with may be so large; the rest is for what it does. */
const MAX_CONTEXT_CHARS = 6_000;

const look = defineTool({
  name: "look",
  description: "Looks at the sky.",
  parameters: { type: "object", properties: {} },
  execute: () => "It is grey. ".repeat(20),
});
const task = {
  budget: {
    maxSteps: 20,
    maxModelCalls: 20,
    maxPromptChars: MAX_PROMPT_CHARS,
    maxConsecutiveFailures: 3,
  },
  tools: ToolRegistry.of([look]),
};

export function chatAgent(model: ModelPort, store: RunStore): AgentDefinition {
  return defineAgent({ model, interpreter: nativeToolsInterpreter(), store });
}

/** The log of the last turn, which may be suspended; nothing before the first. */
export async function lastTurn(store: RunStore): Promise<RunLog | undefined> {
  let last: readonly string[] | undefined;
  for (let turn = 1;; turn++) {
    const lines = await store.readRun(`chat-${turn}`);
    if (lines === null) return last && readLog(last);
    last = lines;
  }
}

/** The request of the next turn: all that was said, fitted to its room by whole rounds, and what is said now. */
async function nextTurn(last: RunLog | undefined, text: string): Promise<RunRequest> {
  const said = textMessage("user", text);
  if (last === undefined) {
    const runLevel = [textMessage("system", "You tell people about the weather.")];
    return defineRun({ ...task, runId: "chat-1", context: { runLevel, goalLevel: [said] } });
  }
  const { context: { runLevel, goalLevel }, injections, derivedFrom } = continued(last, said);
  const { context, fingerprints } = await buildContext([{
    id: "conversation",
    kind: "conversation",
    segment: "goal_level",
    trust: "user",
    priority: 0,
    source: last.runId,
    version: last.logHead,
    body: goalLevel,
  }], { maxChars: MAX_CONTEXT_CHARS, historySteps: derivedFrom.historySteps });
  return defineRun({
    ...task,
    runId: `chat-${Number(last.runId.slice("chat-".length)) + 1}`,
    context: { runLevel, goalLevel: context.goalLevel },
    injections,
    derivedFrom,
    fingerprints,
  });
}

/** Says something, and gives what came of it; without a text it goes on with a turn that was suspended. */
export async function takeTurn(
  agent: AgentDefinition,
  last: RunLog | undefined,
  text: string | undefined,
  options: RunOptions = {},
): Promise<RunResult> {
  const request = text === undefined && last !== undefined
    ? defineRun({ ...task, runId: last.runId, ...requestInputs(last) })
    : await nextTurn(last, text ?? "");
  return await run(agent, request, {
    ...options,
    existing: text === undefined ? "resume" : "refuse",
  });
}

async function* linesOf(input: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of input.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

/** Stands for a model: put a real one in its place. */
function weatherModel(): ModelPort {
  return scriptedModel(({ messages }) =>
    messages.at(-1)?.role === "user"
      ? { toolCalls: [{ name: "look", arguments: {} }] }
      : `Grey, as I said ${messages.filter(({ role }) => role === "user").length} times.`
  );
}

async function chat(): Promise<void> {
  const store = jsonlStore({ dir: ".polyloop" });
  const agent = chatAgent(weatherModel(), store);
  const stop = new AbortController();
  Deno.addSignalListener("SIGINT", () => stop.abort());
  const options = { signal: stop.signal, onAbort: "suspend" } as const;
  const found = await lastTurn(store);
  if (found !== undefined && found.finished === undefined) {
    console.log((await takeTurn(agent, found, undefined, options)).answer);
  }
  for await (const line of linesOf(Deno.stdin.readable)) {
    const last = await lastTurn(store);
    const { runId, answer, stopReason } = await takeTurn(agent, last, line, options);
    console.log(`${runId}: ${answer ?? stopReason}`);
  }
}

if (import.meta.main) {
  try {
    await chat();
  } catch (error) {
    if (!(error instanceof RunSuspendedError)) throw error;
    console.log("suspended: start again to go on");
  }
}
