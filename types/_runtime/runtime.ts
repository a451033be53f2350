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
 * @param since The oldest Deno that can, such as `2.9.5`.
 * @throws {InvalidRequestError} If this is not Deno, or an older one.
 */
export function requireDeno(name: string, instead: string, since: string = "0"): void {
  const version = denoName()?.slice("Deno/".length);
  if (version === undefined) {
    throw new InvalidRequestError(name, runtimeName(), `it runs on Deno alone (${instead})`);
  }
  if (!isAtLeast(version, since)) {
    throw new InvalidRequestError(name, runtimeName(), `it needs Deno ${since} or later`);
  }
}

/** Whether a version is another one or later. */
function isAtLeast(version: string, oldest: string): boolean {
  const parts = version.split(".").map(Number.parseFloat);
  for (const [i, needed] of oldest.split(".").map(Number.parseFloat).entries()) {
    const part = parts[i] ?? 0;
    if (part !== needed) return part > needed;
  }
  return true;
}
