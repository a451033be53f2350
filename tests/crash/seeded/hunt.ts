import { exploreDrivers } from "../driver_exploration.ts";
import { emptyExploration, Explorer, exploreScript } from "../exploration.ts";
import { NOTHING } from "../decoded.ts";
import { exploreFaults } from "../fault_exploration.ts";
import { exploreMutations } from "../log_mutations.ts";
import { scriptNamed } from "../scripts/scripts.ts";
import type { SeededBug } from "./seeded_bug.ts";
import type { Subject } from "../subject.ts";

/** What became of a hunt for a seeded bug. */
export interface Catch {
  readonly bug: string;
  /** Whether it was caught as it must be. */
  readonly caught: boolean;
  /** Every invariant that it broke. */
  readonly invariants: readonly string[];
  /** A state at which it shows. */
  readonly replay: string;
}

/** Explores a copy of the sources that has the bug. */
export async function hunt(bug: SeededBug, subject: Subject): Promise<Catch> {
  const { findings } = await exploreBug(subject, bug);
  const invariants = [...new Set(findings.map(({ invariant }) => invariant))];
  const found = findings.find(({ invariant }) => invariant === bug.invariant);
  const caught = found !== undefined && (!bug.alone || invariants.length === 1);
  return { bug: bug.name, caught, invariants, replay: found?.replay ?? "" };
}

async function exploreBug(
  subject: Subject,
  { script, store, by }: SeededBug,
): Promise<Explorer["result"]> {
  const explorer = new Explorer(subject, scriptNamed(script), store, emptyExploration());
  const path = `${script}/${store}`;
  if (by === "errors") await exploreFaults(explorer, explorer.empty(), NOTHING, [], path);
  else if (by === "mutations") await exploreMutations(explorer, path);
  else if (by === "drivers") await exploreOpenAction(explorer, path, 200);
  else await exploreScript(explorer, { depth: by === "crashes" ? 1 : 2, images: false });
  return explorer.result;
}

/** Two drivers that come to a run of which an action's intent was left open, and two that start it. */
export async function exploreOpenAction(
  explorer: Explorer,
  path: string,
  most: number,
): Promise<void> {
  await exploreDrivers(explorer, explorer.empty(), NOTHING, path, most);
  const first = await explorer.first();
  const branches = await explorer.branches(first, new Set(), path);
  const open = branches.find(({ left }) => left.log?.open?.awaits === "action_result") ??
    branches.find(({ left }) => left.log?.open !== undefined);
  if (open === undefined) return;
  await exploreDrivers(explorer, open.survivor, open.left, `${path}/${open.state}`, most);
}
