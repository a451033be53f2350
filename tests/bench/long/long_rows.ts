import { readLog, type RunLog } from "../../../session/mod.ts";
import { utf8Length } from "../counted_stores.ts";
import { type Effort, microseconds, processorMs, race, type Row } from "../measure.ts";
import { IDLE_POLICY, LONG_POLICY, type LongRun, longRun, sharedShare } from "./long_run.ts";

const STEPS = 2_000;
/** How many steps a cost is the mean of: several passes. */
const SPAN = 200;

/** What a run of 2,000 steps costs that makes room in a window of 60,000 characters again and again. */
export async function longRows({ rounds, fewRounds }: Effort): Promise<readonly Row[]> {
  const made = await longRun(STEPS, LONG_POLICY);
  const log = readLog(made.lines);
  if (log.finished?.stopReason !== "final_answer") throw new Error("the long run has no answer");
  const costs = await costsAt([100, 1_000, STEPS], fewRounds);
  const [early = NaN, middle = NaN, late = NaN] = costs;
  const detail = costs.map((ms) => microseconds(ms, 1)).join(", ");
  return [
    { ...FLAT, name: "long: a step at 1000 ÷ a step at 100", value: middle / early, detail },
    { ...FLAT, name: "long: a step at 2000 ÷ a step at 100", value: late / early, detail },
    passesRow(log),
    await bytesRow(made),
    {
      name: "long: messages shared with the call before ÷ messages",
      value: sharedShare(made.prompts),
      unit: "ratio",
      detail: `largest prompt: ${log.counters.largestPromptChars} characters`,
    },
    await policyRow("a policy that edits", rounds, LONG_POLICY),
    await policyRow("a policy that never has to", rounds, IDLE_POLICY),
  ];
}

const FLAT = { unit: "ratio", goal: { atMost: 1.3 } } as const;

/** What a step costs at these places of a run, in milliseconds: the best of all rounds. */
async function costsAt(places: readonly number[], rounds: number): Promise<readonly number[]> {
  const all: (readonly number[])[] = [];
  for (let round = 0; round < rounds; round++) {
    const { calledAt } = await longRun(STEPS, LONG_POLICY);
    all.push(places.map((place) => meanAt(calledAt, place)));
  }
  return places.map((_, i) => Math.min(...all.map((costs) => costs[i]!)));
}

/** The mean of the steps around a place, as far as there are any. */
function meanAt(calledAt: LongRun["calledAt"], place: number): number {
  const to = Math.min(place + SPAN / 2, STEPS - 1);
  return (calledAt[to]! - calledAt[to - SPAN]!) / SPAN;
}

function passesRow({ edits }: RunLog): Row {
  const passes = new Set(edits.map(({ stepIndex }) => stepIndex)).size;
  const stages = Map.groupBy(edits, ({ stage }) => stage);
  const counts = [...stages].map(([stage, { length }]) => `${length} ${stage}`).join(", ");
  return {
    name: "long: steps for each pass",
    value: STEPS / passes,
    unit: "ratio",
    detail: `${passes} passes: ${counts}`,
  };
}

async function bytesRow({ lines }: LongRun): Promise<Row> {
  const [edited, whole] = [lines, (await longRun(STEPS)).lines].map(bytesOf);
  return {
    name: "long: bytes of a step's log ÷ without a policy",
    value: edited! / whole!,
    unit: "ratio",
    detail: `${(edited! / STEPS).toFixed(0)} ÷ ${(whole! / STEPS).toFixed(0)} bytes`,
  };
}

function bytesOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + utf8Length(line) + 1, 0);
}

async function policyRow(
  name: string,
  rounds: number,
  policy: typeof LONG_POLICY,
): Promise<Row> {
  const { subject, floor } = await race(
    processorMs,
    Math.ceil(rounds / 4),
    () => longRun(STEPS, policy),
    () => longRun(STEPS),
  );
  return {
    name: `long: ${name} ÷ none`,
    value: subject / floor,
    unit: "ratio",
    detail: `${microseconds(subject, STEPS)} ÷ ${microseconds(floor, STEPS)}`,
  };
}
