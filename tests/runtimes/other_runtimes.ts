import { runCommand } from "./commands.ts";

/** A runtime other than Deno. */
export interface OtherRuntime {
  /** The package and version as npm knows them. */
  readonly name: string;
  /** What it must be told to take the types off a program. */
  readonly flags: readonly string[];
  /** Whether its SQLite is one that the store takes. */
  readonly hasSqlite: boolean;
  /** The path of its program. */
  readonly path: string;
}

/** The runtimes that the package runs on beside Deno, as `npx` fetches them; the oldest Node first. */
const RUNTIMES: readonly Omit<OtherRuntime, "path">[] = [
  { name: "node@22.13.0", flags: ["--experimental-strip-types"], hasSqlite: false },
  { name: "node@22", flags: [], hasSqlite: true },
  { name: "node@24", flags: [], hasSqlite: true },
  { name: "node@26", flags: [], hasSqlite: true },
  { name: "bun@1", flags: [], hasSqlite: true },
];

/** Finds each runtime; says in one line what cannot be had, as there is no `npx` or npm is out of reach. */
export async function findOtherRuntimes(
  say: (line: string) => void,
): Promise<readonly OtherRuntime[]> {
  const found: OtherRuntime[] = [];
  for (const runtime of RUNTIMES) {
    const { name } = runtime;
    const args = ["--yes", name, "--print", "process.execPath"];
    const outcome = await runCommand("npx", args, "/");
    const path = outcome?.success ? outcome.stdout.trim() : "";
    if (path === "") say(`${name} cannot be had here: npx or npm is out of reach`);
    else found.push({ ...runtime, path });
  }
  return found;
}
