import { consoleEvents } from "../../adapters/console_events.ts";
import type { RunStore } from "../../ports/mod.ts";
import {
  type AgentDefinition,
  defineAgent,
  defineRun,
  resume,
  run,
  type RunOptions,
  type RunRequest,
} from "../../session/mod.ts";
import { present } from "../../types/mod.ts";
import type { Command, CommandOption, CommandWords } from "../_command.ts";
import { moduleCommand } from "../_driving/command_words.ts";
import { type Derived, recordedInheritance } from "../_driving/derived_request.ts";
import { freeRunId } from "../_driving/free_run_id.ts";
import { reportEnd } from "../_driving/report_end.ts";
import { reportStop } from "../_driving/report_stop.ts";
import { SinkFailures } from "../_driving/sink_failures.ts";
import { stopSignals } from "../_driving/stop_signals.ts";
import type { Screen } from "../_screen.ts";
import { onceFree } from "../_store/once_free.ts";
import { type OpenStore, openStoreToDrive, STORE_FORMS } from "../_store/open_store.ts";
import { loadRunModule, type RunModule } from "../run_module.ts";

/** The options of `run` and `resume`. */
export const MODULE_OPTIONS: Readonly<Record<string, CommandOption>> = {
  "run-id": { value: "ID", help: "another run id than the module's" },
  store: {
    value: "STORE",
    help: `${STORE_FORMS}, in the place of the agent's own store`,
  },
  verbose: { help: "show the stack of what a tool, the interpreter or a callback threw, too" },
};

/** `run`: makes the run of a module. */
export const RUN: Command<"module"> = {
  name: "run",
  summary: "Make the run that a module describes",
  operands: ["module"],
  options: {
    ...MODULE_OPTIONS,
    new: { help: "make another run if there is one of that id: <id>-2, or the next that is free" },
  },
  details: `The module (a TypeScript or JavaScript file) exports "agent" and "request", what
defineAgent and defineRun gave, and if it wants "options" for run and a function
"close"; or else a function "setup", which may be async and gives such an object.
Steps are shown on standard error, unless the agent has events of its own; the
answer alone goes to standard output. Ctrl-C or SIGTERM suspends the run, and so does
a model call that fails, since a server may be away for a while: "resume" goes on with
it. A second Ctrl-C or SIGTERM ends the process; "resume" can go on then, too.
A run that has finished is not made again: what became of it is told, and its answer.
Exits with 0 if the run completed (tool_completed, environment_completed or
final_answer), with 1 if it stopped for another reason, failed or was suspended.`,
  run: (words, screen) => driveModule("run", words, screen),
};

/** The run that is made of a module's and of a recorded one. */
export interface Derivation {
  /** Its id. */
  readonly runId: string;
  /** What it has in the place of what the module says. */
  derive(store: RunStore): Promise<Derived>;
}

/** Makes the run of a module, or goes on with it; gives the exit code. */
export async function driveModule(
  verb: "run" | "resume",
  words: CommandWords<"module">,
  screen: Screen,
  derivation?: Derivation,
): Promise<number> {
  const module = await loadRunModule(words.operand("module"));
  const text = words.values.get("store");
  let opened: OpenStore | undefined;
  const stopping = stopSignals(() =>
    screen.complain("\ninterrupted: suspending the run; once more to end at once")
  );
  // A signal listener does not keep the process: a run that waits for nothing but a signal would end it unsaid.
  const alive = setInterval(() => {}, 60_000);
  try {
    opened = text === undefined ? undefined : await openStoreToDrive(text);
    const agent = assembledAgent(module, words, opened, screen);
    const request = await assembledRequest(verb, module, words, agent, derivation);
    return await driveRun(verb, { ...module, agent, request }, words, stopping.signal, screen);
  } finally {
    // What closes after the run has nothing to suspend: a signal ends it.
    stopping.stop();
    clearInterval(alive);
    opened?.close();
    await module.close?.();
  }
}

async function driveRun(
  verb: "run" | "resume",
  { agent, request, options: given = {} }: RunModule,
  words: CommandWords<"module">,
  signal: AbortSignal,
  screen: Screen,
): Promise<number> {
  const sink = new SinkFailures(given.onEventError);
  const { onEventError } = sink;
  const options: RunOptions = {
    onModelFailure: "suspend",
    ...given,
    signal,
    onAbort: "suspend",
    takeOver: words.flags.has("take-over"),
    onEventError,
  };
  let missed: number | undefined;
  try {
    const drive = () => (verb === "run" ? run : resume)(agent, request, options);
    const result = await onceFree(drive, screen, signal);
    missed = result.eventDeliveryFailures;
    return reportEnd(result, screen);
  } catch (error) {
    const { runId } = request;
    const isNamed = words.flags.has("new") || words.values.has("as");
    const resumeWords = moduleCommand("resume", words, isNamed ? runId : undefined);
    return await reportStop(error, { store: agent.store, runId, signal, resumeWords }, screen);
  } finally {
    const note = sink.words(missed);
    if (note !== undefined) screen.complain(note);
  }
}

/** A module's agent with what the command line puts in the place of its own. */
function assembledAgent(
  { agent }: RunModule,
  { flags }: CommandWords,
  opened: OpenStore | undefined,
  { steps }: Screen,
): AgentDefinition {
  return defineAgent({
    ...agent,
    ...present({ store: opened?.store }),
    events: agent.events ?? consoleEvents({ ...steps, verbose: flags.has("verbose") }),
  });
}

/** The same of its request. A run that another command derived goes on with what it inherited. */
async function assembledRequest(
  verb: "run" | "resume",
  { request }: RunModule,
  { values, flags }: CommandWords,
  { store }: AgentDefinition,
  derivation: Derivation | undefined,
): Promise<RunRequest> {
  if (derivation !== undefined) {
    const { runId } = derivation;
    return defineRun({ ...request, runId, ...await derivation.derive(store) });
  }
  const wanted = values.get("run-id") ?? request.runId;
  const runId = flags.has("new") ? await freeRunId(store, wanted) : wanted;
  const derived = verb === "resume" ? await recordedInheritance(store, runId, request) : {};
  return runId === request.runId && derived.derivedFrom === undefined
    ? request
    : defineRun({ ...request, runId, ...derived });
}
