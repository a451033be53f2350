import type { RedactionRules } from "../../session/mod.ts";
import { errorInfo } from "../../types/mod.ts";
import { type CommandOption, UsageError } from "../_command.ts";

/** The option of the commands that show runs to others. */
export const REDACT_OPTION: CommandOption = {
  value: "REGEX",
  repeats: true,
  help: "hide what it finds in any text of a run; may be there several times",
};

/** The rules of a command line that hides something. Absent: it hides nothing. */
export function redactionOf(
  patterns: readonly string[] = [],
  pointers: readonly string[] = [],
): RedactionRules | undefined {
  if (patterns.length === 0 && pointers.length === 0) return undefined;
  // With a key that nobody knows, no marker gives a short text away to who tries them all.
  const key = crypto.randomUUID();
  return { patterns: patterns.map(patternOf), pointers, key, digests: "drop" };
}

function patternOf(text: string): RegExp {
  try {
    return new RegExp(text, "u");
  } catch (error) {
    throw new UsageError(`Cannot hide "${text}" as it is no pattern: ${errorInfo(error).message}`);
  }
}
