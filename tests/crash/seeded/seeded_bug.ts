import type { StoreName } from "../media/make_medium.ts";

/** The source of the node that an edit found or, for a path such as `callee.object`, of a part of it. */
export type TextOf = (path?: string) => string;

/**
 * One change of the sources. It finds its place by the syntax tree and by names that are promises: of ports, of
 * records, of the package's exports and of the platform. So it does not care what files, variables and private
 * functions are called, and how the code is laid out.
 */
export interface Edit {
  /** The folder that the place is in. */
  readonly within: string;
  /** What finds it, as `deno lint` selects nodes: one node in that folder, or the edit is refused. */
  readonly find: string;
  /** Gives what is put in its place. */
  readonly put: (text: TextOf) => string;
}

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
