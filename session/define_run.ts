import { parseTemplate } from "../logic/_assembly/mod.ts";
import { injection, runContext, texts } from "../logic/serialization/record_shapes.ts";
import { list, mapOf, type Shape } from "../logic/serialization/shape.ts";
import type { ActionExecutor } from "../ports/mod.ts";
import {
  type Budget,
  copyJson,
  type Injection,
  InvalidRequestError,
  present,
  REPLAY_POLICIES,
  type ReplayPolicy,
  type RunContext,
  SerializationError,
  type ToolSchema,
} from "../types/mod.ts";
import { refuseUnknownFields, requirePort } from "./define_agent.ts";

/** How the model asks for actions: in its text, or by the provider's own tool calls. */
export type ToolProtocol = "text" | "native";

/** What a run needs of a tool registry; `ToolRegistry` has it. */
export interface VisibleTools {
  /** The tools' names, in registry order. */
  readonly names: readonly string[];
  /** What the model may see of each, in the same order. */
  schemaForModel(): readonly ToolSchema[];
  /** The digest of all that makes a tool what it is: a tool that changed under its name is another. */
  toolDigest(name: string): string;
}

/** What {@link defineRun} takes. */
export interface RunSpec {
  /** The run's id, `[a-z0-9][a-z0-9._-]{0,127}`: its log is found by it. */
  readonly runId: string;
  /** The run's limits. */
  readonly budget: Budget;
  /** Executes the actions. */
  readonly executor: ActionExecutor;
  /** The tools that are visible in this run. Absent: none. */
  readonly tools?: VisibleTools;
  /**
   * How the model asks for actions.
   *
   * @default {"text"}
   */
  readonly toolProtocol?: ToolProtocol;
  /** The messages that the run starts from. */
  readonly context: RunContext;
  /**
   * Texts to paste between run level and goal level, by channel; channels in code-point order, entries as given. A
   * channel that is declared and empty is not the same as no channel: the snapshot tells the two apart. Absent: none.
   */
  readonly injections?: Readonly<Record<string, readonly Injection[]>>;
  /**
   * How the observation of a step is shown to the model: Python's `str.format` with the one field `{observation}`;
   * other braces are doubled. Under the native protocol tool results go without it. By default: `{observation}`
   */
  readonly observationTemplate?: string;
  /**
   * Which cell of an experiment or which account a run belongs to: coordinates. They enter the snapshot and go to
   * every model call as they are. Absent: none.
   */
  readonly modelBinding?: Readonly<Record<string, string>>;
  /**
   * Whether a model call that a crash interrupted may be paid for again.
   *
   * @default {"never"}
   */
  readonly modelReplayPolicy?: ReplayPolicy;
  /**
   * Which versions of recipes (prompt templates, skill libraries) the run is made from. They enter the snapshot only.
   * Never coordinates, which are `modelBinding`, and never timestamps, which would make every resume a drift. An
   * algorithm prefix such as `sha256:` is advised. Absent: none.
   */
  readonly fingerprints?: Readonly<Record<string, string>>;
  /**
   * How long a call in flight may take to settle after an abort, in milliseconds; and each access to the store that is
   * under way or still needed then, so that a durable store needs some.
   *
   * @default {5000}
   */
  readonly cancelGraceMs?: number;
}

/** A run to be made: checked, its data copied and deep-frozen, its ports held by reference. */
export type RunRequest =
  & Readonly<Required<Omit<RunSpec, "tools">>>
  & Pick<RunSpec, "tools">;

const RUN_ID = /^[a-z0-9][a-z0-9._-]{0,127}$/;
/** The ids that tool calls have in history. */
const HISTORY_CALL_ID = /^s\d+_a\d+$/;
const FIELDS = [
  "runId",
  "budget",
  "executor",
  "tools",
  "toolProtocol",
  "context",
  "injections",
  "observationTemplate",
  "modelBinding",
  "modelReplayPolicy",
  "fingerprints",
  "cancelGraceMs",
];
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const REQUIRED_LIMITS = {
  maxSteps: 0,
  maxModelCalls: 0,
  maxPromptChars: 0,
  maxConsecutiveFailures: 1,
} as const;
const OPTIONAL_LIMITS = { maxTotalTokens: 0, maxActiveMs: 0, maxIdenticalActions: 1 } as const;

/**
 * Describes one run. It is cheap (no I/O, no hashing) and refuses bad input at once, before anything is spent.
 *
 * @example
 * ```ts
 * import { defineRun, textMessage } from "@polyloop/polyloop";
 *
 * const request = defineRun({
 *   runId: "count-lines-1",
 *   budget: { maxSteps: 8, maxModelCalls: 10, maxPromptChars: 40_000, maxConsecutiveFailures: 2 },
 *   executor: {
 *     execute: () => Promise.reject(new Error("this agent needs no actions")),
 *     parameters: () => ({}),
 *   },
 *   context: { runLevel: [], goalLevel: [textMessage("user", "How many lines has README.md?")] },
 * });
 * ```
 *
 * @throws {InvalidRequestError} Naming the field and its value.
 */
