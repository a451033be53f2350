import { exploreMutations } from "./log_mutations.ts";
import { driveBoth } from "./driver_exploration.ts";
import { emptyExploration, type Exploration, Explorer } from "./exploration.ts";
import { NOTHING } from "./decoded.ts";
import { exploreFault } from "./fault_exploration.ts";
import { crashFaults, type Segment } from "./invariants.ts";
import { type StoreName, STORES } from "./media/make_medium.ts";
import type { Survivor } from "./media/medium.ts";
import type { Decoded } from "./decoded.ts";
import { begin, type Recording, recordingOf } from "./recording.ts";
import { scriptNamed } from "./scripts/scripts.ts";
import type { CrashPoint, Fault, Moment } from "./moment.ts";
import type { Subject } from "./subject.ts";

/**
 * Replays one state: `script/store`, then for each crash `point:phase/prefix`, then what else happens: `!point=kind` an
 * error, `&0110` the order of two drivers, `~name` a change of the finished log. The crashes are real ones: the call
 * never settles.
 */
export async function replay(subject: Subject, state: string): Promise<Exploration> {
  const [script, store, ...rest] = state.split("/");
  if (!STORES.includes(store as StoreName)) throw new Error(`there is no store "${store}"`);
  const result = emptyExploration();
  const explorer = new Explorer(subject, scriptNamed(script!), store as StoreName, result);
  const from = { explorer, state, segments: [] };
  await replayFrom(from, explorer.empty(), NOTHING, rest);
  if (result.states === 0) throw new Error(`there is no state "${state}"`);
  return result;
}

interface Way {
  readonly explorer: Explorer;
  readonly state: string;
  readonly segments: readonly Segment[];
}

async function replayFrom(
  way: Way,
  survivor: Pick<Survivor, "restore">,
  base: Decoded,
  [next, prefix, ...rest]: readonly string[],
): Promise<void> {
  const { explorer, state, segments } = way;
  const first = segments.length === 0;
  const executed = executedIn(segments);
  if (next === undefined || /^[!&~]/.test(next)) {
    explorer.result.states += 1;
    if (next === undefined) {
      const recording = await explorer.run(survivor, base, { first, executed }, state);
      explorer.evaluate(await explorer.golden(), [...segments, { recording }], () => state);
    } else if (next[0] === "!") {
      await exploreFault(explorer, survivor, base, segments, faultsOf(next.slice(1)), state);
    } else if (next[0] === "&") {
      await driveBoth(explorer, survivor, base, [...next.slice(1)].map(Number), state);
    } else {
      await exploreMutations(explorer, state, next.slice(1));
    }
    return;
  }
  const [point, phase] = next.split(":");
  const crashAt = { point, phase } as CrashPoint;
  const { recording, moment } = await crash(explorer, survivor, base, crashAt, { first, executed });
  for (const left of moment.snapshot.survivors()) {
    const decoded = await explorer.decode(left);
    if (decoded.prefix !== prefix) continue;
    explorer.report(crashFaults(recording, moment, left.power, decoded), state);
    if (decoded.error !== undefined) explorer.result.states += 1;
    else {
      const longer = [...segments, { recording, moment }];
      await replayFrom({ ...way, segments: longer }, left, decoded, rest);
    }
  }
}

function faultsOf(text: string): readonly Fault[] {
  return text.split("+").map((each) => {
    const [point, kind] = each.split("=");
    return { point: point!, kind: kind! };
  });
}

function executedIn(segments: readonly Segment[]): ReadonlySet<string> {
  const effects = segments.flatMap(({ recording }) => recording.effects);
  return new Set(effects.filter(({ kind }) => kind === "execute").map(({ id }) => id));
}

/** Has a process die: the call at that point never settles, and nothing that it still does has an effect. */
export async function crash(
  { subject, script, result }: Explorer,
  survivor: Pick<Survivor, "restore">,
  base: Decoded,
  crashAt: CrashPoint,
  { first, executed }: { readonly first: boolean; readonly executed: ReadonlySet<string> },
): Promise<{ readonly recording: Recording; readonly moment: Moment }> {
  const medium = survivor.restore();
  const options = { first, executed, crashAt };
  const { process, outcome } = begin(subject, script, medium, base, options);
  result.processes += 1;
  const moment = await Promise.race([process.died, outcome.then(() => undefined)]);
  if (moment === undefined) {
    throw new Error(`no process comes by "${crashAt.point}:${crashAt.phase}"`);
  }
  const gone = { kind: "error", name: "Crash", code: "crash", text: "it died" } as const;
  const ending = { end: base, ...(base.child && { childEnding: { end: base.child } }) };
  return { moment, recording: recordingOf(-result.processes, base, process, gone, ending) };
}
