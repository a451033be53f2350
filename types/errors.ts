/** The stable code of every error of this library. */
export type ErrorCode = (typeof ERROR_CODES)[number];

/** Every {@link ErrorCode}. */
export const ERROR_CODES: readonly [
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
] = Object.freeze(
  [
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
  ] as const,
);

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

/** A definition, a request or an option is not as it must be. Nothing was spent. */
export class InvalidRequestError extends PolyLoopError {
  /** The path of the field, such as `budget.maxSteps`. */
  readonly field: string;
  /** The value that it had. */
  readonly value: unknown;

  /** Makes an error for a field and the value that it had. */
  constructor(field: string, value: unknown, detail: string, options?: ErrorOptions) {
    super("invalid_request", `Cannot use "${field}" as ${detail}: ${quoted(value)}`, options);
    this.field = field;
    this.value = value;
  }
}

/** A port returned something that its contract does not allow, or its `parameters()` failed. */
export class PortContractError extends PolyLoopError {
  /** The port and its method, such as `interpreter.interpret`. */
  readonly port: string;
  /** The path inside what it returned. */
  readonly path: string;

  /** Makes an error for a method of a port and a path inside what it returned. */
  constructor(port: string, path: string, detail: string, options?: ErrorOptions) {
    super("port_contract", `Cannot use what ${port} returned as ${detail}: ${path}`, options);
    this.port = port;
    this.path = path;
  }
}

/** One parameter that differs between the log and the present request. */
export interface ParameterDrift {
  /** The snapshot's key; `request.context` stands for the contents of context and injections. */
  readonly key: string;
  /** Whether the key is new, gone, or has another value. */
  readonly kind: "added" | "removed" | "changed";
  /** The value in the log. Absent: the key is not there. */
  readonly recorded?: string;
  /** The value now. Absent: the key is not there. */
  readonly current?: string;
}

/** A run cannot be resumed with other settings than it started with. The log is untouched. */
export class ParameterDriftError extends PolyLoopError {
  /** The run. */
  readonly runId: string;
  /** Every parameter that differs. */
  readonly drifts: readonly ParameterDrift[];

  /** Makes an error that names every drift. */
  constructor(runId: string, drifts: readonly ParameterDrift[]) {
    const shown = drifts.map((drift) =>
      `${drift.key} (${drift.kind}: recorded ${quoted(drift.recorded)}, current ${
        quoted(drift.current)
      })`
    );
    super(
      "parameter_drift",
      `Cannot resume run "${runId}" as its settings are not those it started with: ${
        shown.join("; ")
      }`,
    );
    this.runId = runId;
    this.drifts = drifts;
  }
}

/** A run of that id exists already: resume it, or start another id. */
export class RunExistsError extends PolyLoopError {
  /** The run. */
  readonly runId: string;

  /** Makes an error for a run id. */
  constructor(runId: string) {
    super("run_exists", `Cannot start run "${runId}" as the store holds a run of that id already`);
    this.runId = runId;
  }
}

/** There is no run of that id in the store. */
export class RunNotFoundError extends PolyLoopError {
  /** The run. */
  readonly runId: string;

  /** Makes an error for a run id. */
  constructor(runId: string) {
    super("run_not_found", `Cannot resume run "${runId}" as the store holds no run of that id`);
    this.runId = runId;
  }
}

/** Another driver wrote to the run meanwhile. This one has stopped; only a fresh resume may go on. */
export class RunConflictError extends PolyLoopError {
  /** The run. */
  readonly runId: string;
  /** The place in the log that this driver wanted to write. */
  readonly seq: number;

  /** Makes an error for a place in a run's log. */
  constructor(runId: string, seq: number, detail: string, options?: ErrorOptions) {
    super("run_conflict", `Cannot write entry ${seq} of run "${runId}" as ${detail}`, options);
    this.runId = runId;
    this.seq = seq;
  }
}

/** Another process drives the run right now. */
export class RunLockedError extends PolyLoopError {
  /** The run. */
  readonly runId: string;

  /** Makes an error for a run id; the detail names the lock. */
  constructor(runId: string, detail: string, options?: ErrorOptions) {
    super(
      "run_locked",
      `Cannot open run "${runId}" as another process drives it: ${detail}`,
      options,
    );
    this.runId = runId;
  }
}

/** The run was aborted and waits for a resume. The `cause` is the signal's reason. */
export class RunSuspendedError extends PolyLoopError {
  /** The run. */
  readonly runId: string;

  /** Makes an error for a run id; pass the signal's reason as `cause`. */
  constructor(runId: string, options?: ErrorOptions) {
    super(
      "run_suspended",
      `Cannot finish run "${runId}" as it was suspended: resume it to go on`,
      options,
    );
    this.runId = runId;
  }
}

/** The log is damaged inside, not only torn at its end. It is untouched. */
export class RunLogCorruptError extends PolyLoopError {
  /** The run. */
  readonly runId: string;
  /** The first entry that is at fault, from 0. */
  readonly seq: number;
  /** What is wrong with it. */
  readonly reason: string;

  /** Makes an error for the first faulty entry of a log. */
  constructor(runId: string, seq: number, reason: string, options?: ErrorOptions) {
    super("run_log_corrupt", `Cannot read entry ${seq} of run "${runId}" as ${reason}`, options);
    this.runId = runId;
    this.seq = seq;
    this.reason = reason;
  }
}

