/**
 * What the host tells its parent, a letter after a secret: the worker is `r`eady; a cell is `b`egun, has `s`ucceeded, or
 * `f`ailed; the code has e`x`ited the worker; the process holds more `m`emory than it may. The process ends after the
 * last two.
 */
export type SandboxSignal = "r" | "b" | "s" | "f" | "x" | "m";

/** The first line that the host reads. */
export interface SandboxStart {
  /** The worker's module; not in the command line, which Deno shows whole when it panics. */
  readonly workerUrl: string;
  /** What the secrets are made of: only the parent and the host's main thread know it. */
  readonly seed: string;
  /** How many bytes the process may hold. */
  readonly maxMemoryBytes: number;
}

/** Every later line: a cell to run. */
export interface SandboxCell {
  /** The source. */
  readonly code: string;
  /** Whether it has types. */
  readonly isTypeScript: boolean;
}

/**
 * What a secret is the SHA-256 of, in hexadecimal. Each secret goes before one signal, on stdout and on stderr, and is
 * used once: code that sees one, as by taking the place of stdout, knows none that is still to come.
 */
export function secretSource(seed: string, number: number): string {
  return `${seed}/${number}`;
}
