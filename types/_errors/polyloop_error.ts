/**
 * The stable code of every error of this library: `invalid_request`, `port_contract`, `parameter_drift`, `run_exists`,
 * `run_not_found`, `run_conflict`, `run_locked`, `run_suspended`, `run_log_corrupt`, `schema_version`, `serialization`,
 * `store_failed`, `environment`, `model_call` and `unsupported_schema` are those of the classes of these names;
 * `context_trust`, `context_source_failed`, `context_pinned_over_budget` and `context_empty` are those of the context
 * builder; `replay_mismatch` is that of `replayRun`.
 */
export type ErrorCode = (typeof ERROR_CODES)[number];

/** Every {@link ErrorCode}. */
export const ERROR_CODES = [
  "invalid_request",
  "port_contract",
  "parameter_drift",
  "run_exists",
  "run_not_found",
  "run_conflict",
  "run_locked",
  "run_suspended",
  "run_log_corrupt",
  "schema_version",
  "serialization",
  "store_failed",
  "environment",
  "model_call",
  "unsupported_schema",
  "context_trust",
  "context_source_failed",
  "context_pinned_over_budget",
  "context_empty",
  "replay_mismatch",
] as const;

/** The base of every error of this library. */
export class PolyLoopError extends Error {
  /** Which error it is, the same for ever: what a program should look at. */
  readonly code: ErrorCode;

  /** Makes an error with a code. */
  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}
