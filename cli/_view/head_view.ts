import type { RunLogSummary } from "../../session/mod.ts";
import {
  COMPLETIONS,
  counted,
  cutSections,
  duration,
  excerpt,
  type JsonValue,
  type Message,
  type StepRecord,
} from "../../types/mod.ts";
import { messagePart } from "./call_view.ts";
import { failureWords } from "../_report/failure_words.ts";
import { lineageLines } from "../_report/lineage.ts";
import { FAILURES, reportsTokens, standing, stepDoubts } from "../_report/standing.ts";
import { Markup, markup } from "./markup.ts";
import { grouped, jsonText, type ShownTexts } from "./shown_text.ts";
import { STYLE } from "./style.ts";

/** What a reader may load: nothing. A style stands in the page; no script runs. */
export const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

/** The beginning of a page, up to its first words. */
export function pageStart(title: string, kind = "run"): Markup {
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
      <body class="${kind}">
  `;
}

/** The end of a page. */
export function pageEnd(): Markup {
  return markup`</body>
</html>
`;
}

/** How many code points of a setting stand on top; all of it is among the settings. */
const MAX_SETTING = 120;

/** What a run is: its id, where it comes from, what it was asked, what it was started with. */
export function runHead({ runId, started, settings }: RunLogSummary, texts: ShownTexts): Markup {
  const { polyloop, deno, runtime = deno ?? "an unknown runtime" } = started.runtime;
  const { inputs } = started;
  const binding = Object.entries(settings.modelBinding).map(([key, value]) =>
    ` · ${excerpt(`${key} ${texts.line(value)}`, MAX_SETTING)}`
  );
  return markup`
    <h1>${runId}</h1>
    <p class="soft">started ${started.at} · PolyLoop ${polyloop} on ${runtime}${binding}</p>
    ${lineageLines(started).map((line) => markup`<p class="soft">${line}</p>`)}<h2>Task</h2>
    ${
    inputs === undefined
      ? markup`<p class="note">The run was recorded without its inputs.</p>`
      : taskPart(inputs.context.goalLevel, texts)
  }${cutSections(inputs?.report).map((cut) => markup`<p class="note odd">${cut}</p>`)}
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

/** What a run was asked: of a conversation that it goes on with, the beginning and what was said last; the rest folded. */
function taskPart(messages: readonly Message[], texts: ShownTexts): Markup {
  const [first, ...others] = messages;
  const last = others.length > 1 ? others.pop() : undefined;
  return markup`${first && prose(first, texts)}${
    last === undefined
      ? others.map((message) => prose(message, texts))
      : markup`<details><summary class="soft">${
        counted(others.length, "message")
      } between</summary>${others.map((message) => messagePart(message, texts))}</details>${
        prose(last, texts)
      }`
  }`;
}

function prose({ content }: Message, texts: ShownTexts): Markup {
  return markup`<div class="prose">${
    content.map((block) =>
      texts.block(block.type === "tool_call" ? jsonText(block.arguments) : block.text)
    )
  }</div>`;
}

/** What the steps of a run come to together. */
export class StepSums {
  /** How long they took, in milliseconds. */
  activeMs = 0;
  /** Whether any reply told how many tokens it took. */
  hasTokens = false;
  /** The last of them. Absent: there is none. */
  last: StepRecord | undefined;
  /** What is or was in doubt in them. */
  readonly doubts: string[] = [];

  /** Takes the next step in. */
  add(step: StepRecord): void {
    this.activeMs += step.durationMs;
    this.hasTokens ||= reportsTokens(step);
    this.last = step;
    for (const doubt of stepDoubts(step)) this.doubts.push(doubt);
  }
}

/** What a run came to: why it stopped, its answer, what it spent of each limit. */
export function runOutcome(log: RunLogSummary, sums: StepSums, texts: ShownTexts): Markup {
  const { finished, counters, settings: { budget } } = log;
  const tokens = sums.hasTokens ? counters.totalTokens : undefined;
  const answer: JsonValue | undefined = finished?.answer;
  return markup`
    <h2>${finished === undefined ? "Where it stands" : "Why it stopped"}</h2>
    <p class="${outcomeStyle(log)}">${
    finished === undefined ? texts.line(standing(log)) : standing(log)
  }</p>${failurePart(log, sums, texts)}
    ${
    answer === undefined
      ? undefined
      : markup`<h2>Answer</h2><div class="prose">${texts.block(jsonText(answer))}</div>`
  }
    <h2>Spent</h2>
    <dl class="facts">
    ${limit("steps", counters.steps, budget.maxSteps)}
    ${limit("model calls", counters.modelCalls, budget.maxModelCalls)}
    ${
    limit("largest prompt", counters.largestPromptChars, budget.maxPromptChars, {
      unit: "characters",
    })
  }
    ${limit("tokens", tokens, budget.maxTotalTokens)}
    ${limit("active", sums.activeMs, budget.maxActiveMs, { said: duration })}
    </dl>
  `;
}

/** How a run ended, as a class of the page. */
export function outcomeStyle({ finished }: Pick<RunLogSummary, "finished">): string {
  if (finished === undefined) return "odd";
  return COMPLETIONS.includes(finished.stopReason) ? "good" : "bad";
}

/** What a run failed of in the end. */
function failurePart(
  { finished }: RunLogSummary,
  { last }: StepSums,
  texts: ShownTexts,
): Markup | undefined {
  const hasFailed = finished !== undefined && FAILURES.includes(finished.stopReason);
  if (!hasFailed || last === undefined) return undefined;
  return markup`<div class="fault">${texts.block(failureWords(last))}</div>`;
}

function limit(
  what: string,
  amount: number | undefined,
  most: number | undefined,
  { unit = "", said = grouped }: {
    readonly unit?: string;
    readonly said?: (amount: number) => string;
  } = {},
): Markup {
  const words = amount === undefined
    ? `not reported${most === undefined ? "" : `; the limit is ${said(most)}`}`
    : `${said(amount)}${most === undefined ? "" : ` of ${said(most)}`} ${unit}`.trim();
  const gauge = most === undefined || most === 0 || amount === undefined
    ? undefined
    : markup`<meter min="0" max="${most}" value="${Math.min(amount, most)}" high="${
      most * 0.9
    }"></meter>`;
  return markup`
    <dt>${what}</dt>
    <dd>${gauge}${words}</dd>
  `;
}
