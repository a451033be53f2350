import {
  digest,
  fillText,
  InvalidRequestError,
  type Message,
  type Provenance,
} from "../../types/mod.ts";
import type { Recipe } from "./_checked_spec.ts";
import { type Draft, isBlankText } from "./_drafts/normalise.ts";
import type { ContextTexts } from "./context_spec.ts";
import type { ContextSection } from "./section.ts";

/** Stage 6: what a section of text says in the prompt, from its body or a part of it. */
export function formatText(draft: Draft, body: string, recipe: Recipe): string {
  const { section, voice } = draft;
  const formatter = recipe.formatters[section.kind];
  const text = formatter === undefined ? body : formatter(body, section);
  if (typeof text !== "string" || isBlankText(text)) {
    throw new InvalidRequestError(
      `spec.formatters.${section.kind}`,
      text,
      `it must give a text that is not blank, for section "${section.id}" too`,
    );
  }
  return voice === "data" ? fence(text, recipe.texts) : text;
}

/** Stage 6: the message of a section of text. */
export function sectionMessage(draft: Draft, text: string): Message {
  const { section, voice } = draft;
  const role = voice === "data" || voice === "turns" ? "user" : voice;
  return { role, content: [{ type: "text", text }], provenance: provenanceOf(section) };
}

/** Stage 6: a turn of a conversation, with the section's provenance unless it has its own. */
export function turnMessage(section: ContextSection, turn: Message): Message {
  return turn.provenance === undefined ? { ...turn, provenance: provenanceOf(section) } : turn;
}

/** Where a section's text comes from, as a message says it. */
export function provenanceOf({ source, version, trust }: ContextSection): Provenance {
  return { source, version, trust };
}

/** A text between two lines that it cannot imitate, as their marker does not occur in it. */
export function fence(text: string, texts: ContextTexts): string {
  const marker = absentMarker(text, digest(text));
  return fillText(texts.fenceOpen, { marker }) + text + fillText(texts.fenceClose, { marker });
}

/** The first word that does not occur in the text, of those that the seed leads to. */
export function absentMarker(text: string, seed: string): string {
  const marker = seed.slice("sha256:".length).slice(0, 16);
  return text.includes(marker) ? absentMarker(text, digest(seed)) : marker;
}
