import {
  counted,
  duration,
  type ErrorInfo,
  type Message,
  type ModelReply,
  type StepRecord,
  totalTokens,
} from "../../types/mod.ts";
import { editWords, withdrawalWords } from "../_report/step_details.ts";
import { errorPart } from "./error_view.ts";
import { type Markup, markup } from "./markup.ts";
import { grouped, jsonText, type ShownTexts } from "./shown_text.ts";
import type { StepAside } from "./step_asides.ts";

/** The class of what is worth a look. */
const NOTE = "note odd";

/** What the model said, or that it was asked. */
export function replyPart(
  { reply, error, modelCallId, modelAttempts }:
    & Pick<StepRecord, "reply" | "modelCallId" | "modelAttempts">
    & { readonly error?: ErrorInfo },
  texts: ShownTexts,
): Markup {
  const facts = [
    modelCallId,
    modelAttempts > 1 ? `attempt ${modelAttempts}` : "",
    ...replyFacts(reply),
  ];
  return markup`
    <h3>${reply === undefined ? "Model call" : "Reply"}</h3>
    <p class="note">${joined(facts)}</p>${retryNotes(reply?.retries ?? error?.retries, texts)}${
    replyTexts(reply, texts)
  }`;
}

function retryNotes(
  retries: ModelReply["retries"] = [],
  texts: ShownTexts,
): readonly (Markup | undefined)[] {
  return retries.map(({ error, waitedMs }) =>
    errorPart(error, texts, { words: `asked again after ${duration(waitedMs)}: `, style: NOTE })
  );
}

function replyTexts(reply: ModelReply | undefined, texts: ShownTexts): Markup | undefined {
  return reply &&
    markup`${
      reply.reasoning === undefined
        ? undefined
        : markup`<details><summary>reasoning</summary>${texts.block(reply.reasoning)}</details>`
    }${reply.text === "" ? undefined : texts.block(reply.text)}${
      reply.toolCalls?.map(({ name, rawArguments }) =>
        markup`<p class="note">calls ${name}</p>${texts.block(rawArguments)}`
      )
    }`;
}

function replyFacts(reply: ModelReply | undefined): readonly string[] {
  if (reply === undefined) return [];
  const { servedModel = "", servedBy, finishReason = "", usage } = reply;
  const tokens = totalTokens(reply);
  const cached = usage?.cachedInputTokens;
  return [
    servedModel,
    servedBy === undefined ? "" : `model ${servedBy} of several`,
    finishReason,
    tokens === 0 ? "tokens not reported" : `${grouped(tokens)} tokens`,
    cached === undefined ? "" : `${grouped(cached)} of them cached`,
  ];
}

function joined(facts: readonly string[]): string {
  return facts.filter((fact) => fact !== "").join(" · ");
}

/** What is on record beside a step's end: an edit of its prompt, a summary made for it, a call that was given up. */
export function asidePart(aside: StepAside, texts: ShownTexts): Markup {
  switch (aside.type) {
    case "model_call_withdrawn":
      return markup`${retryNotes(aside.error?.retries, texts)}${
        failedPart(withdrawalWords(aside), aside.error, texts)
      }`;
    case "context_edit_failed":
      return failedPart(editWords(aside), aside.error, texts);
    case "context_edit":
      return markup`<p class="note odd">${editWords(aside)}</p><details><summary>${
        counted(aside.replacements.length, "text")
      } in its place</summary>${aside.replacements.map(({ text }) => texts.block(text))}</details>`;
    case "model_reply": {
      const { callId, attempt, reply } = aside;
      const facts = [callId, attempt > 1 ? `attempt ${attempt}` : "", ...replyFacts(reply)];
      return markup`<p class="note">steps summed up by a call of its own: ${joined(facts)}</p>${
        retryNotes(reply.retries, texts)
      }<details><summary>its reply</summary>${replyTexts(reply, texts)}</details>`;
    }
  }
}

function failedPart(words: string, error: ErrorInfo | undefined, texts: ShownTexts): Markup {
  return errorPart(error, texts, { words: `${words}: `, style: NOTE }) ??
    markup`<p class="${NOTE}">${words}</p>`;
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
