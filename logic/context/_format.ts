import { InvalidRequestError, type Message, type Provenance } from "../../types/mod.ts";
import type { CheckedSpec } from "./_checked_spec.ts";
import { dataFence } from "./_data_fence.ts";
import { roleOf, type TextDraft } from "./_drafts/draft.ts";
import { isBlankText } from "./_drafts/normalise.ts";
import type { ContextSection } from "./section.ts";

/** Stage 6: what a section of text says in the prompt, from its body or a part of it. */
export function formatText(draft: TextDraft, body: string, spec: CheckedSpec): string {
  const { section, voice } = draft;
  const formatter = spec.formatters[section.kind];
  const text = formatter === undefined ? body : formatter(body, section);
  if (typeof text !== "string" || isBlankText(text)) {
    throw new InvalidRequestError(
      `spec.formatters.${section.kind}`,
      text,
      `it must give a text that is not blank, for section "${section.id}" too`,
    );
  }
  return voice === "data" ? dataFence(text, spec.texts) : text;
}

/** Stage 6: the message of a section of text. */
export function sectionMessage(draft: TextDraft, text: string): Message {
  const provenance = provenanceOf(draft.section);
  return { role: roleOf(draft), content: [{ type: "text", text }], provenance };
}

/** Stage 6: a turn of a conversation, with the section's provenance unless it has its own. */
export function turnMessage(section: ContextSection, turn: Message): Message {
  return turn.provenance === undefined ? { ...turn, provenance: provenanceOf(section) } : turn;
}

/** Where a section's text comes from, as a message says it. */
export function provenanceOf({ source, version, trust }: ContextSection): Provenance {
  return { source, version, trust };
}
