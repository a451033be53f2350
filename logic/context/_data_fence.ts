import { absentMarker, digest, fillText } from "../../types/mod.ts";
import type { ContextTexts } from "./context_spec.ts";

/** A text between two lines that it cannot imitate, as their marker does not occur in it. */
export function dataFence(text: string, texts: ContextTexts): string {
  const marker = absentMarker(text, digest(text));
  return fillText(texts.fenceOpen, { marker }) + text + fillText(texts.fenceClose, { marker });
}
