import type { ConsoleEventsOptions } from "../adapters/console_events.ts";
import { type ByteOutput, writeText } from "../types/mod.ts";

/** Where a command writes, and what can be shown there. */
export interface Screen {
  /** Standard output. */
  readonly output: ByteOutput;
  /** Writes a line, or several, to standard output: all of it, before anything else happens. */
  print(text: string): void;
  /** Writes a line to standard error. */
  complain(text: string): void;
  /** How the steps of a run are shown on standard error as they are taken. */
  readonly steps: ConsoleEventsOptions;
  /** Asks on standard error and gives the line that is typed; nothing where standard input is no terminal. */
  ask(question: string): string | undefined;
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean;
  /** Whether to use colours. */
  readonly hasColor: boolean;
  /** How many columns a line may take. */
  readonly columns: number;
}

/** How wide a line may be where there is no terminal to ask. */
const COLUMNS = 160;

/** The streams of this process. Colours are for terminals, and not where `NO_COLOR` is set. */
export function processScreen(): Screen {
  const isTerminal = Deno.stdout.isTerminal();
  return {
    output: Deno.stdout,
    print: (text) => writeText(Deno.stdout, `${text}\n`),
    complain: (text) => writeText(Deno.stderr, `${text}\n`),
    steps: {},
    ask(question) {
      if (!Deno.stdin.isTerminal()) return undefined;
      writeText(Deno.stderr, question);
      return typedLine();
    },
    isTerminal,
    hasColor: isTerminal && !Deno.noColor,
    columns: isTerminal ? Deno.consoleSize().columns || COLUMNS : COLUMNS,
  };
}

/** The next line of standard input, without its end; what there is of it where the input ends. */
function typedLine(): string {
  const bytes: number[] = [];
  const next = new Uint8Array(1);
  while (Deno.stdin.readSync(next) === 1 && next[0] !== 0x0a) bytes.push(next[0] ?? 0);
  return new TextDecoder().decode(new Uint8Array(bytes));
}
