import type { RunLogSummary } from "../../session/mod.ts";
import {
  actionFate,
  type ActionRecord,
  counted,
  duration,
  type ErrorInfo,
  type Message,
  type ModelCallWithdrawnRecord,
  type ModelReply,
  type StepRecord,
  stepStyle,
  totalTokens,
} from "../../types/mod.ts";
import { type Markup, markup } from "./markup.ts";
import { actionWords, editLine } from "../_report/step_details.ts";
import { grouped, jsonText, type ShownTexts } from "./shown_text.ts";

/** What is shown of steps beside what they record. */
export interface StepViewOptions {
  /** How texts are shown. */
  readonly texts: ShownTexts;
  /** The attempts at model calls that were given up. */
  readonly withdrawals: RunLogSummary["withdrawals"];
  /** The edits of prompts. */
  readonly edits: RunLogSummary["edits"];
  /** What is new in a step's prompt. Absent: prompts are not shown. */
  readonly newMessages?: ((step: StepRecord) => readonly Message[]) | undefined;
}

/** A step: its line, and folded under it all that it records. What failed is open. */
export function stepView(step: StepRecord, options: StepViewOptions): Markup {
  const { stepIndex, outcome, promptChars, durationMs } = step;
  const style = stepStyle(step);
  const open = style === "good" ? "" : "open";
  const size = `${grouped(promptChars)} chars`;
  return markup`
    <details class="step" id="s${stepIndex}" ${open}>
      <summary><span class="soft">${stepIndex}</span><span class="${style}">${outcome}</span><span class="said">${
    lineOf(step, options.texts)
  }</span><span class="cost">${size} · ${duration(durationMs)}</span></summary>
      <div class="inside">${editPart(step, options)}${promptPart(step, options)}${
    withdrawnPart(step, options)
  }${replyPart(step, options.texts)}${
    step.actions.map((action) => actionPart(action, options.texts))
  }${endPart(step, options)}</div>
    </details>
  `;
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
  return error === undefined ? texts.preview(said) : errorText(error, texts);
}

