import {
  type ActionIntentRecord,
  type ActionRecord,
  type ActionResultRecord,
  deepFreeze,
  present,
} from "../../types/mod.ts";
import {
  actionResults,
  type DecidedStep,
  endsStep,
  type InStep,
  type OpenAction,
  type Position,
  type UnsettledAction,
  unsettledActions,
} from "./position.ts";

/** The position after an action's intent, or why it cannot stand there. */
export function afterActionIntent(
  position: InStep,
  intent: ActionIntentRecord,
): Position | string {
  const { open } = position;
  if (open.phase !== "decided") return NOT_DECIDED;
  const action = namedAction(open, intent);
  if (typeof action === "string") return action;
  if (actionResults(open).some(endsStep)) return "an action is tried though the step had ended";
  const before = action.state === "intended" ? action.intent : undefined;
  if (intent.attempt !== (before?.attempt ?? 0) + 1) {
    return `an action is attempt ${intent.attempt}`;
  }
  const may = before === undefined || before.replayPolicy === "replayable" ||
    intent.resolvedBy !== undefined;
  if (!may) return "an action is replayed that must not be";
  return withAction(position, open, { ...action, state: "intended", intent });
}

/** The position after an action's result, or why it cannot stand there. */
export function afterActionResult(
  position: InStep,
  result: ActionResultRecord,
): Position | string {
  const { open } = position;
  if (open.phase !== "decided") return NOT_DECIDED;
  const action = namedAction(open, result);
  if (typeof action === "string") return action;
  if (action.state === "waiting" && result.status !== "not_executed") {
    return `an action without an intent is "${result.status}"`;
  }
  const { stepIndex, ordinal, actionId, planned } = action;
  return withAction(position, open, {
    state: "settled",
    stepIndex,
    ordinal,
    actionId,
    planned,
    result: actionRecord(action, result),
  });
}

const NOT_DECIDED = "an action stands in it that was not decided";

/** The action that a record is of: the first without a result. Or why the record is of none. */
function namedAction(
  open: DecidedStep,
  record: ActionIntentRecord | ActionResultRecord,
): UnsettledAction | string {
  const [action] = unsettledActions(open);
  if (action === undefined) return NOT_DECIDED;
  if (record.ordinal !== action.ordinal) {
    return `action ${record.ordinal} stands where action ${action.ordinal} is`;
  }
  if (record.actionId !== action.actionId) return `an action has the id "${record.actionId}"`;
  return record.resolvedBy !== undefined && action.state === "waiting"
    ? "an action is resolved that was not in question"
    : action;
}

function withAction(position: InStep, open: DecidedStep, action: OpenAction): InStep {
  return { ...position, open: { ...open, actions: open.actions.with(action.ordinal, action) } };
}

function actionRecord(action: UnsettledAction, record: ActionResultRecord): ActionRecord {
  const intent = action.state === "intended" ? action.intent : undefined;
  const { type: _type, stepIndex: _stepIndex, ordinal: _ordinal, actionId, ...result } = record;
  const { action: what, toolName, toolCall } = action.planned;
  const resolvedBy = result.resolvedBy ?? intent?.resolvedBy;
  return deepFreeze({
    ...present({ actionId, action: what, toolName, toolCall, attempts: intent?.attempt ?? 0 }),
    ...result,
    ...present({ resolvedBy }),
  });
}
