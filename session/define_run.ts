import { parseTemplate } from "../logic/_assembly/mod.ts";
import type { ActionExecutor } from "../ports/mod.ts";
import { admitPolicy, fixedChars, requireRoom } from "./_start/admit_policy.ts";
import { copyReport, copyTexts, copyUnknownUsage } from "./_start/request_fields.ts";
import {
  arrayShape,
  type Budget,
  budgetShape,
  type ContextPolicy,
  copyField,
  type Injection,
  injectionShape,
  InvalidRequestError,
  type JsonValue,
  type KnownFields,
  listedNameShape,
  mapShape,
  memberShape,
  type ParentAction,
  present,
  refuseUnknownFields,
  REPLAY_POLICIES,
  type ReplayPolicy,
  type RunContext,
  runContextShape,
  type RunOrigin,
  stringShape,
  TOOL_PROTOCOLS,
  type ToolProtocol,
  type ToolSchema,
  wholeNumberShape,
} from "../types/mod.ts";
import { copyOrigin } from "./_start/copy_origin.ts";
import { copyParent } from "./_start/copy_parent.ts";
import { requireMade, requirePort } from "./define_agent.ts";

/** What a run needs of a tool registry; `ToolRegistry` has it. */
export interface VisibleTools {
  /** The tools' names, in registry order. */
  readonly names: readonly string[];
  /** What the model may see of each, in the same order. */
  schemaForModel(): readonly ToolSchema[];
  /** The digest of all that makes a tool what it is: a tool that changed under its name is another. */
  toolDigest(name: string): string;
  /** The executor of these tools, for a run that names no other. Called once, when the run is defined. */
  executor?(): ActionExecutor;
}

/** What {@link defineRun} takes. */
export interface RunSpec {
  /** The run's id, `[a-z0-9][a-z0-9._-]{0,127}`: its log is found by it. */
  readonly runId: string;
  /** The run's limits. */
  readonly budget: Budget;
  /**
   * Executes the actions. It must not dispatch to tools that are not visible. Absent: the executor of {@link
   * RunSpec.tools}, so that a registry alone is enough.
   */
  readonly executor?: ActionExecutor;
  /**
   * The tools that are visible in this run: an action that names another is not executed, and the model is told.
   * Absent: the run does not know of tools, and every action goes to {@link RunSpec.executor}.
   */
  readonly tools?: VisibleTools;
  /**
   * How the model asks for actions, for an interpreter that does not say. Absent: the interpreter's; `text` if it names
   * none.
   */
  readonly toolProtocol?: ToolProtocol;
  /** The messages that the run starts from. */
  readonly context: RunContext;
  /** The `report` of `buildContext`, recorded with the inputs and not in the snapshot. Absent: there is none. */
  readonly report?: object;
  /**
   * Texts to paste between run level and goal level, by channel; channels in code-point order, entries as given. A
   * channel that is declared and empty is not the same as no channel: the snapshot tells the two apart. Absent: none.
   */
  readonly injections?: Readonly<Record<string, readonly Injection[]>>;
  /**
   * How the run makes room in its prompt when that grows too large; else it ends as `context_overflow`. Absent: nothing of
   * history is ever edited.
   */
  readonly contextPolicy?: ContextPolicy;
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
   * What a reply that does not tell how many tokens it took (no usage, or one of zeros) does to a run with
   * `maxTotalTokens`: nothing but one event, or it exhausts that budget.
   *
   * @default {"ignore"}
   */
  readonly onUnknownUsage?: "ignore" | "stop";
  /**
   * How many actions of one decision may run at once: 1 or more. Only consecutive actions do that their executor calls
   * `concurrent`. All of them are approved first; all settle, also where one of them breaks.
   *
   * @default {1}
   */
  readonly maxConcurrentActions?: number;
  /**
   * Which versions of recipes (prompt templates, skill libraries) the run is made from. They enter the snapshot only.
   * Never coordinates, which are `modelBinding`, and never timestamps, which would make every resume a drift. An
   * algorithm prefix such as `sha256:` is advised. Absent: none.
   */
  readonly fingerprints?: Readonly<Record<string, string>>;
  /**
   * What the context was taken from, as `contextAt` and `continued` give it with the context: it enters the snapshot. Under
   * the native protocol it lets the context hold the ids of the calls of those steps. Absent: it was taken from no run.
   */
  readonly derivedFrom?: RunOrigin;
  /**
   * The action whose tool makes this run; its id tells its run, too. It is recorded for whoever reads the log, and never
   * compared. Who resumes the run takes over its lease, since whoever drives its parent drives it. Absent: no tool.
   */
  readonly parent?: Pick<ParentAction, "actionId"> | ParentAction;
  /**
   * How long a call in flight may take to settle once an abort has told it to stop, in milliseconds; a run that is
   * suspended first lets it go on for as long. Each access to the store that is under way or still needed then has this
   * time, too, and a second at least. A run with a `parent` needs half of what that has, so that it has stopped before its
   * parent gives it up: the default is then half of the usual one.
   *
   * @default {5000}
   */
  readonly cancelGraceMs?: number;
}

