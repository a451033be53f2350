import type { StoreName } from "./media/make_medium.ts";

/** One change of a source: a text that is there once, and what is put in its place. */
export type Edit = readonly [path: string, before: string, after: string];

/** A deliberate fault, and where it must be found. */
export interface SeededBug {
  readonly name: string;
  readonly edits: readonly Edit[];
  readonly script: string;
  readonly store: StoreName;
  readonly by: "crashes" | "second crashes" | "errors" | "drivers" | "mutations";
  /** The invariant that must catch it. */
  readonly invariant: string;
  /** Whether no other invariant does. */
  readonly alone: boolean;
}
