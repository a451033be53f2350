import { PolyLoopError } from "./polyloop_error.ts";

/** Thrown by a tool to say that the environment itself is broken, rather than that the action failed. */
export class EnvironmentError extends PolyLoopError {
  /** Makes an error that says what is broken. */
  constructor(message: string, options?: ErrorOptions) {
    super("environment", message, options);
  }
}
