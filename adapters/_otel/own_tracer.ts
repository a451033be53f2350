import { isDeno } from "../../types/mod.ts";

/** Whether a tracer is one of Deno's own telemetry. */
export function isOwnTracer(tracer: unknown): boolean {
  if (!isDeno()) return false;
  const own = Deno.telemetry.tracerProvider.getTracer("polyloop");
  return Object.getPrototypeOf(Object(tracer)) === Object.getPrototypeOf(own);
}
