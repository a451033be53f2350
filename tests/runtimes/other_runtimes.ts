import { runCommand } from "./commands.ts";

/** A runtime other than Deno. */
export interface OtherRuntime {
  /** The package and version as npm knows them. */
  readonly name: string;
  /** The path of its program. */
  readonly path: string;
}

/** The runtimes that the package runs on beside Deno, as `npx` fetches them: each prints the path of its program. */
const RUNTIMES: Readonly<Record<string, readonly string[]>> = {
  "node@22": ["--print", "process.execPath"],
  "node@24": ["--print", "process.execPath"],
  "node@26": ["--print", "process.execPath"],
  "bun@1": ["--print", "process.execPath"],
};

/** Finds each runtime; says in one line what cannot be had, as there is no `npx` or npm is out of reach. */
export async function findOtherRuntimes(
  say: (line: string) => void,
): Promise<readonly OtherRuntime[]> {
  const found: OtherRuntime[] = [];
  for (const [name, args] of Object.entries(RUNTIMES)) {
    const outcome = await runCommand("npx", ["--yes", name, ...args], "/");
    const path = outcome?.success ? outcome.stdout.trim() : "";
    if (path === "") say(`${name} cannot be had here: npx or npm is out of reach`);
    else found.push({ name, path });
  }
  return found;
}
