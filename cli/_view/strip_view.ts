import { duration, type StepRecord, stepStyle } from "../../types/mod.ts";
import { type Markup, markup } from "./markup.ts";
import { grouped } from "./shown_text.ts";

/** A step in the strip: its place, how it went, the size of its prompt and how long it took. */
export interface StripStep
  extends Pick<StepRecord, "stepIndex" | "outcome" | "promptChars" | "durationMs"> {
  readonly style: string;
}

/** What the strip needs of a step. */
export function stripStep(step: StepRecord): StripStep {
  const { stepIndex, outcome, promptChars, durationMs } = step;
  return { stepIndex, outcome, promptChars, durationMs, style: stepStyle(step) };
}

/** How many bars the strip has at most. */
const MAX_BARS = 160;

/** What a bar stands for: one step, or some in a row. */
interface Bar {
  /** Where it leads to: the first of them that went worst. */
  readonly to: StripStep;
  readonly words: string;
  /** As a background: of several steps each colour has its share. */
  readonly color: string;
  readonly promptChars: number;
  readonly durationMs: number;
}

/** All steps in a row: a bar for each, or for some of them together, of the prompt's size, and one of the time beside it. */
export function strip(steps: readonly StripStep[]): Markup | undefined {
  if (steps.length === 0) return undefined;
  const each = Math.ceil(steps.length / MAX_BARS);
  const bars = barsOf(steps, each);
  const largest = bars.reduce((most, { promptChars }) => Math.max(most, promptChars), 1);
  const longest = bars.reduce((most, { durationMs }) => Math.max(most, durationMs), 1);
  const share = (amount: number, most: number) => Math.max(3, Math.round(100 * amount / most));
  const what = each === 1 ? "step: its prompt" : `${each} steps: their largest prompt`;
  return markup`
    <p class="note">A bar for ${
    each === 1 ? "each" : "every"
  } ${what}, and paler beside it the time. It leads to ${
    each === 1 ? "it" : "the worst of them"
  }.</p>
    <nav class="strip" aria-label="Prompt size and time of the steps">${
    bars.map(({ to, words, color, promptChars, durationMs }) =>
      markup`<a href="#s${to.stepIndex}" title="${words}"><i style="height:${
        share(promptChars, largest)
      }%;background:${color}"></i><i style="height:${share(durationMs, longest)}%"></i></a>`
    )
  }</nav>
  `;
}

function barsOf(steps: readonly StripStep[], each: number): readonly Bar[] {
  const bars: Bar[] = [];
  for (let at = 0; at < steps.length; at += each) {
    const [first, ...rest] = steps.slice(at, at + each);
    if (first !== undefined) bars.push(barOf(first, rest));
  }
  return bars;
}

const WORST_FIRST = ["bad", "odd", "good"];

function barOf(first: StripStep, rest: readonly StripStep[]): Bar {
  const all = [first, ...rest];
  const rank = ({ style }: StripStep) => WORST_FIRST.indexOf(style);
  const to = all.reduce((worst, step) => rank(step) < rank(worst) ? step : worst);
  const promptChars = all.reduce((most, step) => Math.max(most, step.promptChars), 0);
  const durationMs = all.reduce((sum, step) => sum + step.durationMs, 0);
  const last = rest.at(-1)?.stepIndex;
  const place = last === undefined
    ? `step ${first.stepIndex}: ${first.outcome}`
    : `steps ${first.stepIndex} to ${last}`;
  const words = `${place}, ${grouped(promptChars)} characters, ${duration(durationMs)}`;
  return { to, words, color: colorOf(all), promptChars, durationMs };
}

function colorOf(steps: readonly StripStep[]): string {
  const shares = WORST_FIRST.map((style) => ({
    style,
    share: Math.round(100 * steps.filter((step) => step.style === style).length / steps.length),
  })).filter(({ share }) => share > 0);
  const [only, ...others] = shares;
  if (only !== undefined && others.length === 0) return `var(--${only.style})`;
  let from = 0;
  const stops = shares.map(({ style, share }) => `var(--${style}) ${from}% ${from += share}%`);
  return `linear-gradient(to top,${stops.join()})`;
}
