import type { Screen } from "./_screen.ts";

/** An option of a command. */
export interface CommandOption {
  /** What its value is called in the help, such as `DIR`. Absent: it has no value, it is there or not. */
  readonly value?: string;
  /** What it does, in one line or several. */
  readonly help: string;
}

/** The words of a command line, sorted. */
export interface CommandWords {
  /** What stands without an option's name, in order: as many as the command asks for. */
  readonly operands: readonly string[];
  /** The options that have a value. */
  readonly values: ReadonlyMap<string, string>;
  /** The options that have none. */
  readonly flags: ReadonlySet<string>;
}

/** A command: what it takes and what it does. */
export interface Command {
  /** Its name. */
  readonly name: string;
  /** What it does, in one line. */
  readonly summary: string;
  /** The names of what it needs, such as `run`; a last one that ends in `...` may come any number of times. */
  readonly operands: readonly string[];
  /** Its options by name, without the dashes. Every command has `--help` beside them. */
  readonly options: Readonly<Record<string, CommandOption>>;
  /** What its help tells beside the options. */
  readonly details: string;
  /** Does it, and gives the exit code: 0 or 1. */
  run(words: CommandWords, screen: Screen): Promise<number>;
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
  const flags = new Set<string>();
  const rest = [...args];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "--") {
      operands.push(...rest.splice(0));
    } else if (!word.startsWith("-") || word === "-") {
      operands.push(word);
    } else {
      const [name, given] = optionName(command, word);
      if (values.has(name) || flags.has(name)) throw wrong(command, `--${name} is there twice`);
      const { value: wanted } = command.options[name]!;
      if (wanted === undefined) {
        if (given !== undefined) throw wrong(command, `--${name} takes no value`);
        flags.add(name);
      } else {
        const value = given ?? (rest[0]?.startsWith("--") ? undefined : rest.shift());
        if (value === undefined || value === "") {
          throw wrong(command, `--${name} needs a value, ${wanted}`);
        }
        values.set(name, value);
      }
    }
  }
  checkOperands(command, operands);
  return { operands, values, flags };
}

function optionName(command: Command, word: string): [name: string, value: string | undefined] {
  const [, name = "", value] = /^--([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
  if (Object.hasOwn(command.options, name)) return [name, value];
  const known = Object.keys(command.options).map((option) => `--${option}`);
  throw wrong(command, `there is no option "${word}", only ${[...known, "--help"].join(", ")}`);
}

function checkOperands(command: Command, found: readonly string[]): void {
  const many = command.operands.at(-1)?.endsWith("...") ?? false;
  const needed = command.operands.length - (many ? 1 : 0);
  if (found.length < needed) throw wrong(command, `it needs <${command.operands[found.length]}>`);
  if (found.length > needed && !many) {
    throw wrong(command, `there is no place for "${found[needed]}"`);
  }
}

/** An error that names the command and where its help is. */
function wrong({ name }: Command, detail: string): UsageError {
  return new UsageError(`Cannot understand the command line of "${name}" as ${detail}`);
}

/** The help of a command. */
export function helpOf(command: Command): string {
  const { name, summary, operands, options, details } = command;
  const places = operands.map((operand) =>
    operand.endsWith("...") ? `[${operand}]` : `<${operand}>`
  );
  const usage = ["Usage:", name, ...places, "[options]"].join(" ");
  const rows = Object.entries({ ...options, help: { help: "show this" } as CommandOption })
    .map(([option, { value, help }]): readonly [string, string] => [
      value === undefined ? `--${option}` : `--${option} ${value}`,
      help,
    ]);
  return `${usage}\n\n${summary}.\n\n${listing(rows)}\n\n${details}`;
}

/** Lines of a word and what it means, aligned. */
export function listing(rows: readonly (readonly [word: string, meaning: string])[]): string {
  const width = Math.max(...rows.map(([word]) => word.length));
  const margin = " ".repeat(width + 4);
  return rows.map(([word, meaning]) =>
    `  ${word.padEnd(width)}  ${meaning.replaceAll("\n", `\n${margin}`)}`
  ).join("\n");
}
