import { VERSION } from "../types/mod.ts";
import { type Command, helpOf, listing, sortWords, UsageError } from "./_command.ts";
import { CONTINUE } from "./_commands/continue.ts";
import { DELETE } from "./_commands/delete.ts";
import { DEMO } from "./_commands/demo.ts";
import { DIFF } from "./_commands/diff.ts";
import { EXPORT } from "./_commands/export.ts";
import { FORK } from "./_commands/fork.ts";
import { LIST } from "./_commands/list.ts";
import { PROMPT } from "./_commands/prompt.ts";
import { REDACT } from "./_commands/redact.ts";
import { RESUME } from "./_commands/resume.ts";
import { RUN } from "./_commands/run.ts";
import { SHOW } from "./_commands/show.ts";
import { VERIFY } from "./_commands/verify.ts";
import { VIEW } from "./_commands/view.ts";
import type { Screen } from "./_screen.ts";
import { closeModuleStores } from "./_store/module_store.ts";
import { errorLine } from "./_terminal_text.ts";

const COMMANDS: readonly Command[] = [
  DEMO,
  RUN,
  RESUME,
  FORK,
  CONTINUE,
  LIST,
  SHOW,
  PROMPT,
  VERIFY,
  DIFF,
  EXPORT,
  VIEW,
  REDACT,
  DELETE,
];

/** Runs a command line, and gives the exit code. What ends it is told on the screen, in one line. */
export async function runCommandLine(args: readonly string[], screen: Screen): Promise<number> {
  try {
    return await runWords(args, screen);
  } catch (error) {
    // Whoever reads the output wants no more of it, as `head` does.
    if (error instanceof Deno.errors.BrokenPipe) return 1;
    screen.complain(`error: ${errorLine(error)}`);
    return error instanceof UsageError ? 2 : 1;
  }
}

/** The same, but that what ends the command is thrown. */
export async function runWords(args: readonly string[], screen: Screen): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === "--help" || name === "-h") {
    screen.print(overview());
    return name === undefined ? 2 : 0;
  }
  if (name === "--version") {
    screen.print(VERSION);
    return 0;
  }
  const command = COMMANDS.find((command) => command.name === name);
  if (command === undefined) {
    const names = COMMANDS.map((command) => command.name).join(", ");
    throw new UsageError(`Cannot understand "${name}" as it is no command: there are ${names}`);
  }
  if (rest.includes("--help") || rest.includes("-h")) {
    screen.print(helpOf(command));
    return 0;
  }
  try {
    return await command.run(sortWords(command, rest), screen);
  } finally {
    await closeModuleStores();
  }
}

function overview(): string {
  const rows = COMMANDS.map(({ name, summary }) => [name, summary] as const);
  return `Usage: <command> [options]

${listing(rows)}

<command> --help tells more, --version the library's version. Exit codes: 0 done, 1 failed, 2 not understood.`;
}
