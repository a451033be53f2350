import type { CommandWords } from "../_command.ts";

/**
 * The words of a command line about a module, to be typed after the program's name: the command, the module, and the
 * options that say which run is meant.
 */
export function moduleCommand(
  command: "run" | "resume",
  { operand, values }: CommandWords<"module">,
  runId: string | undefined = values.get("run-id"),
): string {
  const store = values.get("store");
  const words = [command, operand("module")];
  if (runId !== undefined) words.push("--run-id", runId);
  if (store !== undefined) words.push("--store", store);
  return words.map(quoted).join(" ");
}

/** A word as a shell takes it: in quotes only where it needs them. */
function quoted(word: string): string {
  return /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
