import { digest } from "../digest.ts";

/** The first word that does not occur in the text, of those that a digest leads to: no line of the text can imitate it. */
export function absentMarker(text: string, seed: string): string {
  const marker = seed.slice("sha256:".length).slice(0, 16);
  return text.includes(marker) ? absentMarker(text, digest(seed)) : marker;
}
