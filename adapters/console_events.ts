/**
 * A sink that shows a run to someone who watches: a line per step, and on a terminal a live line with a progress bar.
 *
 * @example
 * ```ts
 * import { consoleEvents } from "@polyloop/polyloop/adapters/console-events";
 *
 * const events = consoleEvents(); // for defineAgent({ …, events })
 * ```
 *
 * @module
 */
import {
  type ActionRecord,
  type ByteOutput,
  canonicalJson,
  countCodePoints,
  counted,
  duration,
  type ErrorInfo,
  fateWords,
  fitColumns,
  harmlessLine,
  isJsonObject,
  type JsonValue,
  type KnownFields,
  readSettings,
  refuseUnknownFields,
  type StepRecord,
  stepStyle,
  type Style,
  takeCodePoints,
} from "../types/mod.ts";
import type {
  EventSink,
  RunEvent,
  RunResumedEvent,
  RunStartedEvent,
  RunSuspendedEvent,
} from "../ports/mod.ts";
import { editLine } from "./_terminal/edit_line.ts";
import { liveScreen } from "./_terminal/live_screen.ts";
import { PLAN_WORDS } from "./_terminal/plan_words.ts";
import { standardError } from "./_terminal/standard_error.ts";

export type { ByteOutput };

/** How a run is shown. */
export interface ConsoleEventsOptions {
  /**
   * Where it is shown. Absent: on the process's standard error.
   */
  readonly output?: ByteOutput;
  /**
   * Whether that is a terminal: it gets a live line, others get plain lines alone. Absent: what standard error is; of
   * an `output` of one's own, that it is none.
   */
  readonly isTerminal?: boolean;
  /**
   * Whether to use colours. Absent: on a terminal, unless `NO_COLOR` is set.
   */
  readonly color?: boolean;
  /**
   * How many columns a line may take. Absent: those that the terminal has, 80 if it does not tell; 200 elsewhere.
   */
  readonly columns?: number;
  /**
   * Whether the stack of what a tool, an interpreter or a callback threw is shown below its line.
   *
   * @default {false}
   */
  readonly verbose?: boolean;
}

const OPTIONS: KnownFields<ConsoleEventsOptions> = {
  output: true,
  isTerminal: true,
  color: true,
  columns: true,
  verbose: true,
};

/**
 * Shows runs as they go: when one starts, each recorded step with its actions and what they led to, and why the run
 * ended. On a terminal a last line lives: the progress against `maxSteps` and what is going on right now. Texts of
 * models and tools are shown as single cut lines in which nothing can be an escape sequence. Events of several runs may
 * interleave; each line names its run.
 *
 * @throws {InvalidRequestError} If there is no option of a name.
 */
export function consoleEvents(options: ConsoleEventsOptions = {}): EventSink {
  refuseUnknownFields(options, OPTIONS);
  const isTerminal = options.isTerminal ??
    (options.output === undefined && standardError.isTerminal());
  const screen = liveScreen({
    output: options.output ?? standardError,
    isTerminal,
    hasColor: options.color ?? (isTerminal && !standardError.noColor()),
    columns() {
      if (options.columns !== undefined) return options.columns;
      if (!isTerminal) return 200;
      const known = options.output === undefined ? standardError.columns() : 0;
      return known > 0 ? known : 80; // a terminal may not know its size
    },
  });
  const runs = new Map<string, Progress>();
  return {
    emit(event) {
      const { runId } = event;
      const progress = progressAfter(event, runs.get(runId));
      if (progress === undefined) runs.delete(runId);
      else runs.set(runId, progress);
      const line = lineOf(event);
      if (line !== undefined) screen.line(`${runId} ${line.text}`, line.style);
      for (const text of options.verbose ? stackLines(event) : []) {
        screen.line(`${runId}   ${text}`, "faint");
      }
      const doing = activityOf(event, progress);
      if (progress === undefined || doing === undefined) return;
      screen.live(`${progressBar(progress)} ${runId}: ${doing}`);
    },
    parameters: () => ({}),
  };
}

/** How far a run has come. */
interface Progress {
  readonly maxSteps: number | undefined;
  readonly steps: number;
  /** How much of the reply of the call that is going on has arrived, in code points. */
  readonly deltaChars: number;
}

/** How far a run has come with an event. Absent: it has ended, or its beginning was not seen. */
function progressAfter(event: RunEvent, before: Progress | undefined): Progress | undefined {
  switch (event.type) {
    case "run_started":
      return { maxSteps: stepLimit(event), steps: 0, deltaChars: 0 };
    case "run_resumed":
      return { maxSteps: stepLimit(event), steps: event.recordedSteps, deltaChars: 0 };
    case "model_call_started":
      return before && { ...before, deltaChars: 0 };
    case "model_delta":
      return before &&
        {
          ...before,
          deltaChars: event.kind === "restart"
            ? 0
            : before.deltaChars + countCodePoints(event.text),
        };
    case "step_recorded":
      return before && { ...before, steps: event.step.stepIndex + 1 };
    case "run_suspended":
    case "run_finished":
      return undefined;
    default:
      return before;
  }
}

function stepLimit({ parameters }: RunStartedEvent | RunResumedEvent): number | undefined {
  return readSettings(parameters).budget.maxSteps;
}

const BAR_COLUMNS = 20;

