import { childFaults } from "./child_runs.ts";
import { makeMedium, type StoreName } from "./media/make_medium.ts";
import { sideBySide } from "./media/side_by_side.ts";
import type { Snapshot, Survivor } from "./media/medium.ts";
import {
  crashFaults,
  recordingFaults,
  type Segment,
  timelineFaults,
  type Violation,
} from "./invariants.ts";
import { decode, type Decoded, NOTHING } from "./decoded.ts";
import { type DriveOptions, type Endings, record, type Recording } from "./recording.ts";
import { childOf, runIdOf, type Script } from "./scripts/script.ts";
import type { Moment } from "./moment.ts";
import type { Subject } from "./subject.ts";

/** A violation and the state that it was found at. */
export interface Finding extends Violation {
  /** Replays exactly that state. */
  readonly replay: string;
}

/** What an exploration came to. */
export interface Exploration {
  /** Distinct states. */
  states: number;
  /** Images of a file that were read, byte for byte. */
  images: number;
  /** Processes that were run. */
  processes: number;
  /** Timelines whose invariants were evaluated. */
  timelines: number;
  /** Errors and aborts that were injected. */
  errors: number;
  /** Orders in which two drivers were run. */
  interleavings: number;
  /** Changed logs that were read. */
  mutations: number;
  readonly findings: Finding[];
}

/** An exploration that has not begun. */
export function emptyExploration(): Exploration {
  return {
    states: 0,
    images: 0,
    processes: 0,
    timelines: 0,
    errors: 0,
    interleavings: 0,
    mutations: 0,
    findings: [],
  };
}

/** Where one process may die and what is then left, with all that follows from it. */
export interface Branch {
  /** Point, phase and decoded prefix: what tells states apart. */
  readonly state: string;
  readonly moment: Moment;
  readonly left: Decoded;
  readonly survivor: Survivor;
  readonly next: Recording;
}

/** One script over one store: every process that it may come to is run once and remembered. */
export class Explorer {
  readonly subject: Subject;
  readonly script: Script;
  readonly store: StoreName;
  readonly result: Exploration;
  /** How processes left the store. */
  readonly endings: Endings = new Map();
  readonly #decoded = new Map<string, Decoded>();
  readonly #recordings = new Map<string, Recording>();
  readonly #branches = new Map<number, readonly Branch[]>();
  /** The processes that began with what was not all on the disk. */
  readonly #unsettled = new Set<number>();
  readonly #seen = new Set<string>();
  #golden: Recording | undefined;

  constructor(subject: Subject, script: Script, store: StoreName, result: Exploration) {
    this.subject = subject;
    this.script = script;
    this.store = store;
    this.result = result;
  }

  /** The run that nothing stops: what every other one is held against. */
  async golden(): Promise<Recording> {
    if (this.#golden !== undefined) return this.#golden;
    const { fault: _, interpreterThrowsAt: __, outageAt: ___, ...undisturbed } = this.script;
    return this.#golden = await record(
      this.subject,
      undisturbed,
      this.empty(),
      NOTHING,
      { first: true, executed: new Set() },
      new Map(),
    );
  }

  /** A medium that holds nothing. */
  empty(): Pick<Survivor, "restore"> {
    const child = childOf(this.script);
    return {
      restore: () => {
        const own = makeMedium(this.store, runIdOf(this.script));
        return child === undefined ? own : sideBySide(own, makeMedium(this.store, child.runId));
      },
    };
  }

  /** The first process of the run. */
  async first(): Promise<Recording> {
    const path = `${this.script.name}/${this.store}`;
    return await this.run(this.empty(), NOTHING, { first: true, executed: new Set() }, path);
  }

  /** Runs a process from what a crash left. */
  async run(
    survivor: Pick<Survivor, "restore">,
    base: Decoded,
    options: DriveOptions,
    replay: string,
  ): Promise<Recording> {
    this.result.processes += 1;
    const recording = await record(
      this.subject,
      this.script,
      survivor,
      base,
      options,
      this.endings,
    );
    if (options.faults === undefined) {
      this.report(recordingFaults(this.script, recording), replay);
    }
    return recording;
  }

  /** What a fresh process reads of what is left. */
  async decode(survivor: Survivor): Promise<Decoded> {
    let decoded = this.#decoded.get(survivor.key);
    if (decoded === undefined) {
      decoded = await decode(this.subject, this.script, survivor);
      this.#decoded.set(survivor.key, decoded);
    }
    return decoded;
  }

