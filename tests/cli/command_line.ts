/** The command line: in this process, and as a process of its own. */
import { runCommandLine, runWords } from "../../cli/_command_line.ts";
import type { Screen } from "../../cli/_screen.ts";
import { type ByteOutput, writeText } from "../../types/mod.ts";

const CLI = new URL("../../cli/mod.ts", import.meta.url).href;

/** What a command line gave. */
export interface CommandOutput {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line in this process, as the program would, but that it has a screen for the process's streams. */
export async function commandLine(...args: readonly string[]): Promise<CommandOutput> {
  return await onScreen({}, ...args);
}

/** The same, on a screen that has something of its own. */
export async function onScreen(
  own: Partial<Screen>,
  ...args: readonly string[]
): Promise<CommandOutput> {
  return await captured((screen) => runCommandLine(args, { ...screen, ...own }));
}

/** The same as {@link commandLine}, but that what ends the command is thrown. */
export async function throwingCommandLine(...args: readonly string[]): Promise<CommandOutput> {
  return await captured((screen) => runWords(args, screen));
}

/** What something writes on a screen, and the exit code that it gives. */
export async function captured(
  body: (screen: Screen) => number | Promise<number>,
): Promise<CommandOutput> {
  const [out, err] = [textOutput(), textOutput()];
  const code = await body({
    output: out,
    print: (text) => writeText(out, `${text}\n`),
    complain: (text) => writeText(err, `${text}\n`),
    steps: { output: err },
    ask: () => undefined,
    isTerminal: false,
    hasColor: false,
    columns: 160,
  });
  return { code, out: out.text(), err: err.text() };
}

function textOutput(): ByteOutput & { text(): string } {
  const decoder = new TextDecoder();
  let written = "";
  return {
    writeSync(bytes) {
      written += decoder.decode(bytes, { stream: true });
      return bytes.length;
    },
    text: () => written,
  };
}

/** The words that start the command line, before its own. */
export const PROGRAM: readonly string[] = [Deno.execPath(), "run", "--no-lock", "-A", CLI];

/** Runs a command line as a process, without a terminal: for what a process alone has. */
export async function commandProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd?: string,
): Promise<CommandOutput> {
  const [program, ...words] = [...PROGRAM, ...args];
  const { code, stdout, stderr } = await new Deno.Command(program!, {
    args: words,
    stdin: "null",
    env,
    ...(cwd !== undefined && { cwd }),
  }).output();
  const decoder = new TextDecoder();
  return { code, out: decoder.decode(stdout), err: decoder.decode(stderr) };
}

/** Whether this machine can give a process a terminal. */
export const HAS_TERMINAL: boolean = hasScript();

function hasScript(): boolean {
  try {
    const { code } = new Deno.Command("script", { args: ["-qec", "true", "/dev/null"] })
      .outputSync();
    return code === 0;
  } catch {
    return false;
  }
}

/** Runs a shell command on a terminal of its own, and gives all that it shows. */
export async function onTerminal(
  command: string,
  env: Readonly<Record<string, string>> = {},
): Promise<CommandOutput> {
  const { code, stdout } = await new Deno.Command("script", {
    args: ["-qec", command, "/dev/null"],
    stdin: "null",
    env: { ...withoutNoColor(), ...env },
    clearEnv: true,
  }).output();
  return { code, out: new TextDecoder().decode(stdout), err: "" };
}

/** Runs a shell command on a terminal of its own, types something there, and gives all that it shows. */
export async function typedOnTerminal(command: string, typed: string): Promise<CommandOutput> {
  const child = new Deno.Command("script", {
    args: ["-qec", command, "/dev/null"],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(typed));
  const out = await new Response(child.stdout).text();
  await writer.close().catch(() => {});
  return { code: (await child.status).code, out, err: "" };
}

function withoutNoColor(): Readonly<Record<string, string>> {
  const { NO_COLOR: _, ...env } = Deno.env.toObject();
  return env;
}

/** The command line as words of a shell. */
export function shellWords(...args: readonly string[]): string {
  return [...PROGRAM, ...args].map((word) => `'${word}'`).join(" ");
}
