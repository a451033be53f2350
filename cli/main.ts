import { requireDeno } from "../types/mod.ts";
import { runCommandLine } from "./_command_line.ts";
import { processScreen } from "./_screen.ts";

/**
 * Runs a command. Errors go to standard error, one line each.
 *
 * @param args The command and what follows it, without the program's name.
 * @returns The exit code: 0 done, 1 the command failed, 2 the command line cannot be understood.
 * @throws {InvalidRequestError} If this is another runtime than Deno.
 */
export async function main(args: readonly string[]): Promise<number> {
  refuseOtherRuntimes();
  return await runCommandLine(args, processScreen());
}

/** Runs the command that this process was started with, and ends it. */
export async function mainOfProcess(): Promise<void> {
  refuseOtherRuntimes();
  Deno.exit(await main(Deno.args));
}

function refuseOtherRuntimes(): void {
  requireDeno("the command line", "npx deno runs it where there is npm");
}
