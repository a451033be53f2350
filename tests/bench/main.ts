/**
 * What the library costs, as ratios within one run to the same work without it: `deno task bench`. `--quick` takes
 * fewer rounds, `--json` prints machine and rows as JSON; any other word names a group of rows to measure alone. It
 * fails where a count misses its goal, never where a time does. It says which commit was measured and how loaded the
 * machine was: a load beyond the number of processors makes times worthless.
 *
 * @module
 */
import { logicRows } from "./logic_rows.ts";
import { longRows } from "./long/long_rows.ts";
import { machineNow, machineText } from "./machine.ts";
import { type Effort, type Goal, reaches, type Row } from "./measure.ts";
import { memoryRows } from "./memory_rows.ts";
import { nativeRows } from "./native/native_rows.ts";
import { processRows } from "./process_rows.ts";
import { resumeRows } from "./resume_rows.ts";
import { sizeRows } from "./size_rows.ts";
import { storeRows } from "./store_rows.ts";

const GROUPS: Readonly<Record<string, (effort: Effort) => Promise<readonly Row[]>>> = {
  memory: memoryRows,
  native: nativeRows,
  stores: storeRows,
  resume: resumeRows,
  logic: logicRows,
  long: longRows,
  size: sizeRows,
  process: processRows,
};

/** The group whose rows are counted, not timed. */
const COUNTED = "size";

const QUICK: Effort = { rounds: 12, fewRounds: 3 };
const WHOLE: Effort = { rounds: 40, fewRounds: 10 };

if (import.meta.main) {
  const words = Deno.args.filter((word) => !word.startsWith("--"));
  const effort = Deno.args.includes("--quick") ? QUICK : WHOLE;
  const loadBefore = Deno.loadavg()[0]!;
  const rows: Row[] = [];
  let countsHold = true;
  for (const [name, measure] of Object.entries(GROUPS)) {
    if (words.length > 0 && !words.includes(name)) continue;
    const measured = await measure(effort);
    rows.push(...measured);
    if (name === COUNTED) countsHold = measured.every(reaches);
  }
  const machine = { ...await machineNow(), loadBefore };
  say(
    Deno.args.includes("--json")
      ? JSON.stringify({ machine, rows }, null, 2)
      : `${table(rows)}\n${machineText(machine)}`,
  );
  if (!countsHold) Deno.exit(1);
}

function table(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.name,
    `${row.value.toFixed(2)}${row.unit === "ratio" ? "" : ` ${row.unit}`}`,
    row.goal === undefined ? "" : `${goalText(row.goal)} ${reaches(row) ? "ok" : "MISSED"}`,
    row.detail,
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(...cells.map((row) => row[column]!.length)));
  return cells.map((row) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join("  ").trimEnd())
    .join("\n");
}

function goalText({ atMost, atLeast }: Goal): string {
  return atMost === undefined ? `≥ ${atLeast}` : `≤ ${atMost}`;
}

function say(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}
