import type { RunLogSummary } from "../../session/mod.ts";
import {
  COMPLETIONS,
  counted,
  duration,
  type JsonValue,
  type Message,
  type StepRecord,
  stepStyle,
} from "../../types/mod.ts";
import { standing } from "../_report/standing.ts";
import { Markup, markup } from "./markup.ts";
import { grouped, jsonText, type ShownTexts } from "./shown_text.ts";
import { STYLE } from "./style.ts";

/** What a reader may load: nothing. A style stands in the page; no script runs. */
export const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

/** The beginning of a page, up to its first words. */
export function pageStart(title: string): Markup {
  return markup`
    <!doctype html>
    <html lang="en">
      <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${POLICY}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    ${Markup.written(`<style>${STYLE}</style>`)}
      </head>
      <body>
  `;
}

/** The end of a page. */
export function pageEnd(): Markup {
  return markup`</body>
</html>
`;
}

/** What a run is: its id, what it was asked, what it was started with. */
export function runHead({ runId, started, settings }: RunLogSummary, texts: ShownTexts): Markup {
  const { polyloop, deno = "an unknown runtime" } = started.runtime;
  const { inputs } = started;
  const binding = Object.entries(settings.modelBinding).map(([key, value]) => `${key} ${value}`);
  return markup`
    <h1>${runId}</h1>
    <p class="soft">started ${started.at} · PolyLoop ${polyloop} on ${deno}${
    binding.length === 0 ? "" : ` · ${binding.join(", ")}`
  }</p>
    ${
    started.redactedFrom &&
    markup`<p class="note">Texts of it are hidden. The log that it was made from has the head <code>${started.redactedFrom.logHead}</code>.</p>`
  }<h2>Task</h2>
    ${
    inputs === undefined
      ? markup`<p class="note">The run was recorded without its inputs.</p>`
      : inputs.context.goalLevel.flatMap(textsOf).map((text) => texts.block(text))
  }
    <details>
      <summary class="soft">settings</summary>
      <dl class="facts">${
    Object.entries(started.parameters).map(([key, value]) =>
      markup`
          <dt>${key}</dt>
          <dd><code>${texts.line(value)}</code></dd>
        `
    )
  }</dl>
    </details>
  `;
}

function textsOf({ content }: Message): readonly string[] {
  return content.map((block) =>
    block.type === "tool_call" ? jsonText(block.arguments) : block.text
  );
}

/** What the steps of a run come to together. */
export interface StepSums {
  /** How long they took, in milliseconds. */
  readonly activeMs: number;
  /** Whether any reply told how many tokens it took. */
  readonly hasTokens: boolean;
}

/** What a run came to: why it stopped, its answer, what it spent of each limit. */
export function runOutcome(
  log: RunLogSummary,
  { activeMs, hasTokens }: StepSums,
  texts: ShownTexts,
): Markup {
  const { finished, counters, settings: { budget } } = log;
  const tokens = hasTokens ? counters.totalTokens : undefined;
  const style = finished === undefined
    ? "odd"
    : COMPLETIONS.includes(finished.stopReason)
    ? "good"
    : "bad";
  const answer: JsonValue | undefined = finished?.answer;
  return markup`
    <h2>${finished === undefined ? "Where it stands" : "Why it stopped"}</h2>
    <p class="${style}">${finished === undefined ? texts.line(standing(log)) : standing(log)}</p>
    ${answer === undefined ? undefined : markup`<h2>Answer</h2>${texts.block(jsonText(answer))}`}
    <h2>Spent</h2>
    <dl class="facts">
    ${limit("steps", counters.steps, budget.maxSteps)}
    ${limit("model calls", counters.modelCalls, budget.maxModelCalls)}
    ${limit("largest prompt", counters.largestPromptChars, budget.maxPromptChars, "characters")}
    ${limit("tokens", tokens, budget.maxTotalTokens)}
    ${limit("active", Math.round(activeMs), budget.maxActiveMs, "ms")}
    </dl>
  `;
}

function limit(
  what: string,
  amount: number | undefined,
  most: number | undefined,
  unit = "",
): Markup {
  const spent = amount === undefined ? "not reported" : grouped(amount);
  const words = most === undefined ? spent : `${spent} of ${grouped(most)}`;
  const gauge = most === undefined || most === 0 || amount === undefined
    ? undefined
    : markup`<meter min="0" max="${most}" value="${Math.min(amount, most)}" high="${
      most * 0.9
    }"></meter>`;
  return markup`
    <dt>${what}</dt>
    <dd>${gauge}${`${words} ${unit}`.trim()}</dd>
  `;
}

/** A step in the strip: its place, how it went, and how much of the largest of the run it took. */
export interface StripStep
  extends Pick<StepRecord, "stepIndex" | "outcome" | "promptChars" | "durationMs"> {
  readonly style: string;
}

/** What the strip needs of a step. */
export function stripStep(step: StepRecord): StripStep {
  const { stepIndex, outcome, promptChars, durationMs } = step;
  return { stepIndex, outcome, promptChars, durationMs, style: stepStyle(step) };
}

/** From how many steps on the strip shows them narrow. */
const MANY_STEPS = 300;

/** All steps in a row, a bar of the prompt's size and one of the time beside it each. */
export function strip(steps: readonly StripStep[]): Markup | undefined {
  if (steps.length === 0) return undefined;
  const largest = steps.reduce((most, { promptChars }) => Math.max(most, promptChars), 1);
  const longest = steps.reduce((most, { durationMs }) => Math.max(most, durationMs), 1);
  const share = (amount: number, most: number) => Math.max(3, Math.round(100 * amount / most));
  return markup`
    <h2>${counted(steps.length, "step")}</h2>
    <ol class="strip${
    steps.length > MANY_STEPS ? " many" : ""
  }" aria-label="Prompt size and time of each step">${
    steps.map((
      { stepIndex, outcome, promptChars, durationMs, style },
    ) =>
      markup`<li><a class="${style}" href="#s${stepIndex}" title="step ${stepIndex}: ${outcome}, ${
        grouped(promptChars)
      } characters, ${duration(durationMs)}"><i style="height:${
        share(promptChars, largest)
      }%"></i><i style="height:${share(durationMs, longest)}%"></i></a></li>`
    )
  }</ol>
  `;
}
