import type { Interpretation, ModelDelta } from "../../ports/mod.ts";
import {
  type ActionOutcome,
  actionOutcomeShape,
  answerShape,
  arrayShape,
  booleanShape,
  type CheckedShape,
  checkShape,
  copyShaped,
  decisionShape,
  eitherShape,
  errorInfo,
  literalShape,
  memberShape,
  type ModelReply,
  modelReplyShape,
  objectShape,
  optionalField,
  parsedLinesOf,
  PortContractError,
  REPLAY_POLICIES,
  type ReplayPolicy,
  type Shape,
  stringShape,
  type ToolProtocol,
  type ToolSchema,
  toolSchemaShape,
  unionShape,
} from "../../types/mod.ts";
import type { VisibleTools } from "../define_run.ts";
import type { ApprovalAnswer, UnknownActionAnswer } from "../run_options.ts";

/** A model's reply, copied and checked. Throws a {@link PortContractError} for anything else. */
export function admitReply(value: unknown): ModelReply {
  return admit("model.call", value, modelReplyShape);
}

type Restart = Extract<ModelDelta, { readonly kind: "restart" }>;

const deltaShape: Shape<ModelDelta> = eitherShape(
  isRestart,
  objectShape<Restart>({ kind: literalShape("restart") }),
  objectShape<Exclude<ModelDelta, Restart>>({
    kind: memberShape(["text", "reasoning"]),
    text: stringShape,
  }),
);

function isRestart(delta: unknown): boolean {
  return Object(delta).kind === "restart";
}

/** A piece of a reply, copied; nothing for what is none: it is not told, and never thrown back at the model. */
export function admitDelta(value: unknown): ModelDelta | undefined {
  try {
    const { kind, text } = Object(value);
    const checked = checkShape(kind === "restart" ? { kind } : { kind, text }, deltaShape);
    return checked.ok ? checked.value : undefined;
  } catch {
    return undefined;
  }
}

/** A log's lines, copied and checked, unless the library itself made the array of them and froze it. */
export function admitLines(value: readonly string[]): readonly string[] {
  if (parsedLinesOf(value) !== undefined) return value;
  return admit("store.readRun", value, arrayShape(stringShape));
}

/** What a model may see of a run's tools, copied and checked: of those that the snapshot names, and of no other. */
export function admitTools(tools: VisibleTools): readonly ToolSchema[] {
  const port = "tools.schemaForModel";
  const schemas = admit(port, tools.schemaForModel(), arrayShape(toolSchemaShape));
  const { names } = tools;
  if (schemas.length === names.length && schemas.every(({ name }, i) => name === names[i])) {
    return schemas;
  }
  throw new PortContractError(
    port,
    "$",
    `it must have the tools ${names.join(", ")} in this order`,
  );
}

/** An executor's outcome, copied and checked. Throws a {@link PortContractError} for anything else. */
export function admitOutcome(value: unknown): ActionOutcome {
  const port = "executor.execute";
  const outcome = admit(port, value, actionOutcomeShape);
  if (outcome.status === "environment_failed" && outcome.observation !== "") {
    // The library's own words beside an error are those for a throw, and a log must tell the two apart.
    if (outcome.error !== undefined && outcome.observationSynthetic) {
      const detail = "what has an error tells it in the environment's own words, or in none";
      throw new PortContractError(port, "$.observationSynthetic", detail);
    }
  }
  return outcome;
}

const interpretationShape: Shape<Interpretation> = objectShape({
  decision: decisionShape,
  historyText: stringShape,
});

/**
 * An interpretation, copied, checked, and held against the protocol: under `native` each action has its tool call;
 * under `text` there is one action, and a decision with several is an invalid one.
 */
export function admitInterpretation(
  value: unknown,
  protocol: ToolProtocol,
  severalActions: string,
): Interpretation {
  const port = "interpreter.interpret";
  const admitted = admit(port, value, interpretationShape);
  if (admitted.decision.kind === "invalid" && admitted.decision.synthetic) {
    throw new PortContractError(port, "$.decision.synthetic", "only the library itself may set it");
  }
  if (admitted.decision.kind !== "action") return admitted;
  const { actions } = admitted.decision;
  if (protocol === "native") {
    const bare = actions.findIndex(({ toolCall }) => toolCall === undefined);
    if (bare < 0) return admitted;
    const path = `$.decision.actions[${bare}].toolCall`;
    const detail =
      'an action without its tool call does not fit the tool protocol "native" (an interpreter ' +
      'of tool calls, such as nativeToolsInterpreter, gives it; the others go with "text")';
    throw new PortContractError(port, path, detail);
  }
  if (actions.length === 1) return admitted;
  const { historyText } = admitted;
  const explanation = severalActions;
  return {
    decision: Object.freeze({ kind: "invalid", explanation, synthetic: true }),
    historyText,
  };
}

type Allowance = Extract<ApprovalAnswer, { readonly allow: true }>;
type Refusal = Extract<ApprovalAnswer, { readonly allow: false }>;

const approvalShape: Shape<ApprovalAnswer> = eitherShape(
  (value) => Object(value).allow === false,
  objectShape<Refusal>({ allow: answerShape(false), reason: optionalField(stringShape) }),
  objectShape<Allowance>({ allow: answerShape(true) }),
);

const APPROVAL_FORM = "{allow: true}, {allow: false} or {allow: false, reason: string}";

/** What `approveAction` answered, copied and checked. */
export function admitApproval(value: unknown): ApprovalAnswer {
  return admit("approveAction.decide", value, approvalShape, APPROVAL_FORM);
}

const resolutionShape: Shape<UnknownActionAnswer> = unionShape("kind", {
  happened: objectShape({ kind: literalShape("happened"), outcome: actionOutcomeShape }),
  did_not_happen: objectShape({ kind: literalShape("did_not_happen") }),
  unknown: objectShape({ kind: literalShape("unknown") }),
});

const RESOLUTION_FORM =
  '{kind: "happened", outcome}, {kind: "did_not_happen"} or {kind: "unknown"}';

/** What `resolveUnknownAction` answered, copied and checked. */
export function admitResolution(value: unknown): UnknownActionAnswer {
  return admit("resolveUnknownAction.resolve", value, resolutionShape, RESOLUTION_FORM);
}

const replayPolicyShape: Shape<ReplayPolicy> = memberShape(REPLAY_POLICIES);

/** An executor's word on replaying an action. */
export function admitReplayPolicy(value: unknown): ReplayPolicy {
  return admit("executor.replayPolicy", value, replayPolicyShape);
}

/** An executor's word on whether an action may run at the same time as others. */
export function admitConcurrent(value: unknown): boolean {
  return admit("executor.concurrent", value, booleanShape);
}

/** An executor's word on whether a tool completes the run. */
export function admitCompletes(value: unknown): boolean {
  return admit("executor.completes", value, booleanShape);
}

/** Takes what a port gave, or says what is wrong with it; with the whole form, where people write the port by hand. */
function admit<T>(port: string, value: unknown, shape: Shape<T>, form?: string): T {
  let copied: CheckedShape<T>;
  try {
    copied = copyShaped(value, shape);
  } catch (cause) {
    throw new PortContractError(port, "$", `reading it threw ${errorInfo(cause).message}`, {
      cause,
    });
  }
  if (copied.ok) return copied.value;
  const { path, reason } = copied.fault;
  const detail = form === undefined ? reason : `${reason} (it must be ${form})`;
  throw new PortContractError(port, `$${path}`, detail);
}
