import {
  actionOutcome,
  approval,
  decision,
  modelReply,
  resolution,
  toolSchema,
} from "../logic/serialization/record_shapes.ts";
import { list, object, type Shape, text } from "../logic/serialization/shape.ts";
import type { ActionOutcome, Interpretation, ModelDelta } from "../ports/mod.ts";
import {
  copyJson,
  type Decision,
  errorInfo,
  type ModelReply,
  PortContractError,
  REPLAY_POLICIES,
  type ReplayPolicy,
  SerializationError,
  type ToolSchema,
} from "../types/mod.ts";
import type { VisibleTools } from "./define_run.ts";

/** A model's reply, copied and checked. Throws a {@link PortContractError} for anything else. */
export function admitReply(value: unknown): ModelReply {
  return admit("model.call", value, modelReply);
}

/** A piece of a reply, copied; nothing for what is none: it is not told, and never thrown back at the model. */
export function admitDelta(value: unknown): ModelDelta | undefined {
  try {
    const { kind, text } = Object(value);
    const isDelta = (kind === "text" || kind === "reasoning") && typeof text === "string";
    return isDelta ? { kind, text } : undefined;
  } catch {
    return undefined;
  }
}

/** A log's lines, copied and checked. */
export function admitLines(value: unknown): readonly string[] {
  return admit("store.readRun", value, list(text));
}

/** What a model may see of a run's tools, copied and checked: of those that the snapshot names, and of no other. */
export function admitTools(tools: VisibleTools): readonly ToolSchema[] {
  const port = "tools.schemaForModel";
  const schemas = admit<readonly ToolSchema[]>(port, tools.schemaForModel(), list(toolSchema));
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
export function admitOutcome(value: unknown, port = "executor.execute"): ActionOutcome {
  return admit(port, value, actionOutcome);
}

const interpretation = object({ decision, historyText: text });

/**
 * An interpretation, copied, checked, and held against the protocol: under `native` each action has its tool call;
 * under `text` there is one action, and a decision with several is an invalid one.
 */
export function admitInterpretation(
  value: unknown,
  protocol: "text" | "native",
  severalActions: string,
): Interpretation {
  const port = "interpreter.interpret";
  const admitted = admit<Interpretation>(port, value, interpretation);
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
  const invalid: Decision = Object.freeze({ kind: "invalid", explanation: severalActions });
  return { decision: invalid, historyText: admitted.historyText };
}

/** What `approveAction` answered. */
export type Approval =
  | { readonly allow: true }
  | { readonly allow: false; readonly reason?: string };

/** An approval, copied and checked. */
export function admitApproval(value: unknown): Approval {
  return admit("approveAction.decide", value, approval);
}

/** What `resolveUnknownAction` answered. */
export type Resolution =
  | { readonly kind: "happened"; readonly outcome: ActionOutcome }
  | { readonly kind: "did_not_happen" }
  | { readonly kind: "unknown" };

/** A resolution, copied and checked. */
export function admitResolution(value: unknown): Resolution {
  return admit("resolveUnknownAction.resolve", value, resolution);
}

/** An executor's word on replaying an action. */
export function admitReplayPolicy(value: unknown): ReplayPolicy {
  if (REPLAY_POLICIES.includes(value as ReplayPolicy)) return value as ReplayPolicy;
  throw new PortContractError("executor.replayPolicy", "$", "it must be one of never, replayable");
}

/** An executor's word on whether a tool completes the run. */
export function admitCompletes(value: unknown): boolean {
  if (typeof value === "boolean") return value;
  throw new PortContractError("executor.completes", "$", "it must be true or false");
}

function admit<T>(port: string, value: unknown, shape: Shape): T {
  let copy: unknown;
  try {
    copy = copyJson(value);
  } catch (cause) {
    const { path, reason } = cause instanceof SerializationError
      ? cause
      : { path: "$", reason: `reading it threw ${errorInfo(cause).message}` };
    throw new PortContractError(port, path, reason, { cause });
  }
  const fault = shape(copy, { unknownFields: false });
  if (fault !== undefined) throw new PortContractError(port, `$${fault.path}`, fault.reason);
  return copy as T;
}
