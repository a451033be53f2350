import { executedBy, type Explorer } from "./exploration.ts";
import { driversFaults, isTyped, keptFaults, recordingFaults } from "./invariants.ts";
import type { Survivor } from "./media/medium.ts";
import type { Decoded } from "./decoded.ts";
import { begin, conclude, type Recording } from "./recording.ts";

/** How many calls of each driver are put in every order. */
const CALLS = 8;
const MOST_TURNS = 5_000;

/** How long a turn takes while both drivers are at it. */
const TURN_MS = 20_000;

/** Calls of a port whose store has steps of its own that are put in order instead. */
const STORE_CALL = /^(read|start|intent|outcome|finish|release)-\d+$/;

/** Two drivers of one run, in every order of their first calls. */
export async function exploreDrivers(
  explorer: Explorer,
  from: Pick<Survivor, "restore">,
  base: Decoded,
  path: string,
  most: number = Infinity,
): Promise<void> {
  const waiting: (readonly number[])[] = [[]];
  for (let tried = 0; tried < waiting.length && tried < most; tried++) {
    const choices = waiting[tried]!;
    explorer.result.interleavings += 1;
    const made = await driveBoth(explorer, from, base, choices, path);
    for (let place = choices.length; place < made.length; place++) {
      waiting.push([...made.slice(0, place), 1 - made[place]!]);
    }
  }
}

/**
 * Runs two drivers, of which the choices say who goes on where both can; after the last choice they take turns.
 *
 * @returns Who went on at each place where both could.
 */
export async function driveBoth(
  explorer: Explorer,
  from: Pick<Survivor, "restore">,
  base: Decoded,
  choices: readonly number[],
  path: string,
): Promise<readonly number[]> {
  const { subject, script, store } = explorer;
  const medium = from.restore();
  const gates: ((() => void) | undefined)[] = [undefined, undefined];
  const drivers = [0, 1].map((driver) => {
    const gate = (point: string) =>
      store === "kv" && STORE_CALL.test(point)
        ? Promise.resolve()
        : new Promise<void>((resolve) => gates[driver] = resolve);
    return begin(subject, script, medium, base, { first: false, executed: new Set(), gate });
  });
  const done = [false, false];
  drivers.forEach(({ outcome }, i) => void outcome.then(() => done[i] = true));
  const made: number[] = [];
  const calls = [0, 0];
  for (;;) {
    for (let turn = 0; turn < MOST_TURNS && !settled(gates, done); turn++) await null;
    const able = [0, 1].filter((driver) => gates[driver] !== undefined);
    if (able.length === 0) break;
    let next = able[0]!;
    if (able.length === 2 && calls.every((count) => count < CALLS)) {
      next = choices[made.length] ?? 1 - (made.at(-1) ?? 1);
      made.push(next);
      // Two turns take longer than a lease lasts that nobody renews.
      medium.clock.pass(TURN_MS);
    }
    calls[next]! += 1;
    const go = gates[next]!;
    gates[next] = undefined;
    go();
  }
  explorer.result.processes += 2;
  const here = `${path}/&${made.join("")}`;
  if (!done.every(Boolean)) {
    explorer.report([{ invariant: "goes on", detail: "a driver waits for ever" }], here);
    return [];
  }
  const recordings = await Promise.all(
    drivers.map((driven) => conclude(subject, script, medium, base, driven, explorer.endings)),
  );
  for (const recording of recordings) {
    explorer.report(recordingFaults(script, recording, isTyped), here);
  }
  const survivor = medium.snapshot().survivors().find(({ power }) => !power)!;
  const left = await explorer.decode(survivor);
  explorer.report(driversFaults(recordings, base, left), here);
  if (store !== "memory") explorer.report(keptFaults(recordings), here);
  medium.dispose();
  if (left.error !== undefined) return made;
  const executed = new Set(recordings.flatMap((it) => [...executedBy(it, undefined)]));
  const next = await explorer.resumed(survivor, left, executed, here);
  const [one, other] = recordings as [Recording, Recording];
  const segments = [{ recording: one }, { recording: other, rival: true }, { recording: next }];
  explorer.evaluate(await explorer.golden(), segments, () => here);
  return made;
}

function settled(gates: readonly unknown[], done: readonly boolean[]): boolean {
  return gates.every((gate, i) => gate !== undefined || done[i]);
}
