import { demo, DEMO_HELP } from "./demo.ts";
import { print, printError } from "./_print.ts";

const HELP = `Usage: <command> [options]

  demo   see a run, a crash and a resume

<command> --help tells more.`;

/** A command line that cannot be understood. */
class UsageError extends Error {}

/**
 * Runs a command.
 *
 * @param args The command and its options, without the program's name.
 * @returns The exit code: 0 done, 1 the command failed, 2 the command line cannot be understood.
 */
export async function main(args: readonly string[]): Promise<number> {
  const [command, ...rest] = args;
  try {
    if (command === "demo") {
      if (rest.includes("--help")) {
        print(DEMO_HELP);
        return 0;
      }
      return await demo(demoPlan(rest));
    }
    if (command === undefined || command === "--help") {
      print(HELP);
      return command === undefined ? 2 : 0;
    }
    throw new UsageError(`there is no command "${command}"`);
  } catch (error) {
    printError(`error: ${error instanceof Error ? error.message : error}`);
    return error instanceof UsageError ? 2 : 1;
  }
}

function demoPlan(args: readonly string[]): Parameters<typeof demo>[0] {
  const options = new Map<string, string>();
  for (let i = 0; i < args.length; i += 2) {
    const [name, value] = [args[i]!, args[i + 1]];
    if (!["--dir", "--store", "--model", "--model-name"].includes(name) || value === undefined) {
      throw new UsageError(`cannot understand "${name}": see demo --help`);
    }
    options.set(name, value);
  }
  const url = options.get("--model");
  const name = options.get("--model-name");
  if ((url === undefined) !== (name === undefined)) {
    throw new UsageError("--model and --model-name go together");
  }
  const stamp = new Date().toISOString().replace(/\D/g, "").slice(0, 14);
  return {
    runId: `demo-${stamp}`,
    dir: Deno.realPathSync(options.get("--dir") ?? "."),
    store: options.get("--store") ?? `${Deno.cwd()}/.polyloop`,
    ...(url === undefined || name === undefined ? {} : { model: { url, name } }),
  };
}
