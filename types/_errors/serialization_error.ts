import { PolyLoopError } from "./polyloop_error.ts";

/** A value cannot be carried by JSON without a change. Nothing was written. */
export class SerializationError extends PolyLoopError {
  /** The path of the value, such as `$.action[0].when`. */
  readonly path: string;
  /** Why it cannot be carried. */
  readonly reason: string;
  /** The value itself, where it is known. */
  readonly value: unknown;

  /** Makes an error for the path of a value. */
  constructor(path: string, reason: string, value?: unknown, options?: ErrorOptions) {
    super("serialization", `Cannot write ${path} as ${reason}`, options);
    this.path = path;
    this.reason = reason;
    this.value = value;
  }
}
