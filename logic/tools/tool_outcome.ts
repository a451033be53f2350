import {
  type ActionOutcome,
  copyField,
  type ErrorInfo,
  errorInfoShape,
  errorInfoWithStack,
  InvalidRequestError,
  type KnownFields,
  present,
  refuseUnknownFields,
} from "../../types/mod.ts";
import { ToolOutcome } from "./_made_outcome.ts";

export type { ToolOutcome };

/** What {@link toolOutcome} takes: the action ran, well or not; or it was not executed. */
export type ToolOutcomeSpec =
  & {
    /** What the model is shown. */
    readonly observation: string;
  }
  & (
    | {
      /**
       * That it did not fail.
       *
       * @default {false}
       */
      readonly failed?: false;
      /**
       * Whether the goal of the run is reached, which ends it.
       *
       * @default {false}
       */
      readonly completed?: boolean;
      /** Never there: only what failed has an error. */
      readonly error?: never;
      /** Never there: it was executed. */
      readonly notExecuted?: never;
    }
    | {
      /** That it failed. */
      readonly failed: true;
      /**
       * Whether the goal of the run is reached all the same, which ends it.
       *
       * @default {false}
       */
      readonly completed?: boolean;
      /** What it failed with, for who reads the log: an `Error`, or what is to be recorded. Absent: nothing. */
      readonly error?: ErrorInfo;
      /** Never there: it was executed. */
      readonly notExecuted?: never;
    }
    | {
      /** That nothing happened: the tool refuses the action. */
      readonly notExecuted: true;
      /** Never there: only what ran can have failed. */
      readonly failed?: never;
      /** Never there: only what ran can have reached the goal. */
      readonly completed?: never;
      /** Never there: only what failed has an error. */
      readonly error?: never;
    }
  );

const FIELDS: KnownFields<ToolOutcomeSpec> = {
  observation: true,
  failed: true,
  completed: true,
  error: true,
  notExecuted: true,
};

/**
 * What a tool returns to say itself what became of its action, rather than to have it told from a result or a throw.
 *
 * @example
 * ```ts
 * import { defineTool, toolOutcome, ToolRegistry } from "@polyloop/polyloop/tools";
 * import { assertEquals } from "@std/assert";
 *
 * const tests = defineTool({
 *   name: "test",
 *   description: "Runs the tests; the goal is reached when they pass.",
 *   parameters: { type: "object" },
 *   execute: () => toolOutcome({ observation: "2 of 3 tests fail", failed: true }),
 * });
 * const outcome = await ToolRegistry.of([tests]).executor().execute({
 *   action: { tool: "test", arguments: {} },
 *   actionId: "demo/s0_a0",
 *   attempt: 1,
 *   signal: new AbortController().signal,
 * });
 * assertEquals([outcome.status, outcome.failed], ["executed", true]);
 * ```
 *
 * @throws {InvalidRequestError} If a field is not as it must be, or there is no such field.
 */
export function toolOutcome(spec: ToolOutcomeSpec): ToolOutcome {
  refuseUnknownFields(spec, FIELDS, { whole: "spec" });
  const { observation, failed = false, completed = false, notExecuted = false, error } = spec;
  if (typeof observation !== "string") {
    throw new InvalidRequestError("observation", observation, "it must be a string");
  }
  for (const [field, value] of Object.entries({ failed, completed, notExecuted })) {
    if (typeof value !== "boolean") {
      throw new InvalidRequestError(field, value, "it must be true or false");
    }
  }
  if (error !== undefined && !failed) {
    throw new InvalidRequestError("error", error, "only what failed has one");
  }
  if (notExecuted && (failed || completed)) {
    const field = failed ? "failed" : "completed";
    throw new InvalidRequestError(field, true, "an action that was not executed has none");
  }
  return new ToolOutcome(outcomeOf(spec));
}

function outcomeOf(spec: ToolOutcomeSpec): ActionOutcome {
  const { observation, completed = false } = spec;
  if (spec.notExecuted) {
    return {
      status: "not_executed",
      observation,
      observationSynthetic: true,
      truncatedChars: 0,
    };
  }
  const ran = {
    status: "executed",
    completed,
    observation,
    observationSynthetic: false,
    truncatedChars: 0,
  } as const;
  if (!spec.failed) return { ...ran, failed: false };
  return present({ ...ran, failed: true, error: recorded(spec.error) } as const);
}

function recorded(error: ErrorInfo | undefined): ErrorInfo | undefined {
  if (error === undefined) return undefined;
  return error instanceof Error
    ? errorInfoWithStack(error)
    : copyField("error", error, errorInfoShape);
}
