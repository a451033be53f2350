import type { DecisionInterpreter, EventSink, ModelPort, RunStore } from "../ports/mod.ts";
import {
  copyField,
  InvalidRequestError,
  type KnownFields,
  memberShape,
  modelTexts,
  present,
  refuseUnknownFields,
  TOOL_PROTOCOLS,
} from "../types/mod.ts";

/**
 * The texts that the library itself shows the model where there is no real observation. They enter the parameter
 * snapshot. An experimenter may want to set every one of them.
 */
export interface SyntheticObservations {
  /**
   * For an action that was denied without a reason, or not executed with an empty observation.
   * @default {"The action was rejected and not executed."}
   */
  readonly rejected: string;
  /**
   * For an action during which the environment broke, without an observation.
   * @default {"The environment failed while the action was running."}
   */
  readonly environmentFailed: string;
  /**
   * For a model call that failed.
   * @default {"The last model call failed."}
   */
  readonly modelCallFailed: string;
  /**
   * For a model call that was in flight when the run crashed and may not be replayed.
   * @default {"The run was interrupted during the last model call; its reply is lost."}
   */
  readonly modelOutcomeUnknown: string;
  /**
   * For an action that was in flight when the run crashed and may not be replayed.
   * @default {"The run was interrupted during this action; whether it took effect is unknown."}
   */
  readonly actionOutcomeUnknown: string;
  /**
   * For an action that was not tried because its step had ended before.
   * @default {"The action was not tried because the step had ended."}
   */
  readonly actionSkipped: string;
  /**
   * For an action whose tool is not visible in the run. `{tool}`: the name that it gives, quoted; `{visible}`: the names
   * of the visible tools.
   *
   * By default: `The action was not executed: there is no tool {tool}. The tools are: {visible}.`
   */
  readonly toolNotVisible: string;
  /**
   * For a reply that asks for several actions though the protocol is `text`.
   * @default {"The reply asks for several actions; ask for one at a time."}
   */
  readonly severalActions: string;
}

/** The default of every {@link SyntheticObservations | synthetic observation}. */
export const SYNTHETIC_OBSERVATIONS: SyntheticObservations = Object.freeze({
  rejected: "The action was rejected and not executed.",
  environmentFailed: "The environment failed while the action was running.",
  modelCallFailed: "The last model call failed.",
  modelOutcomeUnknown: "The run was interrupted during the last model call; its reply is lost.",
  actionOutcomeUnknown:
    "The run was interrupted during this action; whether it took effect is unknown.",
  actionSkipped: "The action was not tried because the step had ended.",
  toolNotVisible: "The action was not executed: there is no tool {tool}. The tools are: {visible}.",
  severalActions: "The reply asks for several actions; ask for one at a time.",
});

/** What {@link defineAgent} takes. */
export interface AgentSpec {
  /** Calls the model. */
  readonly model: ModelPort;
  /** Reads its replies. */
  readonly interpreter: DecisionInterpreter;
  /** Keeps the logs. There is no default: a run without a durable store cannot be recovered. */
  readonly store: RunStore;
  /** Hears what happens. Absent: nobody does. */
  readonly events?: EventSink;
  /** Texts that differ from {@link SYNTHETIC_OBSERVATIONS}. */
  readonly syntheticObservations?: Partial<SyntheticObservations>;
}

/** An agent: what does not change between its runs. Any number of runs may share it at once; nothing is kept on it. */
export interface AgentDefinition {
  /** Calls the model. */
  readonly model: ModelPort;
  /** Reads its replies. */
  readonly interpreter: DecisionInterpreter;
  /** Keeps the logs. */
  readonly store: RunStore;
  /** Hears what happens. Absent: nobody does. */
  readonly events?: EventSink;
  /** The library's own texts for the model, all of them. */
  readonly syntheticObservations: SyntheticObservations;
}

const PORT_METHODS = {
  model: ["call", "parameters"],
  interpreter: ["interpret", "parameters"],
  store: [
    "readRun",
    "startRun",
    "writeIntent",
    "writeOutcome",
    "finishRun",
    "releaseRun",
    "parameters",
  ],
  events: ["emit", "parameters"],
} as const;

const FIELDS: KnownFields<AgentSpec> = {
  model: true,
  interpreter: true,
  store: true,
  events: true,
  syntheticObservations: true,
};

/** What a store may have beside its methods. */
const CLAIM_METHODS = ["claimRun", "breakLease"] as const;

/** What every agent has. */
const MADE_FIELDS = Object.keys(FIELDS).filter((field) => field !== "events");

/** The agents that {@link defineAgent} made: they need not be checked again. */
const MADE = new WeakSet<AgentDefinition>();

/**
 * Puts an agent together. The ports are held by reference and not called.
 *
 * @example
 * ```ts
 * import { defineAgent } from "@polyloop/polyloop";
 * import { codeFenceInterpreter } from "@polyloop/polyloop/adapters/code-fence-interpreter";
 * import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
 * import { memoryStore } from "@polyloop/polyloop/stores/memory";
 *
 * const agent = defineAgent({
 *   model: scriptedModel(["42"]),
 *   interpreter: codeFenceInterpreter({ languages: ["ts"], finalAnswer: "text" }),
 *   store: memoryStore(),
 * });
 * ```
 *
 * @throws {InvalidRequestError} For a port without one of its methods, a synthetic observation that is not a string, or
 * a field that there is not.
 */
export function defineAgent(spec: AgentSpec): AgentDefinition {
  refuseUnknownFields(spec, FIELDS, { whole: "spec" });
  const { model, interpreter, store, events } = spec;
  requirePort("model", model, PORT_METHODS.model);
  requirePort("interpreter", interpreter, PORT_METHODS.interpreter);
  if (interpreter.toolProtocol !== undefined) {
    copyField("interpreter.toolProtocol", interpreter.toolProtocol, memberShape(TOOL_PROTOCOLS));
  }
  requirePort("store", store, PORT_METHODS.store);
  requirePort("store", store, CLAIM_METHODS.filter((name) => store[name] !== undefined));
  if (events !== undefined) requirePort("events", events, PORT_METHODS.events);
  const given = spec.syntheticObservations;
  const texts = modelTexts(SYNTHETIC_OBSERVATIONS, given, "syntheticObservations");
  const agent = Object.freeze(
    present({ model, interpreter, store, events, syntheticObservations: Object.freeze(texts) }),
  );
  MADE.add(agent);
  return agent;
}

/** An agent that a verb was given. What {@link defineAgent} has not made, such as `{...agent, events}`, is checked as by it. */
export function admitAgent(agent: AgentDefinition): AgentDefinition {
  if (MADE.has(agent)) return agent;
  requireMade("agent", agent, "defineAgent", MADE_FIELDS);
  return defineAgent(agent);
}

/** Refuses what a definition cannot have come from, since it lacks something that each of its kind has. */
export function requireMade(
  field: string,
  value: unknown,
  maker: string,
  names: readonly string[],
): void {
  const found: Readonly<Record<string, unknown>> = Object(value);
  const missing = names.find((name) => found[name] === undefined);
  if (missing === undefined) return;
  throw new InvalidRequestError(
    field,
    value,
    `it must be what ${maker} gives, and it has no "${missing}"`,
  );
}

/** Refuses something that lacks a port's methods. */
export function requirePort(field: string, port: unknown, methods: readonly string[]): void {
  const found: Readonly<Record<string, unknown>> = Object(port);
  const missing = methods.filter((method) => typeof found[method] !== "function");
  if (missing.length > 0) {
    throw new InvalidRequestError(field, port, `it must have the methods ${missing.join(", ")}`);
  }
}
