import { type Segment, timelineFaults, type Violation } from "./invariants.ts";
import type { Recording } from "./recording.ts";
import { childOf, type ChildRun, type Script } from "./scripts/script.ts";

/** What the processes of a timeline break together in the run that a tool makes. */
export function childFaults(
  script: Script,
  golden: Recording,
  segments: readonly Segment[],
): readonly Violation[] {
  const child = childOf(script);
  if (child === undefined || golden.child === undefined) return [];
  const parts = segments.map((segment) => childPart(child, segment));
  const faults = timelineFaults(child.script, golden.child, parts);
  return faults.map(({ invariant, detail }) => ({
    invariant,
    detail: `${child.runId}: ${detail}`,
  }));
}

function childPart({ actionId }: ChildRun, { recording, moment, ...rest }: Segment): Segment {
  const { steps = [], open } = recording.base.log ?? {};
  const results = [...steps, ...open === undefined ? [] : [open]].flatMap(({ actions }) => actions);
  return {
    ...rest,
    settled: results.some((result) => result.actionId === actionId),
    recording: recording.child ?? recording,
    ...(moment && { moment: { ...moment, effects: moment.childEffects } }),
  };
}