export function defineRun(spec: RunSpec): RunRequest {
  const {
    runId,
    executor,
    tools,
    toolProtocol = "text",
    injections = {},
    observationTemplate = "{observation}",
    modelBinding = {},
    modelReplayPolicy = "never",
    fingerprints = {},
    cancelGraceMs = 5_000,
  } = spec;
  refuseUnknownFields(spec, FIELDS);
  if (typeof runId !== "string" || !RUN_ID.test(runId)) {
    throw new InvalidRequestError("runId", runId, `it must match ${RUN_ID.source}`);
  }
  requirePort("executor", executor, ["execute", "parameters"]);
  if (tools !== undefined) checkTools(tools);
  oneOf("toolProtocol", toolProtocol, ["text", "native"]);
  oneOf("modelReplayPolicy", modelReplayPolicy, REPLAY_POLICIES);
  if (typeof observationTemplate !== "string") {
    throw new InvalidRequestError("observationTemplate", observationTemplate, "it must be a text");
  }
  parseTemplate(observationTemplate);
  checkLimit("cancelGraceMs", cancelGraceMs, 0, LONGEST_TIMER_MS);
  return Object.freeze(present({
    runId,
    budget: copyBudget(spec.budget),
    executor,
    tools,
    toolProtocol,
    context: copyContext(spec.context, toolProtocol),
    injections: copyInjections(injections),
    observationTemplate,
    modelBinding: copyTexts("modelBinding", modelBinding),
    modelReplayPolicy,
    fingerprints: copyTexts("fingerprints", fingerprints),
    cancelGraceMs,
  }));
}

function checkTools(tools: VisibleTools): void {
  if (Array.isArray(tools)) {
    throw new InvalidRequestError(
      "tools",
      tools,
      "a list is no registry: use ToolRegistry.of([…])",
    );
  }
  requirePort("tools", tools, ["schemaForModel", "toolDigest"]);
  if (!Array.isArray(tools.names)) {
    throw new InvalidRequestError("tools.names", tools.names, "it must be a list");
  }
  for (const name of tools.names) {
    if (typeof name !== "string" || name === "" || name.includes(",")) {
      throw new InvalidRequestError(
        "tools.names",
        name,
        "a tool's name must be a text without a comma",
      );
    }
  }
}

function copyContext(context: RunContext, toolProtocol: ToolProtocol): RunContext {
  const copy = copyOf<RunContext>("context", context, runContext);
  if (toolProtocol === "native") {
    for (const [level, messages] of Object.entries(copy)) {
      (messages as RunContext["runLevel"]).forEach(({ content }, m) => {
        content.forEach((block, b) => {
          if (block.type === "text" || !HISTORY_CALL_ID.test(block.toolCallId)) return;
          const field = `context.${level}[${m}].content[${b}].toolCallId`;
          throw new InvalidRequestError(
            field,
            block.toolCallId,
            "the run's own calls have such ids",
          );
        });
      });
    }
  }
  return copy;
}

function copyBudget(budget: Budget): Budget {
  const copy = copyOf<Budget>("budget", budget, mapOf(() => undefined));
  for (const [name, limit] of Object.entries(copy)) {
    const known = Object.hasOwn(REQUIRED_LIMITS, name) || Object.hasOwn(OPTIONAL_LIMITS, name);
    if (!known) throw new InvalidRequestError(`budget.${name}`, limit, "there is no such limit");
  }
  for (const [name, least] of Object.entries(REQUIRED_LIMITS)) {
    checkLimit(`budget.${name}`, copy[name as keyof Budget], least);
  }
  for (const [name, least] of Object.entries(OPTIONAL_LIMITS)) {
    const limit = copy[name as keyof Budget];
    if (limit !== undefined) checkLimit(`budget.${name}`, limit, least);
  }
  return copy;
}

function copyInjections(injections: unknown): RunRequest["injections"] {
  const copy = copyOf<RunRequest["injections"]>("injections", injections, mapOf(list(injection)));
  for (const [channel, entries] of Object.entries(copy)) {
    entries.forEach(({ entryId }, i) => {
      if (entryId === "" || entryId.includes(",")) {
        const field = `injections.${channel}[${i}].entryId`;
        throw new InvalidRequestError(field, entryId, "it must not be empty nor hold a comma");
      }
    });
  }
  return copy;
}

function copyTexts(field: string, map: object): Readonly<Record<string, string>> {
  for (const [key, value] of Object.entries(Object(map))) {
    if (value === undefined) {
      throw new InvalidRequestError(`${field}.${key}`, value, "it must be a text");
    }
  }
  return copyOf(field, map, texts);
}

function copyOf<T>(field: string, value: unknown, shape: Shape): T {
  let copy: unknown;
  try {
    copy = copyJson(value, field);
  } catch (error) {
    if (!(error instanceof SerializationError)) throw error;
    throw new InvalidRequestError(error.path, error.value, error.reason, { cause: error });
  }
  const fault = shape(copy, { unknownFields: false });
  if (fault !== undefined) {
    throw new InvalidRequestError(field + fault.path, fault.value, fault.reason);
  }
  return copy as T;
}

function oneOf(field: string, value: unknown, members: readonly string[]): void {
  if (!members.includes(value as string)) {
    throw new InvalidRequestError(field, value, `it must be one of ${members.join(", ")}`);
  }
}

function checkLimit(
  field: string,
  value: unknown,
  least: number,
  most: number = Number.MAX_SAFE_INTEGER,
): void {
  if (!Number.isSafeInteger(value) || (value as number) < least || (value as number) > most) {
    throw new InvalidRequestError(
      field,
      value,
      `it must be a whole number from ${least} to ${most}`,
    );
  }
}
