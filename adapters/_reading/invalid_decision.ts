import { fillText, type InvalidDecision } from "../../types/mod.ts";

/** An invalid decision, explained by a text with its values put in. */
export function invalidDecision(
  text: string,
  values: Readonly<Record<string, string | number>> = {},
): InvalidDecision {
  return { kind: "invalid", explanation: fillText(text, values) };
}
