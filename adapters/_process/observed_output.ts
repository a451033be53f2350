import {
  type ActionObservation,
  countCodePoints,
  cutMiddle,
  fillText,
  type MiddleCut,
} from "../../types/mod.ts";

/** What one stream of a process wrote, as far as it was held. */
export interface OutputPart extends MiddleCut {
  /** Goes on a line before it; empty for none. */
  readonly label: string;
}

/** How an observation is made of what a process wrote. */
export interface ObservedOutputOptions {
  /** How many code points of all parts together are shown. */
  readonly maxOutputChars: number;
  /** Says, between a beginning and an end, that `{truncatedChars}` code points are missing there. */
  readonly truncationNotice: string;
  /** Stands where there is nothing else. */
  readonly noOutput: string;
  /** Said last. */
  readonly notes: readonly string[];
}

/**
 * The parts of an {@link ActionOutcome} that tell what a process wrote: the beginning and the end of each stream, which
 * share the room. The last line ending of a piece is left out.
 */
export function observedOutput(
  parts: readonly OutputPart[],
  options: ObservedOutputOptions,
): ActionObservation {
  const shares = sharesOf(parts.map(sizeOf), options.maxOutputChars);
  const lines: string[] = [];
  let truncatedChars = 0;
  let isSynthetic = true;
  for (const [index, part] of parts.entries()) {
    const { beginning, end, truncatedChars: count } = cutMiddle(part, shares[index] ?? 0);
    const notice = count > 0 ? fillText(options.truncationNotice, { truncatedChars: count }) : "";
    const pieces = [beginning, notice, end].filter((piece) => piece !== "");
    if (pieces.length === 0) continue;
    if (part.label !== "") lines.push(part.label);
    for (const piece of pieces) lines.push(piece.replace(/\r?\n$/, ""));
    truncatedChars += count;
    isSynthetic &&= beginning + end === "";
  }
  for (const note of options.notes) lines.push(note);
  if (lines.length === 0) lines.push(options.noOutput);
  return { observation: lines.join("\n"), observationSynthetic: isSynthetic, truncatedChars };
}

function sizeOf({ beginning, end, truncatedChars }: MiddleCut): number {
  return countCodePoints(beginning) + truncatedChars + countCodePoints(end);
}

/** How much of a room each size gets: the same, but that what a smaller one leaves is for the larger. */
function sharesOf(sizes: readonly number[], room: number): readonly number[] {
  const shares = sizes.map(() => 0);
  const smallestFirst = [...sizes.entries()].sort(([, a], [, b]) => a - b);
  let left = room;
  for (const [rank, [index, size]] of smallestFirst.entries()) {
    const share = Math.min(size, Math.floor(left / (sizes.length - rank)));
    shares[index] = share;
    left -= share;
  }
  return shares;
}
