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
  canonicalJson,
  countCodePoints,
  type JsonValue,
  type StepRecord,
  takeCodePoints,
} from "../types/mod.ts";
import type { EventSink, RunEvent } from "../ports/mod.ts";
import { fitColumns, harmless } from "./_terminal/terminal_text.ts";
import { type ByteOutput, writeText } from "./_terminal/write_text.ts";

export type { ByteOutput };

/** How a run is shown. */
export interface ConsoleEventsOptions {
  /**
   * Where it is shown.
   *
   * @default {Deno.stderr}
   */
  readonly output?: ByteOutput;
  /**
   * Whether that is a terminal: it gets a live line, others get plain lines alone.
   *
   * @default {Deno.stderr.isTerminal()}
   */
  readonly isTerminal?: boolean;
  /**
   * Whether to use colours.
   *
   * @default {isTerminal && !Deno.noColor}
   */
  readonly color?: boolean;
  /**
   * How many columns a line may take. Absent: those that the terminal has, 80 if it does not tell; 200 elsewhere.
   */
  readonly columns?: number;
}

interface RunState {
  readonly maxSteps: number | undefined;
  steps: number;
  deltaChars: number;
}

const BAR_COLUMNS = 20;
const STYLES = { good: 32, bad: 31, odd: 33, faint: 2 } as const;

/**
 * Shows runs as they go: when one starts, each recorded step with its actions and what they led to, and why the run
 * ended. On a terminal a last line lives: the progress against `maxSteps` and what is going on right now. Texts of
 * models and tools are shown as single cut lines in which nothing can be an escape sequence. Events of several runs may
 * interleave; each line names its run.
 */
export function consoleEvents(options: ConsoleEventsOptions = {}): EventSink {
  const output = options.output ?? Deno.stderr;
  const isTerminal = options.isTerminal ??
    (options.output === undefined && Deno.stderr.isTerminal());
  const hasColor = options.color ?? (isTerminal && !Deno.noColor);
  const runs = new Map<string, RunState>();
  let isLive = false;

  const columns = (): number => {
    if (options.columns !== undefined) return options.columns;
    if (!isTerminal) return 200;
    const known = options.output === undefined ? Deno.consoleSize().columns : 0;
    return known > 0 ? known : 80; // a terminal may not know its size
  };
  const paint = (style: keyof typeof STYLES, text: string): string =>
    hasColor ? `\x1b[${STYLES[style]}m${text}\x1b[0m` : text;
  const clear = (): string => {
    const text = isLive ? "\r\x1b[2K" : "";
    isLive = false;
    return text;
  };
  const line = (text: string, style?: keyof typeof STYLES): void => {
    const shown = fitColumns(text, columns());
    writeText(output, `${clear()}${style === undefined ? shown : paint(style, shown)}\n`);
  };
  const live = (event: RunEvent, doing: string): void => {
    const run = runs.get(event.runId);
    if (!isTerminal || run === undefined) return;
    const text = `${progress(run)} ${event.runId}: ${doing}`;
    const shown = fitColumns(text, columns() - 1);
    const before = clear();
    isLive = true;
    writeText(output, before + paint("faint", shown));
  };

  const emit = (event: RunEvent): void => {
    const run = runs.get(event.runId);
    switch (event.type) {
      case "run_started": {
        const limit = Number(event.parameters["request.budget.max_steps"] ?? NaN);
        const maxSteps = Number.isSafeInteger(limit) && limit >= 0 ? limit : undefined;
        runs.set(event.runId, { maxSteps, steps: 0, deltaChars: 0 });
        return line(
          `${event.runId} started${
            maxSteps === undefined ? "" : `, at most ${count(maxSteps, "step")}`
          }`,
        );
      }
      case "run_resumed":
        runs.set(event.runId, { maxSteps: undefined, steps: event.recordedSteps, deltaChars: 0 });
        return line(
          `${event.runId} resumed after ${count(event.recordedSteps, "step")}: ${event.plan}`,
        );
      case "prompt_assembled":
        return live(event, `prompt of ${count(event.promptChars, "character")}`);
      case "step_started":
        return;
      case "model_call_started":
        if (run !== undefined) run.deltaChars = 0;
        return live(event, "the model thinks");
      case "model_delta":
        if (run !== undefined) run.deltaChars += countCodePoints(event.text);
        return live(event, `the model writes, ${count(run?.deltaChars ?? 0, "character")}`);
      case "model_call_finished":
        return live(event, `model call ${event.outcome}`);
      case "action_started":
        return live(event, `runs ${actionLabel(event)}`);
      case "action_finished":
        return live(event, `${event.status} in ${duration(event.durationMs)}`);
      case "step_recorded": {
        const { step } = event;
        if (run !== undefined) run.steps = step.stepIndex + 1;
        const took = duration(step.durationMs);
        line(
          `${event.runId} step ${step.stepIndex}: ${step.outcome} in ${took}${stepDetail(step)}`,
          stepStyle(step),
        );
        return live(event, "next step");
      }
      case "run_suspended":
        runs.delete(event.runId);
        return line(`${event.runId} suspended: resume it to go on`, "odd");
      case "run_finished": {
        runs.delete(event.runId);
        const { steps, modelCalls, totalTokens } = event.counters;
        const spent = `${count(steps, "step")}, ${count(modelCalls, "model call")}, ${
          count(totalTokens, "token")
        }`;
        return line(`${event.runId} finished: ${event.stopConditions.join(", ")} (${spent})`);
      }
    }
  };
  return { emit, parameters: () => ({}) };
}

