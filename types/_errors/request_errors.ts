import { excerpt } from "../_text/excerpt.ts";
import { PolyLoopError } from "./polyloop_error.ts";
import { quoted } from "./quoted.ts";

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
  /**
   * Of `request.context`: where the first message that differs comes from, such as `run[0]`, `injection:notes/a#0` or
   * `goal[1]`. Absent: the key is another, or the log was recorded without its inputs.
   */
  readonly source?: string;
}

/** A run cannot be resumed with other settings than it started with. The log is untouched. */
export class ParameterDriftError extends PolyLoopError {
  /** The run. */
  readonly runId: string;
  /** Every parameter that differs. */
  readonly drifts: readonly ParameterDrift[];

  /** Makes an error that names every drift. */
  constructor(runId: string, drifts: readonly ParameterDrift[]) {
    const shown = drifts.map(({ key, kind, recorded, current, source }) => {
      const what = source === undefined ? kind : `${kind} from ${source} on`;
      return `${key} (${what}: recorded ${quoted(recorded)}, current ${quoted(current)})`;
    });
    super(
      "parameter_drift",
      `Cannot resume run "${runId}" as its settings are not those it started with (bring them back, or start another run): ${
        shown.join("; ")
      }`,
    );
    this.runId = runId;
    this.drifts = drifts;
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
    super(
      "unsupported_schema",
      `Cannot use the schema at "${excerpt(pointer, 200)}" as ${reason}`,
      options,
    );
    this.pointer = pointer;
    this.reason = reason;
  }
}