/** A run to be made: checked, its data copied and deep-frozen, its ports held by reference. */
export type RunRequest =
  & Readonly<
    Required<
      Omit<
        RunSpec,
        "tools" | "toolProtocol" | "report" | "contextPolicy" | "derivedFrom" | "parent"
      >
    >
  >
  & Pick<RunSpec, "tools" | "toolProtocol" | "contextPolicy" | "derivedFrom">
  & { readonly parent?: ParentAction; readonly report?: { readonly [key: string]: JsonValue } };

const RUN_ID = /^[a-z0-9][a-z0-9._-]{0,127}$/;
/** The fields of a spec, and whether every request has them. */
const FIELDS: KnownFields<RunSpec> = {
  runId: true,
  budget: true,
  executor: true,
  tools: false,
  toolProtocol: false,
  context: true,
  report: false,
  injections: true,
  contextPolicy: false,
  observationTemplate: true,
  modelBinding: true,
  modelReplayPolicy: true,
  onUnknownUsage: true,
  maxConcurrentActions: true,
  fingerprints: true,
  derivedFrom: false,
  parent: false,
  cancelGraceMs: true,
};
const MADE_FIELDS = Object.entries(FIELDS).filter(([, isInEach]) => isInEach).map(([name]) => name);

/** The requests that {@link defineRun} made: they need not be checked again. */
const MADE = new WeakSet<RunRequest>();

const DEFAULT_GRACE_MS = 5_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

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
  refuseUnknownFields(spec, FIELDS, { whole: "spec" });
  const {
    runId,
    tools,
    toolProtocol,
    injections = {},
    contextPolicy,
    observationTemplate = "{observation}",
    modelBinding = {},
    modelReplayPolicy = "never",
    onUnknownUsage = "ignore",
    maxConcurrentActions = 1,
    fingerprints = {},
    parent,
    cancelGraceMs = parent === undefined ? DEFAULT_GRACE_MS : DEFAULT_GRACE_MS / 2,
  } = spec;
  if (typeof runId !== "string" || !RUN_ID.test(runId)) {
    throw new InvalidRequestError("runId", runId, `it must match ${RUN_ID.source}`);
  }
  if (tools !== undefined) checkTools(tools);
  parseTemplate(copyField("observationTemplate", observationTemplate, stringShape));
  const budget = copyField("budget", spec.budget, budgetShape);
  const request = Object.freeze(present({
    runId,
    budget,
    executor: executorOf(spec),
    tools,
    toolProtocol: toolProtocol === undefined
      ? undefined
      : copyField("toolProtocol", toolProtocol, memberShape(TOOL_PROTOCOLS)),
    context: copyField("context", spec.context, runContextShape),
    report: copyReport(spec.report),
    injections: copyField("injections", injections, mapShape(arrayShape(injectionShape))),
    contextPolicy: contextPolicy && admitPolicy(contextPolicy, budget, tools?.names),
    observationTemplate,
    modelBinding: copyTexts("modelBinding", modelBinding),
    modelReplayPolicy: copyField(
      "modelReplayPolicy",
      modelReplayPolicy,
      memberShape(REPLAY_POLICIES),
    ),
    onUnknownUsage: copyUnknownUsage(onUnknownUsage, budget),
    maxConcurrentActions: copyField(
      "maxConcurrentActions",
      maxConcurrentActions,
      wholeNumberShape(1),
    ),
    fingerprints: copyTexts("fingerprints", fingerprints),
    derivedFrom: copyOrigin(runId, spec.derivedFrom),
    parent: copyParent(parent),
    cancelGraceMs: copyField("cancelGraceMs", cancelGraceMs, wholeNumberShape(0, LONGEST_TIMER_MS)),
  }));
  if (request.contextPolicy !== undefined) requireRoom(request.contextPolicy, fixedChars(request));
  MADE.add(request);
  return request;
}

/** A request that a verb was given. What {@link defineRun} has not made, such as `{...request, budget}`, is checked as by it. */
export function admitRequest(request: RunRequest): RunRequest {
  if (MADE.has(request)) return request;
  requireMade("request", request, "defineRun", MADE_FIELDS);
  return defineRun(request);
}

function checkTools(tools: VisibleTools): void {
  if (Array.isArray(tools)) {
    throw new InvalidRequestError(
      "tools",
      tools,
      "an array is no registry: use ToolRegistry.of([…])",
    );
  }
  const own = Object(tools).executor === undefined ? [] : ["executor"];
  requirePort("tools", tools, ["schemaForModel", "toolDigest", ...own]);
  copyField("tools.names", tools.names, arrayShape(listedNameShape));
}

/** The executor that is given, or that of the tools; it reaches no tool that is hidden from the model. */
function executorOf({ executor, tools }: RunSpec): ActionExecutor {
  const used = executor === undefined ? tools?.executor?.() : executor;
  if (used === undefined) {
    const detail = "a run needs one, or tools that have one (ToolRegistry.of([…]))";
    throw new InvalidRequestError("executor", used, detail);
  }
  requirePort("executor", used, ["execute", "parameters"]);
  if (used.toolNames !== undefined) {
    const names = copyField("executor.toolNames", used.toolNames, arrayShape(stringShape));
    const hidden = tools && names.filter((name) => !tools.names.includes(name));
    if (hidden !== undefined && hidden.length > 0) {
      const detail = "the executor dispatches to tools that are not among the visible ones: " +
        "leave it out, or take that of the same registry";
      throw new InvalidRequestError("executor.toolNames", hidden, detail);
    }
  }
  return used;
}
