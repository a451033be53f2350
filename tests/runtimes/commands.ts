/** What became of a command. */
export interface Outcome {
  readonly success: boolean;
  /** What it wrote to stdout. */
  readonly stdout: string;
  /** All that it wrote, to show where it failed. */
  readonly output: string;
}

/** Runs a command to its end. Absent: there is no such program. */
export async function runCommand(
  program: string,
  args: readonly string[],
  cwd: string | URL,
): Promise<Outcome | undefined> {
  try {
    const { success, stdout, stderr } = await new Deno.Command(program, {
      args: [...args],
      cwd,
      env: { NO_COLOR: "1" },
    }).output();
    const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    return { success, stdout: out!, output: `${out}\n${err}` };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