function progressBar({ steps, maxSteps }: Progress): string {
  if (maxSteps === undefined) return `[${steps}]`;
  const filled = maxSteps === 0 ? BAR_COLUMNS : Math.round(BAR_COLUMNS * steps / maxSteps);
  const bar = "█".repeat(Math.min(filled, BAR_COLUMNS)).padEnd(BAR_COLUMNS, "░");
  return `${bar} ${steps}/${maxSteps}`;
}

/** The line that an event leaves behind. Absent: it leaves none. */
function lineOf(event: RunEvent): { readonly text: string; readonly style?: Style } | undefined {
  switch (event.type) {
    case "run_started": {
      const limit = stepLimit(event);
      return { text: `started${limit === undefined ? "" : `, at most ${counted(limit, "step")}`}` };
    }
    case "run_resumed":
      return {
        text: `resumed after ${counted(event.recordedSteps, "step")}: ${PLAN_WORDS[event.plan]}`,
      };
    case "model_delta":
      if (event.kind !== "restart") return undefined;
      return { text: `step ${event.stepIndex}: the reply begins anew`, style: "odd" };
    case "context_edited":
    case "context_edit_failed":
      return editLine(event);
    case "usage_unknown":
      return {
        text:
          `step ${event.stepIndex}: the reply does not tell its tokens, so their limit cannot hold`,
        style: "odd",
      };
    case "step_recorded": {
      const { step } = event;
      const took = duration(step.durationMs);
      return {
        text: `step ${step.stepIndex}: ${step.outcome} in ${took}${stepDetail(step)}`,
        style: stepStyle(step),
      };
    }
    case "run_suspended":
      return { text: suspensionText(event), style: "odd" };
    case "run_finished": {
      const { steps, modelCalls, totalTokens } = event.counters;
      const spent = [
        counted(steps, "step"),
        counted(modelCalls, "model call"),
        totalTokens === 0 ? "tokens not reported" : counted(totalTokens, "token"),
      ];
      return { text: `finished: ${event.stopConditions.join(", ")} (${spent.join(", ")})` };
    }
  }
}

/** The lines of every stack that an event has, each harmless. */
function stackLines(event: RunEvent): readonly string[] {
  return errorsOf(event).flatMap(({ stack }) => stack?.split("\n") ?? [])
    .map((line) => harmlessLine(line.trim()));
}

function errorsOf(event: RunEvent): readonly ErrorInfo[] {
  switch (event.type) {
    case "step_recorded":
      return event.step.actions.map((action) => "error" in action ? action.error : undefined)
        .filter((error) => error !== undefined);
    case "run_suspended":
      return event.error === undefined ? [] : [event.error];
    default:
      return [];
  }
}

function suspensionText({ why, error }: RunSuspendedEvent): string {
  const thrown = error === undefined ? "" : preview(`${error.name}: ${error.message}`, 240);
  switch (why) {
    case "abort":
      return "suspended: resume it to go on";
    case "model_call_failed":
      return `suspended: its model call failed; resume it to ask again: ${thrown}`;
    case "error":
      return `stopped by an error; it can be resumed: ${thrown}`;
  }
}

/** What goes on after an event, for the live line. Absent: it does not change that. */
function activityOf(event: RunEvent, progress: Progress | undefined): string | undefined {
  switch (event.type) {
    case "prompt_assembled":
      return `prompt of ${counted(event.promptChars, "character")}`;
    case "model_call_started":
      return event.purpose === undefined ? "the model thinks" : "the model sums up";
    case "model_delta":
      if (event.kind === "restart") return "the reply begins anew";
      return `the model writes, ${counted(progress?.deltaChars ?? 0, "character")}`;
    case "model_call_finished":
      return `model call ${event.outcome}`;
    case "approval_requested":
      return `waits for approval of ${actionLabel(event)}`;
    case "approval_answered":
      return event.allow ? "approved" : "denied";
    case "action_started":
      return `runs ${actionLabel(event)}`;
    case "action_finished":
      return `${event.status} in ${duration(event.durationMs)}`;
    case "step_recorded":
      return "next step";
  }
}

function stepDetail(step: StepRecord): string {
  if (step.decision?.kind === "final_answer") return `: ${preview(step.decision.answer, 120)}`;
  if (step.decision?.kind === "invalid") return `: ${preview(step.decision.explanation, 120)}`;
  if (step.error !== undefined) {
    return `: ${preview(`${step.error.name}: ${step.error.message}`, 120)}`;
  }
  const parts = step.actions.map((action) => `; ${actionLabel(action)} → ${actionResult(action)}`);
  return parts.join("");
}

function actionLabel({ action, toolName }: Pick<ActionRecord, "action" | "toolName">): string {
  if (toolName !== undefined) return preview(toolName, 60);
  const shown = isJsonObject(action) ? action.code ?? action.command : undefined;
  return preview(typeof shown === "string" ? shown : action, 60);
}

function actionResult(action: ActionRecord): string {
  const fate = fateWords(action);
  return `${fate === "executed" ? "" : `${fate}: `}${preview(action.observation, 80)}`;
}

function preview(value: JsonValue, chars: number): string {
  const text = typeof value === "string" ? value : canonicalJson(value);
  const start = takeCodePoints(text, 4 * chars); // no need to go through a long text for its beginning
  return fitColumns(harmlessLine(start), chars);
}
