import { emptyExploration, type Exploration, Explorer, exploreScript } from "./exploration.ts";
import { NOTHING } from "./decoded.ts";
import { exploreFaults } from "./fault_exploration.ts";
import { auditForks } from "./fork_audit.ts";
import { type Catch, exploreOpenAction, hunt } from "./seeded/hunt.ts";
import { withSeededBugs } from "./seeded/patched_copy.ts";
import { exploreMutations } from "./log_mutations.ts";
import { type StoreName, STORES } from "./media/make_medium.ts";
import { scriptNamed, SCRIPTS } from "./scripts/scripts.ts";
import { SEEDED_BUGS } from "./seeded/seeded_bugs.ts";
import { SUBJECT } from "./subject.ts";

/** One piece of an exploration: pieces know nothing of each other. */
export type ExplorationTask =
  | {
    readonly kind: "crashes" | "errors" | "drivers" | "mutations";
    readonly script: string;
    readonly store: StoreName;
    /** Of two drivers: how many orders at most. */
    readonly most?: number;
    /** Of crashes: whether each byte image is read. */
    readonly images?: boolean;
    /** Of crashes: how many a run may have. Absent: 2. */
    readonly depth?: 1;
  }
  | { readonly kind: "bug"; readonly name: string };

/** What a piece came to. */
export interface TaskResult {
  readonly exploration: Exploration;
  readonly caught?: Catch;
}

/** Explores one piece. */
export async function runTask(task: ExplorationTask): Promise<TaskResult> {
  const exploration = emptyExploration();
  if (task.kind === "bug") {
    const bug = SEEDED_BUGS.find(({ name }) => name === task.name)!;
    const caught = await withSeededBugs([bug], (subject) => hunt(bug, subject));
    return { exploration, caught };
  }
  const script = scriptNamed(task.script);
  const explorer = new Explorer(SUBJECT, script, task.store, exploration);
  const path = `${script.name}/${task.store}`;
  switch (task.kind) {
    case "crashes":
      await exploreScript(explorer, { depth: task.depth ?? 2, images: task.images ?? false });
      if (script.fault === undefined) await auditForks(explorer, path);
      break;
    case "errors":
      await exploreFaults(explorer, explorer.empty(), NOTHING, [], path);
      await exploreFaultsAfterCrash(explorer, path);
      break;
    case "drivers":
      await exploreOpenAction(explorer, path, task.most ?? Infinity);
      break;
    case "mutations":
      await exploreMutations(explorer, path);
  }
  return { exploration };
}

/** Errors that a process meets which resumes after a crash in the middle of an action. */
async function exploreFaultsAfterCrash(explorer: Explorer, path: string): Promise<void> {
  const recording = await explorer.first();
  const branches = await explorer.branches(recording, new Set(), path);
  const open =
    branches.find(({ left }) => left.log?.open?.awaits === "action_result" && left.torn) ??
      branches.find(({ left }) => left.log?.open?.awaits === "action_result");
  if (open === undefined) return;
  const before = [{ recording, moment: open.moment }];
  await exploreFaults(explorer, open.survivor, open.left, before, `${path}/${open.state}`);
}

const of = (
  kind: "crashes" | "errors" | "drivers",
  scripts: readonly string[],
  stores: readonly StoreName[] = STORES,
  more: { readonly most?: number; readonly images?: boolean; readonly depth?: 1 } = {},
): ExplorationTask[] =>
  scripts.flatMap((script) => stores.map((store) => ({ kind, script, store, ...more } as const)));

const NAMES = SCRIPTS.map(({ name }) => name);
/** The scripts whose files are explored where there is less time: those whose logs are like no other's. */
const USUAL = NAMES.filter((name) =>
  ![
    ...["unsure", "policy_now_never", "budgets", "repeated"],
    ...["suspended", "cancelled", "approvals", "large", "edited", "edited_native", "too_long"],
    ...["withdrawn_replayable", "not_begun", "at_once_denied", "at_once_broken"],
    ...["at_once_truthful", "at_once_suspended", "delegated", "delegated_native"],
  ].includes(name)
);
const BUGS: readonly ExplorationTask[] = SEEDED_BUGS.map(({ name }) => ({ kind: "bug", name }));

/** What `deno task crash` explores. */
export const USUAL_TASKS: readonly ExplorationTask[] = [
  { kind: "mutations", script: "answer", store: "jsonl" },
  ...of("crashes", ["replayable"], ["jsonl"], { images: true }),
  ...of("crashes", USUAL.filter((name) => name !== "replayable"), ["jsonl"]),
  ...of("crashes", NAMES, ["memory", "sqlite", "kv"]),
  ...of("drivers", ["answer", "never"], ["memory", "jsonl"]),
  ...of("drivers", ["answer", "never"], ["sqlite", "kv"], { most: 150 }),
  ...of("errors", ["never", "replayable", "suspended"]),
  ...of("errors", ["several", "unread"], ["memory", "sqlite", "kv"]),
  ...of("errors", ["withdrawn", "outage", "at_once", "three_at_once"], ["memory"]),
  ...BUGS,
];

const SEEDS = Array.from({ length: 36 }, (_, seed) => `seed_${seed + 1}`);

/** What `deno task crash --full` explores: scripts made from seeds, too. */
export const FULL_TASKS: readonly ExplorationTask[] = [
  ...of("crashes", [...SEEDS, ...NAMES], ["jsonl"], { images: true }),
  ...of("crashes", [...SEEDS, ...NAMES], ["memory", "sqlite", "kv"]),
  ...of("drivers", ["answer", "never", "replayable"]),
  ...of("drivers", ["policy_now_never", "truthful", "several"], STORES, { most: 1_000 }),
  // What a tool makes of an error of its run's store is its own business.
  ...of("errors", NAMES.filter((name) => !name.startsWith("delegated"))),
  ...["answer", "never", "several"].map((script): ExplorationTask => ({
    kind: "mutations",
    script,
    store: "jsonl",
  })),
  ...BUGS,
];

/** What the tests explore: about a hundredth of what `deno task crash` does. */
export const SHORT_TASKS: readonly ExplorationTask[] = [
  ...of("crashes", ["answer"], ["sqlite", "kv"]),
  ...of("crashes", ["answer"], ["jsonl"], { depth: 1 }),
  ...of("crashes", ["replayable"], ["memory"]),
  ...of("errors", ["answer"]),
  ...of("drivers", ["answer"], STORES, { most: 10 }),
];
