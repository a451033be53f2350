import { type ErrorInfo, ModelCallError } from "../../types/mod.ts";

/** An error of which a record keeps what it kept of another one. */
export function thrownAgain({ name, message, kind, retriable, retries }: ErrorInfo): Error {
  const error = kind === undefined || retriable === undefined
    ? new Error(message)
    : new ModelCallError(message, { kind, retriable, ...(retries && { retries }) });
  error.name = name;
  return error;
}
