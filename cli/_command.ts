import type { Screen } from "./_screen.ts";

/** An option of a command. */
export interface CommandOption {
  /** What its value is called in the help, such as `DIR`. Absent: it has no value, it is there or not. */
  readonly value?: string;
  /** What it does, in one line or several. */
  readonly help: string;
  /** Whether it may be there several times, each with a value. Default: it may not. */
  readonly repeats?: boolean;
}

/** The words of a command line, sorted. `Operand` are the names of what the command needs. */
export interface CommandWords<Operand extends string = string> {
  /** What stands for an operand that the command needs. */
  operand(name: Operand): string;
  /** What stands after those, where the command takes more. */
  readonly more: readonly string[];
  /** The options that have a value. */
  readonly values: ReadonlyMap<string, string>;
  /** The options that may be there several times, each with its values in order. */
  readonly lists: ReadonlyMap<string, readonly string[]>;
  /** The options that have none. */
  readonly flags: ReadonlySet<string>;
}

/** A command: what it takes and what it does. */
export interface Command<Operand extends string = string> {
  /** Its name. */
  readonly name: string;
  /** What it does, in one line. */
  readonly summary: string;
  /** The names of what it needs, in order, such as `run`. */
  readonly operands: readonly Operand[];
  /** The name of what may follow those, any number of times. Absent: nothing may. */
  readonly more?: string;
  /** Its options by name, without the dashes. Every command has `--help` beside them. */
  readonly options: Readonly<Record<string, CommandOption>>;
  /** What its help tells beside the options. */
  readonly details: string;
  /** Does it, and gives the exit code: 0 or 1. */
  run(words: CommandWords<Operand>, screen: Screen): Promise<number>;
}

/** A command line that cannot be understood. */
export class UsageError extends Error {}

/**
 * Sorts what follows a command's name: `--name value`, `--name=value`, `--flag`, operands; `--` ends the options.
 *
 * @throws {UsageError} For an option that the command has not, or one too many or too few of anything.
 */
export function sortWords(command: Command, args: readonly string[]): CommandWords {
  const operands: string[] = [];
  const values = new Map<string, string>();
  const lists = new Map<string, readonly string[]>();
  const flags = new Set<string>();
  const rest = [...args];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "--") {
      for (const operand of rest.splice(0)) operands.push(operand);
    } else if (!word.startsWith("-") || word === "-") {
      operands.push(word);
    } else {
      const { name, wanted, given, repeats } = optionOf(command, word);
      if (values.has(name) || flags.has(name)) throw wrong(command, `--${name} is there twice`);
      if (wanted === undefined) {
        if (given !== undefined) throw wrong(command, `--${name} takes no value`);
        flags.add(name);
      } else {
        const value = given ?? (rest[0]?.startsWith("--") ? undefined : rest.shift());
        if (value === undefined || value === "") {
          throw wrong(command, `--${name} needs a value, ${wanted}`);
        }
        if (repeats) lists.set(name, [...lists.get(name) ?? [], value]);
        else values.set(name, value);
      }
    }
  }
  return { ...sortOperands(command, operands), values, lists, flags };
}

/** An option's name, what its value is called, and the value if the word has it. */
function optionOf(command: Command, word: string): {
  readonly name: string;
  readonly wanted: string | undefined;
  readonly given: string | undefined;
  readonly repeats: boolean;
} {
  const [, name = "", given] = /^--([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
  const option = Object.entries(command.options).find(([known]) => known === name)?.[1];
  if (option !== undefined) {
    const { value: wanted, repeats = false } = option;
    return { name, wanted, given, repeats };
  }
  const known = Object.keys(command.options).map((option) => `--${option}`);
  throw wrong(command, `there is no option "${word}", only ${[...known, "--help"].join(", ")}`);
}

function sortOperands(
  command: Command,
  found: readonly string[],
): Pick<CommandWords, "operand" | "more"> {
  const named = new Map<string, string>();
  const more = [...found];
  for (const name of command.operands) {
    const word = more.shift();
    if (word === undefined) throw wrong(command, `it needs <${name}>`);
    named.set(name, word);
  }
  const [excess] = more;
  if (excess !== undefined && command.more === undefined) {
    throw wrong(command, `there is no place for "${excess}"`);
  }
  return { operand: (name) => operandOf(command, named, name), more };
}

function operandOf(command: Command, named: ReadonlyMap<string, string>, name: string): string {
  const word = named.get(name);
  if (word !== undefined) return word;
  throw new TypeError(`Cannot give operand "${name}" as command "${command.name}" has none`);
}

/** An error that names the command and where its help is. */
function wrong({ name }: Command, detail: string): UsageError {
  return new UsageError(`Cannot understand the command line of "${name}" as ${detail}`);
}

/** The help of a command. */
export function helpOf(command: Command): string {
  const { name, summary, operands, more, options, details } = command;
  const places = operands.map((operand) => `<${operand}>`);
  if (more !== undefined) places.push(`[${more}...]`);
  const usage = ["Usage:", name, ...places, "[options]"].join(" ");
  const help: CommandOption = { help: "show this" };
  const rows = Object.entries({ ...options, help })
    .map(([option, { value, help }]): readonly [string, string] => [
      value === undefined ? `--${option}` : `--${option} ${value}`,
      help,
    ]);
  return `${usage}\n\n${summary}.\n\n${listing(rows)}\n\n${details}`;
}

/** Lines of a word and what it means, aligned. */
export function listing(rows: readonly (readonly [word: string, meaning: string])[]): string {
  const width = rows.reduce((most, [word]) => Math.max(most, word.length), 0);
  const margin = " ".repeat(width + 4);
  return rows.map(([word, meaning]) =>
    `  ${word.padEnd(width)}  ${meaning.replaceAll("\n", `\n${margin}`)}`
  ).join("\n");
}
