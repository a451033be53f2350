import type { LogEntry } from "../../mod.ts";
import type { Snapshot } from "./media/medium.ts";

/** Where in a call a process dies: before it, when it took effect and has not returned, when it returned. */
export type Phase = "before" | "effect" | "returned";

/** A place at which a process can die. */
export interface CrashPoint {
  /** The kind of call and how many of the kind there were, such as `execute-2`. */
  readonly point: string;
  readonly phase: Phase;
}

/** An error, or an abort, instead of a crash. */
export interface Fault {
  readonly point: string;
  readonly kind: string;
}

/** What the process had done when it reached a place, and what its store then held. */
export interface Moment extends CrashPoint {
  readonly snapshot: Snapshot;
  /** How many effects there were. */
  readonly effects: number;
  /** How many of the run that a tool makes. */
  readonly childEffects: number;
  /** How many entries had been handed to the store. */
  readonly issued: number;
  /** How many had been acknowledged. */
  readonly acked: number;
  /** How many of those before a barrier that had returned. */
  readonly durable: number;
}

/** What reached the world outside: no crash takes it back. */
export interface Effect {
  readonly kind: "model" | "interpret" | "approve" | "execute" | "resolve";
  /** The call's or the action's id; the call's for an interpretation. */
  readonly id: string;
  readonly attempt: number;
  /** A model call's messages as JSON. */
  readonly prompt?: string;
  /** Whether its intent had been acknowledged by a barrier. */
  readonly backed: boolean;
  /** Whether its answer stood in the log that the process started from. */
  readonly known: boolean;
}

/** An entry that the process handed to its store. */
export interface Issued {
  readonly entry: LogEntry;
  /** Set when the store said that it does not hold it. */
  refused: boolean;
}
