import { standardLibraryFlags } from "../closed_network/standard_library.ts";
import { runCommand } from "./commands.ts";
import type { OtherRuntime } from "./other_runtimes.ts";
import type { PackedProject } from "./packed_project.ts";

const ROOT = new URL("../../", import.meta.url);
const PROGRAM = "tests/runtimes/programs/border_leg.ts";

/** How a leg of the run ends. */
type LegEnd = "suspend" | "kill" | "finish";

/**
 * One run over one database, begun on Deno, gone on with on each other runtime, and ended on Deno: at every other border
 * it is suspended, at the others its process is killed in the middle of an action. Gives what differs from the same run
 * that nothing interrupted. Absent: nothing does.
 */
export async function borderFault(
  project: PackedProject,
  runtimes: readonly OtherRuntime[],
): Promise<string | undefined> {
  const map = await standardLibraryFlags();
  const steps = 2 * runtimes.length + 1;
  const faults: string[] = [];
  const leg = async (path: string | undefined, name: string, end: LegEnd): Promise<void> => {
    const args = [`${project.folder}/${name}.db`, `${project.folder}/${name}.prompts`];
    const program = [PROGRAM, ...args, String(steps), end];
    const outcome = path === undefined
      ? await runCommand(Deno.execPath(), ["run", "-A", ...map, ...program], ROOT)
      : await runCommand(path, program, project.folder);
    const fault = legFault(outcome?.stdout ?? "", end);
    if (fault) faults.push(`${path ?? "Deno"}, to ${end}: ${fault} ${outcome?.output}`);
  };

  await leg(undefined, "whole", "finish");
  await leg(undefined, "crossed", "suspend");
  for (const { path } of runtimes) {
    await leg(path, "crossed", "kill");
    await leg(path, "crossed", "suspend");
  }
  await leg(undefined, "crossed", "finish");
  const [whole, crossed] = await Promise.all(
    ["whole", "crossed"].map((name) => Deno.readTextFile(`${project.folder}/${name}.prompts`)),
  );
  if (whole !== crossed) faults.push(`the prompts differ:\n${whole}\n${crossed}`);
  return faults.length === 0 ? undefined : faults.join("\n");
}

/** What is wrong with what a leg printed: nothing where it was killed, else how it stopped and what its log is. */
function legFault(printed: string, end: LegEnd): string | undefined {
  if (end === "kill") return printed === "" ? undefined : "it was not killed:";
  const stopped = end === "suspend" ? "suspended" : "final_answer";
  return printed.startsWith(`{"stopped":"${stopped}","ok":true,`) ? undefined : "not as it must:";
}
