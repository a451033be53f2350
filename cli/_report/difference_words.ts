import type { LogDifference } from "../../session/mod.ts";
import { counted } from "../../types/mod.ts";

/** In what two runs differ first, and where. */
export function differenceWords(
  { what, step, otherStep, path }: LogDifference,
  [one, other]: readonly [one: string, other: string],
): string {
  const placed = (at: number) => what === "stop" ? `after ${counted(at, "step")}` : `step ${at}`;
  const place = step === undefined
    ? ""
    : otherStep === undefined
    ? `${placed(step)}: `
    : `${placed(step)} of ${one}, ${placed(otherStep)} of ${other}: `;
  return `${place}another ${what}, at ${path}`;
}
