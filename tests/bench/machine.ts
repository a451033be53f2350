/** What was measured, and on what. */
export interface Machine {
  /** The commit, with `+` where files differ from it; empty outside of a repository. */
  readonly commit: string;
  readonly deno: string;
  readonly processors: number;
  /** How many processes wanted a processor in the minute before the measuring began, and in the one before its end. */
  readonly loadBefore: number;
  readonly loadAfter: number;
}

/** What is measured now. */
export async function machineNow(): Promise<Omit<Machine, "loadBefore">> {
  const changed = await git("status", "--porcelain") !== "";
  return {
    commit: `${await git("rev-parse", "--short", "HEAD")}${changed ? "+" : ""}`,
    deno: Deno.version.deno,
    processors: navigator.hardwareConcurrency,
    loadAfter: Deno.loadavg()[0]!,
  };
}

/** The same as one line. */
export function machineText(machine: Machine): string {
  const { commit, deno, processors, loadBefore, loadAfter } = machine;
  const load = [loadBefore, loadAfter].map((load) => load.toFixed(2)).join(", after ");
  return `commit ${commit}, Deno ${deno}, ${processors} processors, load before ${load}`;
}

/** What git says; nothing where it is not there, or this is no repository. */
async function git(...args: readonly string[]): Promise<string> {
  const cwd = new URL(".", import.meta.url);
  try {
    const { stdout } = await new Deno.Command("git", { args: [...args], cwd, stderr: "null" })
      .output();
    return new TextDecoder().decode(stdout).trim();
  } catch {
    return "";
  }
}