  /** The process that goes on with what is left: it is run unless an equal one was. */
  async resumed(
    survivor: Survivor,
    left: Decoded,
    before: ReadonlySet<string>,
    replay: string,
  ): Promise<Recording> {
    const executed = this.script.resolver === "truthful" ? before : new Set<string>();
    const key = `${survivor.key} ${[...executed].sort().join()}`;
    let recording = this.#recordings.get(key);
    if (recording === undefined) {
      recording = await this.run(survivor, left, { first: false, executed }, replay);
      this.#recordings.set(key, recording);
      if (!survivor.settled) this.#unsettled.add(recording.id);
    }
    return recording;
  }

  /** Every crash of a process, and every process that goes on after it. */
  async branches(
    recording: Recording,
    before: ReadonlySet<string>,
    replay: string,
  ): Promise<readonly Branch[]> {
    const known = this.#branches.get(recording.id);
    if (known !== undefined) return known;
    const branches: Branch[] = [];
    const baseMayGo = this.#unsettled.has(recording.id);
    const executed = new Set(before);
    let effects = 0;
    for (const moment of recording.moments) {
      for (; effects < moment.effects; effects++) {
        const { kind, id } = recording.effects[effects]!;
        if (kind === "execute") executed.add(id);
      }
      for (const survivor of moment.snapshot.survivors()) {
        const left = await this.decode(survivor);
        const state = `${moment.point}:${moment.phase}/${left.prefix}`;
        const path = `${replay}/${state}`;
        this.report(crashFaults(recording, moment, survivor.power, left, baseMayGo), path);
        if (left.error !== undefined) continue;
        const next = await this.resumed(survivor, left, executed, path);
        branches.push({ state, moment, left, survivor, next });
      }
    }
    this.#branches.set(recording.id, branches);
    return branches;
  }

  /** Evaluates a timeline, unless an equal one was. */
  evaluate(golden: Recording, segments: readonly Segment[], replay: () => string): void {
    const key = segments.map(({ recording, moment }) =>
      `${recording.id}.${moment?.effects}.${moment?.childEffects}`
    ).join();
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.result.timelines += 1;
    const faults = [
      ...timelineFaults(this.script, golden, segments),
      ...childFaults(this.script, golden, segments),
    ];
    if (faults.length > 0) this.report(faults, replay());
  }

  report(violations: readonly Violation[], replay: string): void {
    for (const violation of violations) {
      this.result.findings.push({ ...violation, replay });
    }
  }
}

/** How far an exploration goes. */
export interface ExploreOptions {
  /** How many crashes a run may have. */
  readonly depth: 1 | 2;
  /** Whether each image of the file that a power loss may leave of the first process is read, byte for byte. */
  readonly images: boolean;
}

/** Crashes a script at each of its points, then each resume at each of its own. */
export async function exploreScript(
  explorer: Explorer,
  { depth, images }: ExploreOptions,
): Promise<void> {
  const { script, store, result } = explorer;
  const golden = await explorer.golden();
  const first = await explorer.first();
  const path = `${script.name}/${store}`;
  if (images) await readImages(explorer, first, path);
  const states = new Map<string, Set<string>>();
  for (const branch of await explorer.branches(first, new Set(), path)) {
    const { moment, next } = branch;
    const here = `${path}/${branch.state}`;
    const start = { recording: first, moment };
    explorer.evaluate(golden, [start, { recording: next }], () => here);
    const deeper = states.get(branch.state) ?? new Set();
    states.set(branch.state, deeper);
    if (depth === 1) continue;
    const executed = executedBy(first, moment);
    for (const second of await explorer.branches(next, executed, here)) {
      deeper.add(second.state);
      const middle = { recording: next, moment: second.moment };
      explorer.evaluate(
        golden,
        [start, middle, { recording: second.next }],
        () => `${here}/${second.state}`,
      );
    }
  }
  for (const deeper of states.values()) result.states += 1 + deeper.size;
}

/** The actions that the world has seen of a process by a moment. */
export function executedBy(recording: Recording, moment: Moment | undefined): Set<string> {
  const effects = recording.effects.slice(0, moment?.effects);
  return new Set(effects.filter(({ kind }) => kind === "execute").map(({ id }) => id));
}

/** Reads every image that a power loss may leave of the first process's file. */
async function readImages(explorer: Explorer, first: Recording, path: string): Promise<void> {
  const seen = new Set<Snapshot>();
  const read = new Set<string>();
  for (const moment of first.moments) {
    if (seen.has(moment.snapshot)) continue;
    seen.add(moment.snapshot);
    for (const survivor of moment.snapshot.images()) {
      if (read.has(survivor.key)) continue;
      read.add(survivor.key);
      explorer.result.images += 1;
      const left = await decode(explorer.subject, explorer.script, survivor);
      const replay = `${path}/${moment.point}:${moment.phase}/${left.prefix}`;
      explorer.report(crashFaults(first, moment, true, left), replay);
    }
  }
}
