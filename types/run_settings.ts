import type { ContextPolicy } from "./_context/context_policy.ts";
import { readPolicy, writePolicy } from "./_context/policy_settings.ts";
import { budgetShape } from "./_shape/budget_shapes.ts";
import { runOriginShape } from "./_shape/run_origin_shapes.ts";
import { type CheckedShape, checkShape } from "./_shape/shape.ts";
import { camelCase, snakeCase } from "./_text/snake_case.ts";
import type { ReplayPolicy } from "./replay_policy.ts";
import type { Budget } from "./budget.ts";
import type { ToolProtocol } from "./decision.ts";
import { deepFreeze } from "./json.ts";
import { present } from "./_shape/present.ts";
import type { RunOrigin } from "./_ids/run_origin.ts";

/**
 * The settings of a run: all that would make another run of it. Their flat form is the parameter snapshot, which is
 * written and read here; nothing else knows its keys.
 */
export interface RunSettings {
  /** What the model reports of its configuration. */
  readonly model: Readonly<Record<string, string>>;
  /** What the interpreter reports of its configuration. */
  readonly interpreter: Readonly<Record<string, string>>;
  /** What the store reports of its configuration. */
  readonly store: Readonly<Record<string, string>>;
  /** What the event sink reports of its configuration; empty if there is none. */
  readonly events: Readonly<Record<string, string>>;
  /** What the executor reports of its configuration. */
  readonly executor: Readonly<Record<string, string>>;
  /** The texts that the library itself shows the model, by the name that an agent's definition has for each. */
  readonly syntheticObservations: Readonly<Record<string, string>>;
  /** The limits. Each is absent where it is not set, or not recorded as a whole number. */
  readonly budget: Partial<Budget>;
  /** How the run makes room in its prompt. Absent: it does not. */
  readonly contextPolicy?: ContextPolicy;
  /** How an observation is shown to the model. Absent: it is not recorded. */
  readonly observationTemplate?: string;
  /** How long a call may take to settle after an abort, in milliseconds. Absent: it is not recorded. */
  readonly cancelGraceMs?: number;
  /** Whether a model call of unknown outcome may be made again. */
  readonly modelReplayPolicy: ReplayPolicy;
  /** Whether a reply that does not tell its tokens exhausts their budget. */
  readonly onUnknownUsage: "ignore" | "stop";
  /** How many actions of one decision may run at once. */
  readonly maxConcurrentActions: number;
  /** How the model asks for actions. */
  readonly toolProtocol: ToolProtocol;
  /** The names of the visible tools, in registry order. Absent: the request names no registry. */
  readonly tools?: readonly string[];
  /** The digest of each visible tool, by its name. */
  readonly toolDigests: Readonly<Record<string, string>>;
  /** The ids of what is injected, by channel, in the order of the prompt. */
  readonly injectedEntryIds: Readonly<Record<string, readonly string[]>>;
  /** The run's coordinates. */
  readonly modelBinding: Readonly<Record<string, string>>;
  /** The versions of the recipes that the run is made from. */
  readonly fingerprints: Readonly<Record<string, string>>;
  /** What the run's context was taken from. Absent: from no other run. */
  readonly derivedFrom?: RunOrigin;
  /** The id of the approval callback. Absent: there is none. */
  readonly approveAction?: string;
}

type Texts = Readonly<Record<string, string>>;

/** What the keys of a map begin with; what follows is the map's own key. */
const MAPS = {
  model: "definition.model.",
  interpreter: "definition.interpreter.",
  store: "definition.store.",
  events: "definition.events.",
  syntheticObservations: "definition.synthetic_observation.",
  executor: "request.executor.",
  budget: "request.budget.",
  contextPolicy: "request.context_policy.",
  toolDigests: "request.tool_digest.",
  modelBinding: "request.binding.",
  fingerprints: "request.fingerprint.",
  injectedEntryIds: "request.injected_entry_ids.",
  derivedFrom: "request.derived_from.",
} as const;

const KEYS = {
  observationTemplate: "request.observation_template",
  cancelGraceMs: "request.cancel_grace_ms",
  modelReplayPolicy: "request.model_replay_policy",
  onUnknownUsage: "request.on_unknown_usage",
  maxConcurrentActions: "request.max_concurrent_actions",
  toolProtocol: "request.tool_protocol",
  tools: "request.tools",
  approveAction: "request.callback.approve_action",
} as const;

/**
 * The parameter snapshot of settings, a flat map of strings.
 *
 * @example
 * ```ts
 * import { readSettings, writeSettings } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const settings = readSettings({ "request.budget.max_steps": "8", "request.tools": "read,list" });
 * assertEquals([settings.budget.maxSteps, settings.tools], [8, ["read", "list"]]);
 * assertEquals(writeSettings(settings)["request.tools"], "read,list");
 * ```
 */
