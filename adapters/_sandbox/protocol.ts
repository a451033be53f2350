/**
 * What the host tells its parent, a letter behind the nonce: the worker is `r`eady; a cell has `s`ucceeded, or `f`ailed;
 * the code has e`x`ited the worker; the process holds more `m`emory than it may. The process ends after the last two.
 */
export type SandboxSignal = "r" | "s" | "f" | "x" | "m";

/** The first line that the host reads. */
export interface SandboxStart {
  /** Goes before every signal, on stdout and stderr; only the parent and the host's main thread know it. */
  readonly nonce: string;
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
