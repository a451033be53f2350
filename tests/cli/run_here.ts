/** The reading commands in this process, without its streams. */
import { type Command, sortWords } from "../../cli/_command.ts";
import { EXPORT } from "../../cli/_commands/export.ts";
import { LIST } from "../../cli/_commands/list.ts";
import { PROMPT } from "../../cli/_commands/prompt.ts";
import { SHOW } from "../../cli/_commands/show.ts";
import { VERIFY } from "../../cli/_commands/verify.ts";
import { errorLine } from "../../cli/_terminal_text.ts";
import type { CommandOutput } from "./command_line.ts";

const COMMANDS: readonly Command[] = [LIST, SHOW, PROMPT, VERIFY, EXPORT];

/** Runs a command line as the program would, and gives what it writes. */
export async function runHere(...args: readonly string[]): Promise<CommandOutput> {
  const [name, ...words] = args;
  const command = COMMANDS.find((command) => command.name === name);
  if (command === undefined) throw new Error(`no command ${name}`);
  let [out, err] = ["", ""];
  const screen = {
    print: (text: string) => void (out += `${text}\n`),
    complain: (text: string) => void (err += `${text}\n`),
    ask: () => undefined,
    isTerminal: false,
    hasColor: false,
    columns: 160,
  };
  try {
    const code = await command.run(sortWords(command, words), screen);
    return { code, out, err };
  } catch (error) {
    return { code: 1, out, err: `${err}error: ${errorLine(error)}\n` };
  }
}

/** A command line of each reading command, over a run. */
export function readingCommands(runId: string): readonly (readonly string[])[] {
  return [
    ["list"],
    ["list", "--limit", "1"],
    ["show", runId],
    ["show", runId, "--json"],
    ["prompt", runId, "0"],
    ["verify", runId],
    ["export"],
    ["export", runId, "--format", "csv"],
  ];
}