function progress({ steps, maxSteps }: RunState): string {
  if (maxSteps === undefined) return `[${steps}]`;
  const filled = maxSteps === 0 ? BAR_COLUMNS : Math.round(BAR_COLUMNS * steps / maxSteps);
  const bar = "█".repeat(Math.min(filled, BAR_COLUMNS)).padEnd(BAR_COLUMNS, "░");
  return `${bar} ${steps}/${maxSteps}`;
}

function stepStyle(step: StepRecord): keyof typeof STYLES {
  switch (step.outcome) {
    case "acted":
      return step.actions.some(({ status, failed }) => failed || status !== "executed")
        ? "odd"
        : "good";
    case "final_answer":
      return "good";
    case "cancelled":
      return "odd";
    default:
      return "bad";
  }
}

function stepDetail(step: StepRecord): string {
  if (step.decision?.kind === "final_answer") return `: ${preview(step.decision.answer, 120)}`;
  if (step.decision?.kind === "invalid") return `: ${preview(step.decision.explanation, 120)}`;
  if (step.error !== undefined) {
    return `: ${preview(`${step.error.name}: ${step.error.message}`, 120)}`;
  }
  return step.actions.map((action) => `; ${actionLabel(action)} → ${actionResult(action)}`).join(
    "",
  );
}

function actionLabel({ action, toolName }: Pick<ActionRecord, "action" | "toolName">): string {
  if (toolName !== undefined) return preview(toolName, 60);
  if (typeof action === "object" && action !== null && !Array.isArray(action)) {
    const { code, command } = action as { readonly [key: string]: JsonValue };
    const shown = code ?? command;
    if (typeof shown === "string") return preview(shown, 60);
  }
  return preview(action, 60);
}

function actionResult({ status, observation }: ActionRecord): string {
  return `${status === "executed" ? "" : `${status}: `}${preview(observation, 80)}`;
}

function preview(value: JsonValue, chars: number): string {
  const text = typeof value === "string" ? value : canonicalJson(value);
  const start = takeCodePoints(text, 4 * chars); // no need to go through a long text for its beginning
  return fitColumns(harmless(start).trim(), chars);
}

function count(amount: number, thing: string): string {
  return `${amount} ${thing}${amount === 1 ? "" : "s"}`;
}

function duration(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
