import { InvalidRequestError } from "../_errors/request_errors.ts";

/** The runtime as it names itself, such as `Deno/2.9.6`, `Node.js/24` or `Bun/1.4.5`. One too old for that is "unknown". */
export function runtimeName(): string {
  return typeof navigator === "undefined" ? "unknown" : navigator.userAgent;
}

/** Deno's own name in the runtime's. Absent: it is another one. */
export function denoName(): string | undefined {
  return /^Deno\/\S+/.exec(runtimeName())?.[0];
}

/** Whether this is Deno. */
export function isDeno(): boolean {
  return denoName() !== undefined;
}

/**
 * Refuses, on any other runtime, to make what only Deno can run. It is asked when the thing is made: to import it harms
 * nowhere.
 *
 * @param name What needs it, such as `codeSandbox`.
 * @param instead What the user of another runtime can do.
 * @throws {InvalidRequestError} If this is not Deno.
 */
export function requireDeno(name: string, instead: string): void {
  if (isDeno()) return;
  throw new InvalidRequestError(name, runtimeName(), `it runs on Deno alone (${instead})`);
}
