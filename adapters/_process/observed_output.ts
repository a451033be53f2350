import { type ActionOutcome, countCodePoints, cutEnd, fillText } from "../../types/mod.ts";

/** What one stream of a process wrote. */
export interface OutputPart {
  /** Goes on a line before it; empty for none. */
  readonly label: string;
  /** The text, as far as it was held. */
  readonly text: string;
  /** How many code points were not held. */
  readonly truncatedChars: number;
}

/** How an observation is made of what a process wrote. */
export interface ObservedOutputOptions {
  /** How many code points of all parts together are shown. */
  readonly maxOutputChars: number;
  /** Says that `{count}` code points are not shown. */
  readonly truncated: string;
  /** Stands where there is nothing else. */
  readonly noOutput: string;
  /** Said last. */
  readonly notes: readonly string[];
}

/** The parts of an {@link ActionOutcome} that tell what a process wrote; the last line ending of a stream is left out. */
export function observedOutput(
  parts: readonly OutputPart[],
  options: ObservedOutputOptions,
): Pick<ActionOutcome, "observation" | "observationSynthetic" | "truncatedChars"> {
  const lines: string[] = [];
  let room = options.maxOutputChars;
  let truncatedChars = 0;
  let isSynthetic = true;
  for (const { label, text, truncatedChars: lost } of parts) {
    const kept = cutEnd(text, room);
    truncatedChars += lost + kept.truncatedChars;
    room -= countCodePoints(kept.text);
    if (kept.text === "") continue;
    isSynthetic = false;
    if (label !== "") lines.push(label);
    lines.push(kept.text.replace(/\r?\n$/, ""));
  }
  if (truncatedChars > 0) lines.push(fillText(options.truncated, { count: truncatedChars }));
  lines.push(...options.notes);
  if (lines.length === 0) lines.push(options.noOutput);
  return { observation: lines.join("\n"), observationSynthetic: isSynthetic, truncatedChars };
}
