import {
  type AssemblyInputs,
  emptyMeasure,
  parseTemplate,
  PromptAssembly,
} from "../../logic/_assembly/mod.ts";
import type { Position } from "../../logic/_recovery/mod.ts";
import {
  cutMessages,
  present,
  type StepRecord,
  type ToolProtocol,
  type ToolSchema,
  toolsSize,
} from "../../types/mod.ts";
import type { AgentDefinition } from "../define_agent.ts";
import type { RunRequest } from "../define_run.ts";
import type { RunOptions } from "../run_options.ts";
import { Clock } from "./clock.ts";
import { EventPump } from "./event_pump.ts";
import { Interrupt } from "./interrupt.ts";
import { Journal } from "./journal.ts";
import { StepTimer } from "./step_timer.ts";

/** Everything that one call of `run` or `resume` holds. */
export interface LiveRun {
  readonly agent: AgentDefinition;
  readonly request: RunRequest;
  readonly options: RunOptions;
  /** What the model may see of the tools, in registry order. */
  readonly tools: readonly ToolSchema[] | undefined;
  /** The names of the visible tools, in the same order. */
  readonly toolNames: readonly string[] | undefined;
  /** How the model asks for actions. */
  readonly toolProtocol: ToolProtocol;
  readonly clock: Clock;
  readonly timer: StepTimer;
  readonly interrupt: Interrupt;
  readonly events: EventPump;
  readonly assembly: PromptAssembly;
  readonly journal: Journal;
  /** The recorded steps. */
  readonly steps: StepRecord[];
  /** Ids of calls that were given up. */
  readonly abandoned: string[];
}

/** The prompt assembly of a request. */
export function assemblyOf(
  request: RunRequest,
  protocol: ToolProtocol,
  tools: readonly ToolSchema[] | undefined,
): PromptAssembly {
  const { context, injections, observationTemplate, contextPolicy, derivedFrom, report } = request;
  const inputs: AssemblyInputs = {
    context,
    injections,
    protocol,
    template: parseTemplate(observationTemplate),
    historySteps: derivedFrom?.historySteps ?? 0,
    isEditable: contextPolicy !== undefined,
    ...present({ cutChars: report === undefined ? undefined : cutMessages(report) }),
  };
  const sent = protocol === "native" ? tools ?? [] : [];
  return new PromptAssembly(inputs, emptyMeasure(toolsSize(sent)));
}

/** What is on record of a run: where its log ends. */
export interface OnRecord {
  readonly assembly: PromptAssembly;
  readonly steps: StepRecord[];
  readonly position: Position;
  /** How many entries its log has. */
  readonly entries: number;
  /** The hash of the last entry; the digest of the run id if there is none. */
  readonly head: string;
}

/** What a verb was given, and what was settled of it. */
type Given = Pick<LiveRun, "agent" | "request" | "options" | "tools" | "toolProtocol">;

/** Puts together what a call of `run` or `resume` holds, from what is on record. */
export function liveRun(
  { agent, request, options, tools, toolProtocol }: Given,
  onRecord: OnRecord,
): LiveRun {
  const { assembly, steps, position, entries, head } = onRecord;
  const clock = new Clock(options.now ?? Date.now);
  const timer = new StepTimer(clock);
  const drains = options.onAbort === "suspend";
  const interrupt = new Interrupt(options.signal, request.cancelGraceMs, drains);
  const sinks = [agent.events, options.events].filter((sink) => sink !== undefined);
  const onEventError = options.onEventError ?? (() => {});
  return {
    agent,
    request,
    options,
    tools,
    toolNames: tools && Object.freeze(tools.map(({ name }) => name)),
    toolProtocol,
    clock,
    timer,
    interrupt,
    events: new EventPump(sinks, request.runId, clock, onEventError),
    assembly,
    journal: new Journal(agent.store, interrupt, position, entries, head),
    steps,
    abandoned: [],
  };
}

/** Lets go of the store, the sink and the signal. */
export async function closeRun(live: LiveRun): Promise<void> {
  try {
    await live.journal.release();
  } finally {
    await live.events.drain(live.request.cancelGraceMs);
    live.interrupt.dispose();
  }
}