/** How the prompt was edited before the step's call, with what the model saw in place of what was taken away. */
function editPart({ stepIndex }: StepRecord, { edits, texts }: StepViewOptions): readonly Markup[] {
  return edits.filter((edit) => edit.stepIndex === stepIndex).map((edit) => {
    const note = markup`<p class="note odd">${editLine(edit)}</p>`;
    if (edit.type === "context_edit_failed") return note;
    return markup`${note}<details><summary>${
      counted(edit.replacements.length, "text")
    } in its place</summary>${edit.replacements.map(({ text }) => texts.block(text))}</details>`;
  });
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

/** A message of a prompt. */
export function messagePart({ role, content }: Message, texts: ShownTexts): Markup {
  return markup`<h3>${role}</h3>${
    content.map((block) =>
      block.type === "tool_call"
        ? markup`<p class="note">calls ${block.name}</p>${texts.block(jsonText(block.arguments))}`
        : texts.block(block.text)
    )
  }`;
}

function withdrawnPart({ stepIndex }: StepRecord, options: StepViewOptions): readonly Markup[] {
  return options.withdrawals.filter((withdrawal) => withdrawal.stepIndex === stepIndex)
    .map((withdrawal) => withdrawalNote(withdrawal, options.texts));
}

/** That an attempt at a model call was given up. */
export function withdrawalNote(
  { attempt, reason, error }: ModelCallWithdrawnRecord,
  texts: ShownTexts,
): Markup {
  const what = reason === "failed" ? "failed, and the run was suspended" : "was given up";
  return markup`<p class="note odd">call ${attempt} ${what}${
    error && markup`: ${errorText(error, texts)}`
  }</p>`;
}

/** What the model said, or how it failed to. */
export function replyPart(
  { reply, error, modelCallId, modelAttempts }:
    & Pick<StepRecord, "reply" | "modelCallId" | "modelAttempts">
    & { readonly error?: ErrorInfo },
  texts: ShownTexts,
): Markup {
  const retries = (reply?.retries ?? error?.retries ?? []).map((retry) =>
    markup`<p class="note odd">asked again after ${duration(retry.waitedMs)}: ${
      errorText(retry.error, texts)
    }</p>`
  );
  const facts = [
    modelCallId,
    modelAttempts > 1 ? `attempt ${modelAttempts}` : "",
    ...(reply === undefined ? [] : replyFacts(reply)),
  ].filter((fact) => fact !== "").join(" · ");
  return markup`<h3>Reply</h3><p class="note">${facts}</p>${retries}${
    reply?.reasoning === undefined
      ? undefined
      : markup`<details><summary>reasoning</summary>${texts.block(reply.reasoning)}</details>`
  }${reply === undefined || reply.text === "" ? undefined : texts.block(reply.text)}${
    reply?.toolCalls?.map(({ name, rawArguments }) =>
      markup`<p class="note">calls ${name}</p>${texts.block(rawArguments)}`
    )
  }`;
}

function replyFacts(reply: ModelReply): readonly string[] {
  const { servedModel = "", servedBy, finishReason = "", usage } = reply;
  const tokens = totalTokens(reply);
  const cached = usage?.cachedInputTokens;
  return [
    servedModel,
    servedBy === undefined ? "" : `model ${servedBy} of several`,
    finishReason,
    tokens === 0 ? "tokens not reported" : `${counted(tokens, "token")}`,
    cached === undefined ? "" : `${cached} of them cached`,
  ];
}

/** An action, and what became of it. */
export function actionPart(action: ActionRecord, texts: ShownTexts): Markup {
  const { actionId, toolName = "action", attempts, durationMs, truncatedChars } = action;
  const denial = action.status === "not_executed" ? action.denial : undefined;
  const notes = [
    actionId,
    duration(durationMs),
    attempts > 1 ? `tried ${attempts} times` : "",
    action.resolvedBy === undefined ? "" : `resolved by ${action.resolvedBy}`,
    denial === undefined ? "" : `denied by ${denial.by}`,
    truncatedChars > 0
      ? `${counted(truncatedChars, "character")} cut off before it was recorded`
      : "",
    action.observationSynthetic ? "in the library's or the executor's own words" : "",
  ].filter((note) => note !== "").join(" · ");
  return markup`
    <h3 class="${actionStyle(action)}">${toolName} → ${actionFate(action)}</h3><p
      class="note">${notes}</p>${
    texts.block(
      jsonText(action.toolCall?.arguments ?? action.action),
    )
  }${texts.block(action.observation)}${errorPart(errorOf(action), texts)}
  `;
}

function errorOf(action: ActionRecord): ErrorInfo | undefined {
  return action.status === "executed" || action.status === "environment_failed"
    ? action.error
    : undefined;
}

function actionStyle(action: ActionRecord): "good" | "odd" | "bad" {
  switch (action.status) {
    case "executed":
      return action.failed ? "bad" : "good";
    case "not_executed":
    case "unknown":
      return "odd";
    case "environment_failed":
      return "bad";
  }
}

function endPart({ decision, observation, error }: StepRecord, { texts }: StepViewOptions): Markup {
  return markup`${
    decision?.kind === "final_answer"
      ? markup`<h3 class="good">Answer</h3>${texts.block(jsonText(decision.answer))}`
      : undefined
  }${
    observation === undefined
      ? undefined
      : markup`<h3>Shown to the model</h3>${texts.block(observation)}`
  }${errorPart(error, texts)}`;
}

function errorPart(error: ErrorInfo | undefined, texts: ShownTexts): Markup | undefined {
  if (error === undefined) return undefined;
  const { stack } = error;
  return markup`<p class="bad">${errorText(error, texts)}</p>${
    stack === undefined
      ? undefined
      : markup`<details><summary>stack</summary>${texts.block(stack)}</details>`
  }`;
}

function errorText({ name, message }: ErrorInfo, texts: ShownTexts): string {
  return `${name}: ${texts.line(message)}`;
}
