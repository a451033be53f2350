import {
  type ActionIntentRecord,
  type ActionRecord,
  type ActionResultRecord,
  type ActionWithdrawnRecord,
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
  type WaitingAction,
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
  const { attempt, resolvedBy } = intent;
  if (attempt !== action.attempts + 1) return `an action is attempt ${attempt}`;
  const may = action.state === "waiting" || action.intent.replayPolicy === "replayable" ||
    resolvedBy !== undefined;
  if (!may) return "an action is replayed that must not be";
  const before = resolvedBy === undefined ? action : unbegun(action);
  const intended = { ...action, state: "intended", attempts: attempt, intent, before } as const;
  return withAction(position, open, intended);
}

/** An action as it was before its intents: somebody says that none of them happened. */
function unbegun(action: UnsettledAction): WaitingAction {
  return action.state === "waiting" ? action : unbegun(action.before);
}

/** The position after an action's withdrawal, or why it cannot stand there. */
export function afterActionWithdrawn(
  position: InStep,
  withdrawn: ActionWithdrawnRecord,
): Position | string {
  const { open } = position;
  if (open.phase !== "decided") return NOT_DECIDED;
  const action = namedAction(open, withdrawn);
  if (typeof action === "string") return action;
  const { attempt } = withdrawn;
  const { attempts } = action;
  if (action.state === "waiting" || action.intent.attempt !== attempts || attempt !== attempts) {
    return `attempt ${attempt} of an action is withdrawn, which has not just begun`;
  }
  return withAction(position, open, { ...action.before, attempts });
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
  const { stepIndex, ordinal, actionId, planned, attempts } = action;
  return withAction(position, open, {
    state: "settled",
    stepIndex,
    ordinal,
    actionId,
    planned,
    attempts,
    result: actionRecord(action, result),
  });
}

const NOT_DECIDED = "an action stands in it that was not decided";

/** The action that a record is of: the first without a result. Or why the record is of none. */
function namedAction(
  open: DecidedStep,
  record: ActionIntentRecord | ActionWithdrawnRecord | ActionResultRecord,
): UnsettledAction | string {
  const [action] = unsettledActions(open);
  if (action === undefined) return NOT_DECIDED;
  if (record.ordinal !== action.ordinal) {
    return `action ${record.ordinal} stands where action ${action.ordinal} is`;
  }
  if (record.actionId !== action.actionId) return `an action has the id "${record.actionId}"`;
  return "resolvedBy" in record && record.resolvedBy !== undefined && action.state === "waiting"
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
    ...present({ actionId, action: what, toolName, toolCall, attempts: action.attempts }),
    ...result,
    ...present({ resolvedBy }),
  });
}
