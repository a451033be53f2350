import type { RunStore } from "../../../mod.ts";
import type { LeaseClock } from "../../stores/drivers/lease_clock.ts";
import type { Subject } from "../subject.ts";

/** How a store's own steps are points at which the process may die or be met by an error. */
export interface InnerPoints {
  /**
   * One step of a store that changes what it keeps.
   *
   * @param kind The step's kind, which names the point.
   * @param body Does it, or what an error of a kind that was asked for makes of it.
   */
  inner<T>(kind: string, body: (fault: string | undefined) => T): T;
  /** A step of a store that changes nothing. */
  look<T>(kind: string, body: (fault: string | undefined) => T): T;
  /** Where another driver of the same medium may come first. */
  pause(kind: string): Promise<void>;
}

/** Longer than any lease lasts. */
export const LONG_MS = 60_000;

/** What a store keeps its data in, simulated. */
export interface Medium {
  /** The time of the processes over it, and what is to happen in it. */
  readonly clock: LeaseClock;
  /** That of the run that a tool makes. Absent: none does. */
  readonly child?: Medium;
  /** Opens a store over it, for one process. */
  open(subject: Subject, points: InnerPoints): RunStore;
  /** What it holds now. */
  snapshot(): Snapshot;
  /** Lets go of what it holds. */
  dispose(): void;
}

/** What a medium held at a moment. */
export interface Snapshot {
  /** What may be left of it by the death of the process or by a power loss: one of each kind. */
  survivors(): readonly Survivor[];
  /** Every image of it that a power loss may leave, byte for byte. */
  images(): Iterable<Survivor>;
}

/** What is left after a crash. */
export interface Survivor {
  /** Equal for media that no reader can tell apart. */
  readonly key: string;
  /** Whether the power was lost, and not the process alone. */
  readonly power: boolean;
  /** Whether all of it is on the disk: what is only shown, a later power loss may yet take. */
  readonly settled: boolean;
  /** The size of the log in bytes, where it is a file. */
  readonly size: number | undefined;
  /** A medium that holds it, so much later that no lease lasts. */
  restore(): Medium;
}
