import { consoleEvents } from "../../adapters/console_events.ts";
import { defineAgent, defineRun, resume, run } from "../../session/mod.ts";
import {
  COMPLETIONS,
  harmless,
  paint,
  present,
  RunExistsError,
  type RunResult,
  RunSuspendedError,
} from "../../types/mod.ts";
import type { Command, CommandOption, CommandWords } from "../_command.ts";
import type { Screen } from "../_screen.ts";
import { onceFree } from "../_store/once_free.ts";
import { type OpenStore, openStoreToDrive } from "../_store/open_store.ts";
import { shown } from "../_terminal_text.ts";
import { loadRunModule, type RunModule } from "../run_module.ts";

/** The options of `run` and `resume`. */
export const MODULE_OPTIONS: Readonly<Record<string, CommandOption>> = {
  "run-id": { value: "ID", help: "another run id than the module's" },
  store: {
    value: "STORE",
    help: "jsonl:DIR, sqlite:FILE or kv:FILE, in the place of the agent's own store",
  },
  verbose: { help: "show the stack of what a tool, the interpreter or a callback threw, too" },
};

/** `run`: makes the run of a module. */
export const RUN: Command<"module"> = {
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
  words: CommandWords<"module">,
  screen: Screen,
): Promise<number> {
  const module = await loadRunModule(words.operand("module"));
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
    opened = text === undefined ? undefined : await openStoreToDrive(text);
    const { agent, request } = assembled(module, words, opened);
    const { signal } = interrupt;
    const takeOver = words.flags.has("take-over");
    const options = { ...module.options, signal, onAbort: "suspend", takeOver } as const;
    const drive = () => (verb === "run" ? run : resume)(agent, request, options);
    const result = await onceFree(drive, screen, signal);
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
  { values, flags }: CommandWords,
  opened: OpenStore | undefined,
): Pick<RunModule, "agent" | "request"> {
  const runId = values.get("run-id");
  return {
    agent: defineAgent({
      ...agent,
      ...present({ store: opened?.store }),
      events: agent.events ?? consoleEvents({ verbose: flags.has("verbose") }),
    }),
    request: runId === undefined ? request : defineRun({ ...request, runId }),
  };
}

function report({ runId, stopReason, answer, logHead }: RunResult, screen: Screen): void {
  const style = COMPLETIONS.includes(stopReason) ? "good" : "bad";
  screen.print(`${runId}: ${paint(screen, style, stopReason)}, head ${logHead}`);
  if (answer !== undefined) screen.print(`\n${harmless(shown(answer))}`);
}
