/** The command line as a process. */

const CLI = new URL("../../cli/mod.ts", import.meta.url).href;

/** What a process gave. */
export interface CommandOutput {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** The words that start the command line, before its own. */
export const PROGRAM: readonly string[] = [Deno.execPath(), "run", "--no-lock", "-A", CLI];

/** Runs a command line, without a terminal. */
export async function commandLine(
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
