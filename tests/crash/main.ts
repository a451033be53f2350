// deno-lint-ignore-file no-console
/**
 * Explores crashes at every point of a run: `deno task crash`. `--full` explores more than 5,000,000 states; `--replay
 * "<state>"` exactly one; `--kills` kills real processes; `--rivals` has two of them at the same runs.
 *
 * @module
 */
import type { Exploration, Finding } from "./exploration.ts";
import { FULL_TASKS, USUAL_TASKS } from "./exploration_task.ts";
import { exploreTasks, type Report } from "./explore_tasks.ts";
import type { Catch } from "./seeded/hunt.ts";
import { killAll } from "./processes/kills.ts";
import { rivalsOverAll } from "./processes/rivals.ts";
import { replay } from "./replay.ts";
import { SUBJECT } from "./subject.ts";

const SHOWN = 20;

/** Shows one finding of each kind for each script and store. */
function showFindings(findings: readonly Finding[]): void {
  const kinds = Map.groupBy(
    findings,
    ({ invariant, replay }) => [invariant, ...replay.split("/").slice(0, 2)].join("/"),
  );
  for (const [first, ...more] of kinds.values().take(SHOWN)) {
    const { invariant, detail, replay } = first!;
    console.log(`violated: ${invariant}: ${detail}\n  --replay "${replay}"`);
    if (more.length > 0) console.log(`  and at ${number(more.length)} states like it`);
  }
  if (kinds.size > SHOWN) console.log(`… and ${kinds.size - SHOWN} kinds more`);
}

function showCatches(catches: readonly Catch[]): void {
  for (const { bug, caught, invariants, replay } of catches) {
    const by = invariants.join(", ") || "nothing";
    console.log(`${caught ? "caught" : "NOT CAUGHT"}: ${bug} (by ${by}${replay && `, ${replay}`})`);
  }
}

function number(count: number): string {
  return count.toLocaleString("en");
}

function showCounts(exploration: Exploration, seconds: number): void {
  const { images, processes, timelines, errors, interleavings, mutations } = exploration;
  console.log(
    [
      `processes run: ${number(processes)}`,
      `timelines checked: ${number(timelines)}`,
      `byte images read: ${number(images)}`,
      `errors injected: ${number(errors)}`,
      `orders of two drivers: ${number(interleavings)}`,
      `changed logs read: ${number(mutations)}`,
      `seconds: ${seconds.toFixed(1)}`,
    ].join(", "),
  );
}

/** Prints what was found; the last line is the figure. Answers whether all is well. */
function show({ exploration, catches }: Report, seconds: number): boolean {
  const { findings, states } = exploration;
  showCatches(catches);
  showFindings(findings);
  showCounts(exploration, seconds);
  const caught = catches.filter(({ caught }) => caught).length;
  console.log(
    `states explored: ${
      number(states)
    }, violations: ${findings.length}, seeded bugs caught: ${caught}/${catches.length}`,
  );
  return findings.length === 0 && caught === catches.length;
}

async function main(args: readonly string[]): Promise<boolean> {
  const [flag, state] = args;
  switch (flag) {
    case "--replay": {
      const { findings, states } = await replay(SUBJECT, state ?? "");
      showFindings(findings);
      console.log(`images replayed: ${states}, violations: ${findings.length}`);
      return findings.length === 0;
    }
    case "--kills":
      return await killAll(Number(state ?? 300), console.log);
    case "--rivals":
      return await rivalsOverAll(Number(state ?? 20), console.log);
    case "--full":
    case undefined: {
      const started = performance.now();
      const tasks = flag === "--full" ? FULL_TASKS : USUAL_TASKS;
      const report = await exploreTasks(tasks, navigator.hardwareConcurrency);
      return show(report, (performance.now() - started) / 1_000);
    }
    default:
      console.log(
        `there is no "${flag}": there are --full, --replay "<state>", --kills [count], --rivals [runs]`,
      );
      return false;
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args) ? 0 : 1);
