import {
  actionFate,
  counted,
  duration,
  type Message,
  type StepRecord,
  stepStyle,
} from "../../types/mod.ts";
import { actionWords } from "../_report/step_details.ts";
import { actionPart } from "./action_view.ts";
import { asidePart, messagePart, replyPart } from "./call_view.ts";
import { errorPart } from "./error_view.ts";
import { type Markup, markup } from "./markup.ts";
import { grouped, jsonText, type ShownTexts } from "./shown_text.ts";
import type { StepAsides } from "./step_asides.ts";

/** What is shown of steps beside what they record. */
export interface StepViewOptions {
  /** How texts are shown. */
  readonly texts: ShownTexts;
  /** What is on record beside the steps. */
  readonly asides: StepAsides;
  /** The ids of the actions that were executed at the same time as others, as far as they are known. */
  readonly concurrent: ReadonlySet<string>;
  /** What is new in a step's prompt. Absent: prompts are not shown. */
  readonly newMessages?: ((step: StepRecord) => readonly Message[]) | undefined;
  /** What an anchor's name begins with. Absent: nothing. */
  readonly anchor?: string;
}

/** A step: its line, and folded under it all that it records. What failed is open. */
export function stepView(step: StepRecord, options: StepViewOptions): Markup {
  const { stepIndex, promptChars, durationMs, actions } = step;
  const { texts, asides, concurrent, anchor = "" } = options;
  const style = stepStyle(step);
  const open = style === "good" ? "" : "open";
  return markup`
    <details class="step" id="${anchor}s${stepIndex}" ${open}>
      <summary><span class="soft">${stepIndex}</span><span class="how ${style}">${
    outcomeWords(step)
  }</span><span class="said">${lineOf(step, texts)}</span><span class="cost">${
    grouped(promptChars)
  } chars · ${duration(durationMs)}</span></summary>
      <div class="inside">${asides.at(stepIndex).map((aside) => asidePart(aside, texts))}${
    promptPart(step, options)
  }${replyPart(step, texts)}${
    actions.map((action) => actionPart(action, texts, concurrent.has(action.actionId)))
  }${endPart(step, texts)}</div>
    </details>
  `;
}

/** What came of a step, and how many of its actions were not done as they should be. */
function outcomeWords({ outcome, actions }: StepRecord): string {
  const fates = actions.map(actionFate).filter((fate) => fate !== "executed");
  if (outcome !== "acted" || fates.length === 0) return outcome;
  const [fate = ""] = new Set(fates);
  const same = fates.every((other) => other === fate);
  return `${outcome}, ${fates.length} ${same ? fate.replaceAll("_", " ") : "not done"}`;
}

/** What a step did, and else what it said. */
function lineOf(
  { actions, decision, error, historyText = "" }: StepRecord,
  texts: ShownTexts,
): string {
  const done = actions.map((action) =>
    texts.preview(actionWords(action)) || (action.toolName ?? "")
  );
  if (actions.length > 0) return done.filter((words) => words !== "").join(" · ");
  const said = decision?.kind === "final_answer" ? jsonText(decision.answer) : historyText;
  if (error === undefined) return texts.preview(said);
  return [error.name, texts.preview(error.message)].filter((part) => part !== "").join(": ");
}

function promptPart(step: StepRecord, { newMessages, texts }: StepViewOptions): Markup | undefined {
  if (newMessages === undefined) return undefined;
  const messages = newMessages(step);
  return markup`<details><summary>${
    counted(messages.length, "new message")
  } in its prompt of ${step.promptMessages}</summary>${
    messages.map((message) => messagePart(message, texts))
  }</details>`;
}

function endPart({ decision, observation, error }: StepRecord, texts: ShownTexts): Markup {
  return markup`${
    decision?.kind === "final_answer"
      ? markup`<h3 class="good">Answer</h3>${texts.block(jsonText(decision.answer))}`
      : undefined
  }${errorPart(error, texts)}${
    observation === undefined
      ? undefined
      : markup`<h3>Shown to the model</h3>${texts.block(observation)}`
  }`;
}
