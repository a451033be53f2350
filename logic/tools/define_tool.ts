import {
  InvalidRequestError,
  isJsonArray,
  isJsonObject,
  type JsonValue,
  type KnownFields,
  present,
  refuseUnknownFields,
  REPLAY_POLICIES,
  type ReplayPolicy,
  UnsupportedSchemaError,
} from "../../types/mod.ts";
import { valueAt } from "./_json/pointer.ts";
import { type ReadSchema, readSchema } from "./compile_schema.ts";
import type { FromSchema } from "./from_schema.ts";
import type { SchemaViolation } from "./schema_violation.ts";

/** The JSON Schema of a tool's arguments, in a dialect that {@link compileSchema} takes. */
export type ToolParameters = { readonly [keyword: string]: JsonValue };

/** One execution of a tool. */
export interface ToolContext {
  /** The action's id, the same when it is replayed: usable as an idempotency key. */
  readonly actionId: string;
  /** 1 for the first attempt, one more for each replay after a crash. */
  readonly attempt: number;
  /** Aborts when the run is cancelled. A tool that stops because of it should throw. */
  readonly signal: AbortSignal;
}

/** What {@link defineTool} takes. */
export interface ToolSpec<Schema extends object> {
  /** The tool's name: letters, digits, `_`, `.` and `-`, at most 128. */
  readonly name: string;
  /** What it does, for the model. */
  readonly description: string;
  /**
   * The JSON Schema of its arguments, by hand or from a schema library. Where its type is literal, that of `execute`'s
   * arguments is inferred from it.
   */
  readonly parameters: Schema;
  /**
   * Does it. The arguments have been validated and nothing about them was changed; they are frozen.
   *
   * A string is the observation as it is; any other value is shown as `JSON.stringify` writes it, and nothing
   * (`undefined`) by a text that says so. A result that JSON cannot carry without a loss is an action that was executed
   * and failed, and its place is named. So is a throw, or an error as result, shown as `<ErrorName>: <message>`; an
   * {@link EnvironmentError} is a failure of the environment. What `toolOutcome` gives says itself what became of the
   * action.
   */
  execute(args: FromSchema<Schema>, context: ToolContext): unknown;
  /**
   * Whether an execution of unknown outcome may be repeated after a crash.
   *
   * @default {"never"}
   */
  readonly replay?: ReplayPolicy;
  /**
   * Whether an execution that did not fail completes the run.
   *
   * @default {false}
   */
  readonly completes?: boolean;
  /**
   * How many code points of an observation the model is shown: of a longer one the beginning and the end, two parts to
   * three. Absent: all.
   */
  readonly maxObservationChars?: number;
  /**
   * How long an execution may take, in milliseconds: a whole number from 1 to 2,147,483,647. After it the tool's signal
   * aborts. What the tool returns or throws within a second counts. If it does neither, it is given up, and the action
   * is an environment failure of which nobody knows whether it took effect. Absent: as long as it takes.
   */
  readonly timeoutMs?: number;
  /**
   * Whether executions may run at the same time as others that may, where the run allows several at once.
   *
   * @default {false}
   */
  readonly concurrent?: boolean;
}

/** What the executor behind a tool says of it: see `executorTool`. */
export interface ToolDelegate<Args = unknown> {
  /** Whether an action of unknown outcome may be executed again. */
  replayPolicy(args: Args): ReplayPolicy;
  /** Whether an action may run at the same time as others. */
  concurrent(args: Args): boolean;
  /** What of the executor's configuration bears on the run: it is part of the tool's digest. */
  parameters(): Readonly<Record<string, string>>;
}

/** A tool: everything about it in one frozen value. Made by {@link defineTool}. */
export interface Tool<Args = unknown> {
  /** Its name. */
  readonly name: string;
  /** What it does, for the model. */
  readonly description: string;
  /** The JSON Schema of its arguments as it was given, without what JSON does not carry; deep-frozen. */
  readonly parameters: ToolParameters;
  /** Does it, with arguments that fit {@link Tool.parameters}. */
  execute(args: Args, context: ToolContext): unknown;
  /** Whether an execution of unknown outcome may be repeated after a crash. */
  readonly replay: ReplayPolicy;
  /** Whether an execution that did not fail completes the run. */
  readonly completes: boolean;
  /** How many code points of an observation the model is shown. Absent: all. */
  readonly maxObservationChars?: number;
  /** How long an execution may take, in milliseconds. Absent: as long as it takes. */
  readonly timeoutMs?: number;
  /** Whether executions may run at the same time as others that may. */
  readonly concurrent: boolean;
  /**
   * The executor behind the tool: it is asked of each action, in place of {@link Tool.replay} and
   * {@link Tool.concurrent}. Absent: there is none.
   */
  readonly delegate?: ToolDelegate<Args>;
}