/** The log was written by a later version of the library than this one can read. It is untouched. */
export class SchemaVersionError extends PolyLoopError {
  /** The run. */
  readonly runId: string;
  /** The entry, from 0. */
  readonly seq: number;
  /** The schema that the entry says it has, `major.minor`. */
  readonly found: string;

  /** Makes an error for an entry and the schema that it says it has. */
  constructor(runId: string, seq: number, found: string, detail: string) {
    super(
      "schema_version",
      `Cannot read entry ${seq} of run "${runId}" as ${detail} (schema "${found}"): use a later version of the library`,
    );
    this.runId = runId;
    this.seq = seq;
    this.found = found;
  }
}

/** A value cannot be carried by JSON without a change. Nothing was written. */
export class SerializationError extends PolyLoopError {
  /** The path of the value, such as `$.action[0].when`. */
  readonly path: string;
  /** Why it cannot be carried. */
  readonly reason: string;
  /** The value itself, where it is known. */
  readonly value: unknown;

  /** Makes an error for the path of a value. */
  constructor(path: string, reason: string, value?: unknown) {
    super("serialization", `Cannot write ${path} as ${reason}`);
    this.path = path;
    this.reason = reason;
    this.value = value;
  }
}

/** What is known of a write that failed: `none` it is not in the log; `unknown` it may be. */
export type Durability = "none" | "unknown";

/** A store could not do what it was asked. After it, the store refuses the run until it is read again. */
export class StoreFailedError extends PolyLoopError {
  /** The run; empty where the whole store is meant. */
  readonly runId: string;
  /** Whether the write is in the log: `unknown` means that only a fresh read tells. */
  readonly durability: Durability;

  /** Makes an error for a run; the detail names the path or place, the `cause` what the system said. */
  constructor(runId: string, durability: Durability, detail: string, options?: ErrorOptions) {
    super("store_failed", `Cannot store run "${runId}" as ${detail}`, options);
    this.runId = runId;
    this.durability = durability;
  }
}

/** Thrown by a tool to say that the environment itself is broken, rather than that the action failed. */
export class EnvironmentError extends PolyLoopError {
  /** Makes an error that says what is broken. */
  constructor(message: string, options?: ErrorOptions) {
    super("environment", message, options);
  }
}

/** What kind of failure a model call met. */
export type ModelCallErrorKind = (typeof MODEL_CALL_ERROR_KINDS)[number];

/** Every {@link ModelCallErrorKind}. */
export const MODEL_CALL_ERROR_KINDS: readonly [
  "context_length",
  "quota",
  "content_policy",
  "auth",
  "not_found",
  "timeout",
  "conflict",
  "too_large",
  "rate_limit",
  "overloaded",
  "server",
  "bad_request",
  "connection",
  "stream_truncated",
  "malformed_response",
] = Object.freeze(
  [
    "context_length",
    "quota",
    "content_policy",
    "auth",
    "not_found",
    "timeout",
    "conflict",
    "too_large",
    "rate_limit",
    "overloaded",
    "server",
    "bad_request",
    "connection",
    "stream_truncated",
    "malformed_response",
  ] as const,
);

/** What a model adapter knows of a failed call beside its message. */
export interface ModelCallErrorDetails {
  /** What kind of failure it was. */
  readonly kind: ModelCallErrorKind;
  /** Whether a gateway may try the same request again. The library itself never does. */
  readonly retriable: boolean;
  /** The HTTP status. Absent: there was no response. */
  readonly status?: number;
  /** How long the server asked to wait, in milliseconds. Absent: it did not. */
  readonly retryAfterMs?: number;
  /** The text that had arrived. Absent: there cannot have been any. */
  readonly partialText?: string;
}

/** Thrown by model adapters: the call failed. */
export class ModelCallError extends PolyLoopError implements ModelCallErrorDetails {
  readonly kind: ModelCallErrorKind;
  readonly retriable: boolean;
  declare readonly status?: number;
  declare readonly retryAfterMs?: number;
  declare readonly partialText?: string;

  /** Makes an error with what is known of the failed call. */
  constructor(message: string, details: ModelCallErrorDetails, options?: ErrorOptions) {
    super("model_call", message, options);
    this.kind = details.kind;
    this.retriable = details.retriable;
    if (details.status !== undefined) this.status = details.status;
    if (details.retryAfterMs !== undefined) this.retryAfterMs = details.retryAfterMs;
    if (details.partialText !== undefined) this.partialText = details.partialText;
  }
}

/** A JSON Schema uses something that the validator does not support, or is not a schema at all. */
export class UnsupportedSchemaError extends PolyLoopError {
  /** The JSON pointer of the part of the schema that is at fault. */
  readonly pointer: string;
  /** What is wrong with it. */
  readonly reason: string;

  /** Makes an error for a part of a schema. */
  constructor(pointer: string, reason: string, options?: ErrorOptions) {
    super("unsupported_schema", `Cannot use the schema at "${pointer}" as ${reason}`, options);
    this.pointer = pointer;
    this.reason = reason;
  }
}

function quoted(value: unknown): string {
  if (value === undefined) return "nothing";
  try {
    const text = typeof value === "string" ? JSON.stringify(value) : String(value);
    return text.length > 200 ? `${text.slice(0, 200)}…` : text;
  } catch {
    return typeof value;
  }
}
