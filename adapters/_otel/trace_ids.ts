import { digest } from "../../types/mod.ts";

/** The trace of a run: the first 16 bytes of its id's digest, in hex. */
export function traceIdOf(runId: string): string {
  return hexOf(runId).slice(0, 32);
}

/** The span of what an id names: bytes of the id's digest that the trace of a run does not take. */
export function spanIdOf(id: string): string {
  return hexOf(id).slice(32, 48);
}

function hexOf(text: string): string {
  return digest(text).slice("sha256:".length);
}