/**
 * Makes a tool. The type of its arguments is inferred from its schema.
 *
 * @example
 * ```ts
 * import { defineTool } from "@polyloop/polyloop/tools";
 * import { assertEquals } from "@std/assert";
 *
 * const add = defineTool({
 *   name: "add",
 *   description: "Adds two numbers.",
 *   parameters: {
 *     type: "object",
 *     properties: { a: { type: "number" }, b: { type: "number" } },
 *     required: ["a", "b"],
 *     additionalProperties: false,
 *   },
 *   execute: ({ a, b }) => a + b,
 *   replay: "replayable",
 * });
 * assertEquals(add.completes, false);
 * ```
 *
 * @throws {InvalidRequestError} If a field is not as it must be, or there is none of its name.
 * @throws {UnsupportedSchemaError} If `parameters` is not a JSON Schema that {@link compileSchema} takes, or not one of
 * objects.
 */
export function defineTool<const Schema extends object>(
  spec: ToolSpec<Schema>,
): Tool<FromSchema<Schema>> {
  refuseUnknownFields(spec, FIELDS, { whole: "spec" });
  const { name, description, parameters, replay = "never", completes = false } = spec;
  const { maxObservationChars, timeoutMs, concurrent = false } = spec;
  if (typeof name !== "string" || !NAME.test(name)) {
    throw new InvalidRequestError("name", name, `a tool's name must match ${NAME.source}`);
  }
  const refuse = (field: string, value: unknown, mustBe: string) => {
    throw new InvalidRequestError(field, value, `it must be ${mustBe} for the tool "${name}"`);
  };
  if (typeof description !== "string") refuse("description", description, "a string");
  if (typeof spec.execute !== "function") refuse("execute", spec.execute, "a function");
  if (!REPLAY_POLICIES.includes(replay)) refuse("replay", replay, `"never" or "replayable"`);
  if (typeof completes !== "boolean") refuse("completes", completes, "true or false");
  if (
    maxObservationChars !== undefined &&
    (!Number.isSafeInteger(maxObservationChars) || maxObservationChars < 0)
  ) {
    refuse("maxObservationChars", maxObservationChars, "a whole number of at least 0");
  }
  if (typeof concurrent !== "boolean") refuse("concurrent", concurrent, "true or false");
  if (
    timeoutMs !== undefined &&
    (!Number.isSafeInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > LONGEST_TIMER_MS)
  ) {
    refuse("timeoutMs", timeoutMs, `a whole number from 1 to ${LONGEST_TIMER_MS}`);
  }
  return Object.freeze(present({
    name,
    description,
    parameters: checkedSchema(name, parameters),
    execute: (args: FromSchema<Schema>, context: ToolContext) => spec.execute(args, context),
    replay,
    completes,
    maxObservationChars,
    timeoutMs,
    concurrent,
  }));
}

const FIELDS: KnownFields<ToolSpec<object>> = {
  name: true,
  description: true,
  parameters: true,
  execute: true,
  replay: true,
  completes: true,
  maxObservationChars: true,
  timeoutMs: true,
  concurrent: true,
};

/** The longest time that the platform waits for. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const NAME = /^[A-Za-z0-9_.-]{1,128}$/;

function checkedSchema(name: string, parameters: object): ToolParameters {
  try {
    return ofAnObject(readSchema(parameters));
  } catch (cause) {
    if (!(cause instanceof UnsupportedSchemaError)) throw cause;
    throw new UnsupportedSchemaError(
      cause.pointer,
      `${cause.reason} (parameters of the tool "${name}")`,
      { cause },
    );
  }
}

/** A schema of objects as JSON. One that no object fits, or that other values fit too, is refused: arguments are one. */
function ofAnObject(schema: ReadSchema): ToolParameters {
  const { given } = schema;
  schema.inCurrentForm(); // a model must be able to see it
  if (!isJsonObject(given)) {
    throw new UnsupportedSchemaError("", "a tool's parameters must be an object");
  }
  if (given.type !== undefined && given.type !== "object") {
    throw new UnsupportedSchemaError("/type", `a tool's parameters must be of the type "object"`);
  }
  const wrong = schema.validate({});
  const isOfOtherType = wrong.length > 0 && wrong.every((violation) => isOfType(violation, given));
  if (!isOfOtherType) return given;
  throw new UnsupportedSchemaError("", "no object can be a tool's arguments under it");
}

/** Whether an object breaks a rule by being one: of a rule that lists values, if no object is among them. */
function isOfType({ pointer, rule, schemaPointer }: SchemaViolation, schema: JsonValue): boolean {
  if (pointer !== "") return false;
  if (rule !== "enum" && rule !== "const") return TYPE_RULES.includes(rule);
  const listed = valueAt(schema, schemaPointer ?? "");
  return !(rule === "enum" && isJsonArray(listed) ? listed : [listed]).some(isJsonObject);
}

/** The rules that an object breaks by being one, whatever it holds; the two that ask each branch say so of none. */
const TYPE_RULES = ["type", "anyOf", "oneOf"];
