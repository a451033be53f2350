/**
 * What keeps the code of a `codeSandbox` apart from the rest of the machine: Deno's permissions alone, or bubblewrap
 * around them.
 */
export type SandboxIsolation = "deno" | "bubblewrap";