export function writeSettings(settings: RunSettings): Readonly<Record<string, string>> {
  const { tools, cancelGraceMs, onUnknownUsage, maxConcurrentActions, toolProtocol } = settings;
  const { contextPolicy } = settings;
  return Object.freeze({
    ...under(MAPS.model, settings.model),
    ...under(MAPS.interpreter, settings.interpreter),
    ...under(MAPS.store, settings.store),
    ...under(MAPS.events, settings.events),
    ...under(MAPS.syntheticObservations, settings.syntheticObservations, snakeCase),
    ...under(MAPS.executor, settings.executor),
    ...under(MAPS.budget, { ...settings.budget }, snakeCase),
    ...under(MAPS.contextPolicy, contextPolicy === undefined ? {} : writePolicy(contextPolicy)),
    ...present({
      [KEYS.observationTemplate]: settings.observationTemplate,
      [KEYS.cancelGraceMs]: cancelGraceMs === undefined ? undefined : String(cancelGraceMs),
      [KEYS.modelReplayPolicy]: settings.modelReplayPolicy,
      [KEYS.onUnknownUsage]: onUnknownUsage === "stop" ? onUnknownUsage : undefined,
      [KEYS.maxConcurrentActions]: maxConcurrentActions === 1
        ? undefined
        : String(maxConcurrentActions),
      [KEYS.toolProtocol]: toolProtocol === "native" ? toolProtocol : undefined,
      [KEYS.tools]: tools?.join(","),
    }),
    ...under(MAPS.injectedEntryIds, settings.injectedEntryIds),
    ...under(MAPS.toolDigests, settings.toolDigests),
    ...under(MAPS.modelBinding, settings.modelBinding),
    ...under(MAPS.fingerprints, settings.fingerprints),
    ...under(MAPS.derivedFrom, { ...settings.derivedFrom }, snakeCase),
    ...present({ [KEYS.approveAction]: settings.approveAction }),
  });
}

/**
 * The settings that a parameter snapshot gives, deep-frozen. It refuses nothing: what is not there, or not as it must
 * be, is absent, and keys that this version does not know are passed over.
 */
export function readSettings(parameters: Readonly<Record<string, string>>): RunSettings {
  const textsOf = mapsIn(parameters);
  const limits = Object.entries(limitsOf(textsOf("budget")))
    .filter(([, limit]) => !Number.isNaN(limit));
  const ids = Object.entries(textsOf("injectedEntryIds"));
  const tools = parameters[KEYS.tools];
  return deepFreeze(present(
    {
      model: textsOf("model"),
      interpreter: textsOf("interpreter"),
      store: textsOf("store"),
      events: textsOf("events"),
      executor: textsOf("executor"),
      syntheticObservations: camelKeys(textsOf("syntheticObservations")),
      budget: Object.fromEntries(limits),
      contextPolicy: readPolicy(textsOf("contextPolicy")),
      observationTemplate: parameters[KEYS.observationTemplate],
      cancelGraceMs: numberOf(parameters[KEYS.cancelGraceMs]),
      modelReplayPolicy: parameters[KEYS.modelReplayPolicy] === "replayable"
        ? "replayable"
        : "never",
      onUnknownUsage: parameters[KEYS.onUnknownUsage] === "stop" ? "stop" : "ignore",
      maxConcurrentActions: numberOf(parameters[KEYS.maxConcurrentActions]) ?? 1,
      toolProtocol: parameters[KEYS.toolProtocol] === "native" ? "native" : "text",
      tools: tools === undefined ? undefined : listOf(tools),
      toolDigests: textsOf("toolDigests"),
      injectedEntryIds: Object.fromEntries(ids.map(([channel, text]) => [channel, listOf(text)])),
      modelBinding: textsOf("modelBinding"),
      fingerprints: textsOf("fingerprints"),
      derivedFrom: originOf(textsOf("derivedFrom")),
      approveAction: parameters[KEYS.approveAction],
    } as const,
  ));
}

/** The budget that a parameter snapshot gives, or the first limit that is missing or not as it must be. */
export function readBudget(parameters: Readonly<Record<string, string>>): CheckedShape<Budget> {
  const limits = limitsOf(mapsIn(parameters)("budget"));
  return checkShape(limits, budgetShape, { unknownFields: true });
}

/** The origin that its texts give; nothing where they give none. */
function originOf(texts: Texts): RunOrigin | undefined {
  const { steps, historySteps, ...names } = camelKeys(texts);
  const counts = { steps: numberOf(steps), historySteps: numberOf(historySteps) };
  const checked = checkShape({ ...names, ...counts }, runOriginShape, { unknownFields: true });
  return checked.ok ? checked.value : undefined;
}

/** Every limit by its name; `NaN` where the string is no whole number. */
function limitsOf(budget: Texts): Readonly<Record<string, number>> {
  const limits = Object.entries(camelKeys(budget));
  return Object.fromEntries(limits.map(([name, text]) => [name, numberOf(text) ?? NaN]));
}

function under(
  prefix: string,
  map: Readonly<Record<string, unknown>>,
  rename: (name: string) => string = (name) => name,
): Texts {
  const entries = Object.entries(map).map((
    [name, value],
  ) => [prefix + rename(name), String(value)]);
  return Object.fromEntries(entries);
}

/** The maps in a parameter snapshot, each by its name: what their keys begin with ends at the second dot. */
function mapsIn(parameters: Texts): (name: keyof typeof MAPS) => Texts {
  const maps = Map.groupBy(
    Object.entries(parameters),
    ([key]) => key.slice(0, key.indexOf(".", key.indexOf(".") + 1) + 1),
  );
  return (name) => {
    const { length } = MAPS[name];
    const entries = maps.get(MAPS[name]) ?? [];
    return Object.fromEntries(entries.map(([key, text]) => [key.slice(length), text]));
  };
}

function camelKeys(texts: Texts): Texts {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [camelCase(name), text]));
}

function numberOf(text: string | undefined): number | undefined {
  if (text === undefined || !/^(?:0|[1-9]\d*)$/.test(text)) return undefined;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : undefined;
}

/** The names in a list; none of them is empty or has a comma. */
function listOf(text: string): readonly string[] {
  return text === "" ? [] : text.split(",");
}
