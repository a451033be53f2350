import { consoleEvents } from "../../adapters/console_events.ts";
import {
  type AgentDefinition,
  defineAgent,
  defineRun,
  resume,
  run,
  type RunOptions,
  type RunRequest,
} from "../../session/mod.ts";
import {
  harmless,
  paint,
  present,
  RunExistsError,
  type RunResult,
  RunSuspendedError,
} from "../../types/mod.ts";
import type { Command, CommandOption, CommandWords } from "../_command.ts";
import { type OpenStore, openStore } from "../_open_store.ts";
import { COMPLETIONS } from "../_report/standing.ts";
import type { Screen } from "../_screen.ts";
import { shown } from "../_terminal_text.ts";

/**
 * What a module gives to the commands `run` and `resume`: either it exports these itself, or a function `setup` that
 * returns them or a promise of them.
 *
 * @example
 * ```ts
 * import { defineAgent, defineRun, textMessage } from "@polyloop/polyloop";
 * import { jsonActionInterpreter } from "@polyloop/polyloop/adapters/json-action-interpreter";
 * import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
 * import type { RunModule } from "@polyloop/polyloop/cli";
 * import { jsonlStore } from "@polyloop/polyloop/stores/jsonl";
 *
 * export function setup(): RunModule {
 *   const agent = defineAgent({
 *     model: scriptedModel(['{"final_answer": 42}']),
 *     interpreter: jsonActionInterpreter(),
 *     store: jsonlStore({ dir: ".polyloop" }),
 *   });
 *   const request = defineRun({
 *     runId: "six-times-seven",
 *     budget: { maxSteps: 3, maxModelCalls: 3, maxPromptChars: 10_000, maxConsecutiveFailures: 1 },
 *     executor: { execute: () => Promise.reject(new Error("no actions")), parameters: () => ({}) },
 *     context: { runLevel: [], goalLevel: [textMessage("user", "What is six times seven?")] },
 *   });
 *   return { agent, request };
 * }
 * ```
 */
export interface RunModule {
  /** The agent. Without `events` of its own its runs are shown on standard error. */
  readonly agent: AgentDefinition;
  /** The run; `--run-id` puts another id in the place of its own. */
  readonly request: RunRequest;
  /** How it is driven. Absent: as by default. The signal and what an abort does are the command's. */
  readonly options?: Omit<RunOptions, "signal" | "onAbort">;
  /** Lets go of what was opened, such as a sandbox; called once the run is over or suspended. */
  close?(): void | Promise<void>;
}

/** The options of `run` and `resume`. */
export const MODULE_OPTIONS: Readonly<Record<string, CommandOption>> = {
  "run-id": { value: "ID", help: "another run id than the module's" },
  store: {
    value: "STORE",
    help: "jsonl:DIR, sqlite:FILE or kv:FILE, in the place of the agent's own store",
  },
};

/** `run`: makes the run of a module. */
export const RUN: Command = {
  name: "run",
  summary: "Make the run that a module describes",
  operands: ["module"],
  options: MODULE_OPTIONS,
  details: `The module (a TypeScript or JavaScript file) exports "agent" and "request", what
defineAgent and defineRun gave, and if it wants "options" for run and a function
"close"; or else a function "setup", which may be async and gives such an object.
Steps are shown on standard error, unless the agent has events of its own; the
answer goes to standard output. Ctrl-C suspends the run: "resume" goes on with it.
A second Ctrl-C ends the process; "resume" can go on then, too.
Exits with 0 if the run completed (tool_completed, environment_completed or
final_answer), with 1 if it stopped for another reason, failed or was suspended.`,
  run: (words, screen) => driveModule("run", words, screen),
};

/** Makes the run of a module, or goes on with it; gives the exit code. */
export async function driveModule(
  verb: "run" | "resume",
  words: CommandWords,
  screen: Screen,
): Promise<number> {
  const [path] = words.operands as [string];
  const module = await loadRunModule(path);
  const text = words.values.get("store");
  let opened: OpenStore | undefined;
  const interrupt = new AbortController();
  const onInterrupt = () => {
    Deno.removeSignalListener("SIGINT", onInterrupt);
    screen.complain("\ninterrupted: suspending the run; press again to end at once");
    interrupt.abort(new DOMException("interrupted", "AbortError"));
  };
  Deno.addSignalListener("SIGINT", onInterrupt);
  // A signal listener does not keep the process: a run that waits for nothing but a signal would end it unsaid.
  const alive = setInterval(() => {}, 60_000);
  try {
    opened = text === undefined ? undefined : await openStore(text);
    const { agent, request } = assembled(module, words, opened);
    const options = { ...module.options, signal: interrupt.signal, onAbort: "suspend" } as const;
    const result = await (verb === "run" ? run : resume)(agent, request, options);
    report(result, screen);
    return COMPLETIONS.includes(result.stopReason) ? 0 : 1;
  } catch (error) {
    if (error instanceof RunExistsError) {
      throw new Error(`${error.message}: resume it, or give another --run-id`, { cause: error });
    }
    if (!(error instanceof RunSuspendedError)) throw error;
    screen.complain(`suspended: go on with the same command line and "resume" instead of "run"`);
    return 1;
  } finally {
    clearInterval(alive);
    Deno.removeSignalListener("SIGINT", onInterrupt);
    opened?.close();
    await module.close?.();
  }
}

/** The agent and the request of a module, with what the command line puts in their place. */
function assembled(
  { agent, request }: RunModule,
  { values }: CommandWords,
  opened: OpenStore | undefined,
): Pick<RunModule, "agent" | "request"> {
  const runId = values.get("run-id");
  return {
    agent: defineAgent({
      ...agent,
      ...present({ store: opened?.store }),
      events: agent.events ?? consoleEvents(),
    }),
    request: runId === undefined ? request : defineRun({ ...request, runId }),
  };
}

async function loadRunModule(path: string): Promise<RunModule> {
  const exports = await load(path);
  const { setup } = exports as { readonly setup?: unknown };
  const module = typeof setup === "function" ? await setUp(path, setup) : exports;
  if (typeof module !== "object" || module === null || !module.agent || !module.request) {
    throw new Error(
      `Cannot use "${path}" as it gives no agent and request: export both, or a function "setup" that returns both`,
    );
  }
  return module;
}

async function setUp(path: string, setup: CallableFunction): Promise<RunModule> {
  try {
    return await setup();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Cannot set up the run of "${path}" as ${reason}`, { cause });
  }
}

async function load(path: string): Promise<RunModule> {
  let url: string;
  try {
    url = fileUrl(await Deno.realPath(path));
  } catch (cause) {
    throw new Error(`Cannot load "${path}" as there is no such file`, { cause });
  }
  try {
    return await import(url);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Cannot load "${path}" as ${reason}`, { cause });
  }
}

function fileUrl(path: string): string {
  const url = new URL("file:///");
  url.pathname = path.replaceAll("%", "%25");
  return url.href;
}

function report({ runId, stopReason, answer, logHead }: RunResult, screen: Screen): void {
  const style = COMPLETIONS.includes(stopReason) ? "good" : "bad";
  screen.print(`${runId}: ${paint(screen, style, stopReason)}, head ${logHead}`);
  if (answer !== undefined) screen.print(`\n${harmless(shown(answer))}`);
}
