// deno-lint-ignore-file no-console
/**
 * Attacks the executors at length: `deno task attack`. Every attack with every set of permissions and each isolation
 * that works here, each in a process of its own; every bomb 20 times; the death of a driver 50 times for the sandbox, and
 * 20 times with each signal for the shell. `attacks`, `bombs` or `deaths` after the task's name is that part alone. It
 * needs Linux.
 *
 * @module
 */
import type { SandboxIsolation } from "../../../adapters/code_sandbox.ts";
import { actionFate } from "../../../types/mod.ts";
import { LIVELY_CELLS } from "./lively_cells.ts";
import { endCommands, killCells } from "./driver_process.ts";
import { makeTarget, permissionSets } from "./attack.ts";
import { READING_ATTACKS, WRITING_ATTACKS } from "./file_attacks.ts";
import { MEMORY_BOMBS } from "./memory_bombs.ts";
import { peakOf } from "./memory_peak.ts";
import { MODULE_ATTACKS } from "./module_attacks.ts";
import {
  ENDING_ATTACKS,
  ENDLESS_ATTACKS,
  EXITING_ATTACKS,
  PROCESS_ATTACKS,
} from "./process_attacks.ts";
import { tryAttacks } from "./try_attacks.ts";
import { bubblewrapFault } from "./bubblewrap.ts";

let faults = 0;
function fault(line: string): void {
  faults++;
  console.log(`FAULT: ${line}`);
}

async function attack(isolation: SandboxIsolation, isQuick: boolean): Promise<void> {
  const alone = [
    ...MODULE_ATTACKS,
    ...READING_ATTACKS,
    ...WRITING_ATTACKS,
    ...ENDING_ATTACKS,
    ...EXITING_ATTACKS,
  ];
  const attacks = [
    ...(isQuick ? [alone] : alone.map((one) => [one])),
    PROCESS_ATTACKS, // in one process, as some see what an earlier one did
    ENDLESS_ATTACKS,
  ];
  const sets = Object.keys(permissionSets(""));
  await Promise.all(sets.map(async (set) => {
    const target = await makeTarget();
    const permissions = permissionSets(target.folder)[set] ?? {};
    for (const some of attacks) {
      const timeoutMs = some === ENDLESS_ATTACKS ? 1_000 : 20_000;
      const won = await tryAttacks(some, target, { permissions, isolation, timeoutMs });
      for (const line of won) fault(`${isolation}, with ${set}: ${line}`);
    }
    await target.remove();
  }));
  const count = attacks.flat().length;
  console.log(`isolation ${isolation}: ${count} attacks, each with ${sets.join(", ")}`);
}

async function bomb(times: number, memoryMb: number): Promise<void> {
  const folder = await Deno.makeTempDir();
  const allowed = 1.3 * memoryMb + 100 * 1e6 / 2 ** 20;
  let most = 0;
  for (const [name, cell] of Object.entries(MEMORY_BOMBS)) {
    for (let time = 0; time < times; time++) {
      const { mib, outcome } = await peakOf(cell, folder, { memoryMb, timeoutMs: 5_000 });
      if (mib > allowed) fault(`${name} took ${mib} MiB of ${memoryMb}`);
      if (actionFate(outcome) !== "failed") fault(`${name} was no failure`);
      most = Math.max(most, mib);
    }
  }
  await Deno.remove(folder, { recursive: true });
  const kinds = Object.keys(MEMORY_BOMBS).length;
  console.log(`bombs: ${kinds} kinds, ${times} times each; most ${most} MiB, limit ${memoryMb}`);
}

async function end(what: string, times: number, endOnce: () => Promise<number>): Promise<void> {
  const ms: number[] = [];
  for (let time = 0; time < times; time++) ms.push(await endOnce());
  const most = Math.max(...ms);
  console.log(`${what}: ${ms.length} times; all gone after at most ${Math.round(most)} ms`);
  if (most > 2_000) fault(`${what}: ${Math.round(most)} ms`);
}

/** What is tried, by the name that a command line may give; `--quick` tries a tenth of it. */
const PARTS: Readonly<Record<string, (isQuick: boolean) => Promise<void>>> = {
  async attacks(isQuick) {
    await attack("deno", isQuick);
    const missing = await bubblewrapFault();
    if (missing === undefined) await attack("bubblewrap", isQuick);
    else console.log(`skipped: isolation bubblewrap, as ${missing}`);
  },
  bombs: (isQuick) => bomb(isQuick ? 2 : 20, 256),
  async deaths(isQuick) {
    const cells = Object.values(LIVELY_CELLS);
    const what = `sandboxes of a killed parent, ${cells.length} kinds`;
    await end(what, isQuick ? 5 : 50, () => killCells(cells));
    for (const signal of ["SIGKILL", "SIGTERM", "SIGINT"] as const) {
      const what = `commands of a driver after ${signal}`;
      await end(what, isQuick ? 2 : 20, () => endCommands(signal));
    }
  },
};

if (import.meta.main) {
  const named = Deno.args.filter((word) => word !== "--quick");
  for (const [name, run] of Object.entries(PARTS)) {
    if (named.length === 0 || named.includes(name)) await run(Deno.args.includes("--quick"));
  }
  console.log(`${faults} faults`);
  Deno.exit(faults === 0 ? 0 : 1);
}
