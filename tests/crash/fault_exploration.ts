import { executedBy, type Explorer } from "./exploration.ts";
import {
  crashFaults,
  driversFaults,
  isTyped,
  recordingFaults,
  type Segment,
  type Violation,
} from "./invariants.ts";
import { LONG_MS, type Medium, type Survivor } from "./media/medium.ts";
import type { Decoded } from "./decoded.ts";
import { begin, conclude, type Recording } from "./recording.ts";
import type { Fault, Moment } from "./moment.ts";

/** What can go wrong at a point, by its kind; each is a row of faults, the later ones at the points after it. */
const STORE_FAULTS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "file-write": [["full"], ["short-1"], ["short-4", "full"], ["all-but-feed", "full"]],
  "file-sync": [["io"]],
  "folder-sync": [["io"]],
  "folder-make": [["io"]],
  "file-create": [["io"]],
  "file-open": [["io"]],
  "file-read": [["io"]],
  "file-lock": [["taken"]],
  "file-truncate": [["io"]],
  "kv-commit": [["absent"], ["committed"], ["committed-refused"], ["locked"]],
  "kv-read": [["the connection was lost"]],
  "sql-begin": [["busy"], ["io"]],
  "sql-commit": [["full"], ["io"], ["busy"], ["committed"]],
  "sql-schema": [["full"], ["io"]],
  "sql-sync": [["io"], ["full"]],
  "sql-statement": [["read"]],
};
const PORTS = ["read", "claim", "start", "intent", "outcome", "finish", "release"];
const OTHER_PORTS = ["model", "interpret", "execute", "approve", "resolve"];
const ABORTS = ["abort", "late-abort", "suspend", "late-suspend"];

/** Every fault that a process can meet, given where it comes by. */
export function faultsAt(points: readonly string[]): readonly (readonly Fault[])[] {
  return points.flatMap((point) => {
    const [, kind, count] = /^(.*)-(\d+)$/.exec(point)!;
    const named = (kinds: readonly string[]): Fault[] =>
      kinds.map((each, i) => ({ point: `${kind}-${Number(count) + i}`, kind: each }));
    const rows = STORE_FAULTS[kind!] ?? [];
    const found = rows.map(named);
    if (kind === "file-write") {
      found.push([...named(["short-4", "full"]), { point: "file-truncate-1", kind: "io" }]);
    }
    if (PORTS.includes(kind!) || OTHER_PORTS.includes(kind!)) {
      found.push(...ABORTS.map((abort) => [{ point, kind: abort }]));
    }
    if (PORTS.includes(kind!) && kind !== "read") found.push([{ point, kind: "rival" }]);
    return found;
  });
}

/** Meets every fault at every point of a process that begins with what is left, then resumes. */
export async function exploreFaults(
  explorer: Explorer,
  from: Pick<Survivor, "restore">,
  base: Decoded,
  before: readonly Segment[],
  path: string,
): Promise<void> {
  const first = before.length === 0;
  const executed = executedBeforeEnd(before);
  const { points } = await explorer.run(from, base, { first, executed }, path);
  for (const faults of faultsAt(points)) {
    explorer.result.errors += 1;
    const here = `${path}/!${faults.map(({ point, kind }) => `${point}=${kind}`).join("+")}`;
    await exploreFault(explorer, from, base, before, faults, here);
  }
}

/** Meets one fault, then resumes over whatever the death of the process or a power loss then leaves. */
export async function exploreFault(
  explorer: Explorer,
  from: Pick<Survivor, "restore">,
  base: Decoded,
  before: readonly Segment[],
  faults: readonly Fault[],
  path: string,
): Promise<void> {
  const { script, result } = explorer;
  const golden = await explorer.golden();
  const medium = from.restore();
  const rivals: Recording[] = [];
  const options = {
    first: before.length === 0,
    executed: executedBeforeEnd(before),
    faults,
    rival: async () => void rivals.push(...await rivalOf(explorer, medium)),
  };
  const driven = begin(explorer.subject, script, medium, base, options);
  await driven.outcome;
  result.processes += 1;
  const met = await conclude(explorer.subject, script, medium, base, driven, explorer.endings);
  explorer.report(recordingFaults(script, met, isTyped), path);
  const drivers = [met, ...rivals];
  const moment = endOf(met);
  const beside = rivals.map((recording) => ({ recording, rival: true }));
  const segments: readonly Segment[] = [...before, { recording: met }, ...beside];
  for (const survivor of medium.snapshot().survivors()) {
    const left = await explorer.decode(survivor);
    explorer.report(faultsOfLeft(drivers, moment, survivor.power, base, left), path);
    if (left.error !== undefined) continue;
    const next = await explorer.resumed(survivor, left, executedBeforeEnd(segments), path);
    // After a failed sync what is shown is not what is on the disk, which only a later power loss tells.
    if (faults.some(({ point }) => point.startsWith("file-sync"))) {
      await explorer.branches(next, executedBeforeEnd(segments), path);
    }
    explorer.evaluate(golden, [...segments, { recording: next }], () => path);
  }
  medium.dispose();
}

function faultsOfLeft(
  drivers: readonly Recording[],
  moment: Moment,
  power: boolean,
  base: Decoded,
  left: Decoded,
): Violation[] {
  if (drivers.length === 1) return crashFaults(drivers[0]!, moment, power, left);
  return power ? [] : driversFaults(drivers, base, left);
}

/** The moment after the last of a process. */
function endOf({ moments, effects, child, issued, acked }: Recording): Moment {
  const last = moments.at(-1)!;
  const counts = { effects: effects.length, issued: issued.length, acked: acked.length };
  return { ...last, ...counts, childEffects: child?.effects.length ?? 0 };
}

/** Another driver that comes by, once the lease of the one that stalls has run out, and goes as far as it can. */
async function rivalOf(explorer: Explorer, medium: Medium): Promise<readonly Recording[]> {
  medium.clock.stall(LONG_MS);
  const { subject, script } = explorer;
  const survivor = medium.snapshot().survivors().find(({ power }) => !power)!;
  const base = await explorer.decode(survivor);
  const driven = begin(subject, script, medium, base, { first: false, executed: new Set() });
  await driven.outcome;
  return [await conclude(subject, script, medium, base, driven, explorer.endings)];
}

function executedBeforeEnd(segments: readonly Segment[]): ReadonlySet<string> {
  return new Set(
    segments.flatMap(({ recording, moment }) => [...executedBy(recording, moment)]),
  );
}
