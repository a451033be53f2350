import { digest, fillText } from "../../types/mod.ts";
import type { ContextTexts } from "./context_spec.ts";

/** A text between two lines that it cannot imitate, as their marker does not occur in it. */
export function dataFence(text: string, texts: ContextTexts): string {
  const marker = absentMarker(text, digest(text));
  return fillText(texts.fenceOpen, { marker }) + text + fillText(texts.fenceClose, { marker });
}

/** The first word that does not occur in the text, of those that the seed leads to. */
export function absentMarker(text: string, seed: string): string {
  const marker = seed.slice("sha256:".length).slice(0, 16);
  return text.includes(marker) ? absentMarker(text, digest(seed)) : marker;
}
