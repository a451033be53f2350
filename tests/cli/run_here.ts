/** The reading commands in this process, without its streams. */
import { type Command, sortWords } from "../../cli/_command.ts";
import { EXPORT } from "../../cli/_commands/export.ts";
import { LIST } from "../../cli/_commands/list.ts";
import { PROMPT } from "../../cli/_commands/prompt.ts";
import { REDACT } from "../../cli/_commands/redact.ts";
import { SHOW } from "../../cli/_commands/show.ts";
import { VERIFY } from "../../cli/_commands/verify.ts";
import { VIEW } from "../../cli/_commands/view.ts";
import { errorLine } from "../../cli/_terminal_text.ts";
import type { CommandOutput } from "./command_line.ts";

const COMMANDS: readonly Command[] = [LIST, SHOW, PROMPT, VERIFY, EXPORT, VIEW, REDACT];

/** Runs a command line as the program would, and gives what it writes. */
export async function runHere(...args: readonly string[]): Promise<CommandOutput> {
  try {
    return await runThrowing(...args);
  } catch (error) {
    return { code: 1, out: "", err: `error: ${errorLine(error)}\n` };
  }
}

/** The same, but that what ends the command is thrown. */
export async function runThrowing(...args: readonly string[]): Promise<CommandOutput> {
  const [name, ...words] = args;
  const command = COMMANDS.find((command) => command.name === name);
  if (command === undefined) throw new Error(`no command ${name}`);
  let [out, err] = ["", ""];
  const code = await command.run(sortWords(command, words), {
    print: (text) => void (out += `${text}\n`),
    complain: (text) => void (err += `${text}\n`),
    ask: () => undefined,
    isTerminal: false,
    hasColor: false,
    columns: 160,
  });
  return { code, out, err };
}

/** A command line of each reading command, over a run. */
export const READING = (runId: string): readonly (readonly string[])[] => [
  ["list"],
  ["list", "--limit", "1"],
  ["show", runId],
  ["show", runId, "--json"],
  ["prompt", runId, "0"],
  ["verify", runId],
  ["export"],
  ["export", runId, "--format", "csv"],
];
