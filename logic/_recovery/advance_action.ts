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
  intendedActions,
  type OpenAction,
  type Position,
  type UnsettledAction,
  type WaitingAction,
  waitingActions,
} from "./position.ts";

/**
 * The position after an action's intent, or why it cannot stand there.
 *
 * @param entry The entry that it stands in.
 */
export function afterActionIntent(
  position: InStep,
  intent: ActionIntentRecord,
  entry: number,
): Position | string {
  const { open, settings } = position;
  if (open.phase !== "decided") return NOT_DECIDED;
  const action = namedAction(open, intent);
  if (typeof action === "string") return action;
  const { attempt, resolvedBy } = intent;
  if (attempt !== action.attempts + 1) return `an action is attempt ${attempt}`;
  const fault = action.state === "waiting" ? turnFault(open, action, entry) : undefined;
  if (fault !== undefined) return fault;
  const may = action.state === "waiting" || action.intent.replayPolicy === "replayable" ||
    resolvedBy !== undefined;
  if (!may) return "an action is replayed that must not be";
  const beside = open.actions.filter((other) => other !== action && isOfEntry(other, entry));
  if (beside.length >= settings.maxConcurrentActions) {
    return `more actions run at once than ${settings.maxConcurrentActions}`;
  }
  const before = resolvedBy === undefined ? action : unbegun(action);
  const attempts = attempt;
  const intended = { ...action, state: "intended", attempts, intent, entry, before } as const;
  return withAction(position, open, intended);
}

/** Why it is not an action's turn: actions begin in order, and only those of one entry run at once. */
function turnFault(
  open: DecidedStep,
  { ordinal }: WaitingAction,
  entry: number,
): string | undefined {
  if (actionResults(open).some(endsStep)) return "an action is tried though the step had ended";
  if (open.actions.some((other) => other.state === "intended" && other.entry !== entry)) {
    return "an action begins though another has no result";
  }
  const first = open.actions.find(({ state }) => state === "waiting");
  return first === undefined || first.ordinal === ordinal
    ? undefined
    : `action ${ordinal} stands where action ${first.ordinal} is`;
}

/** Whether an action has an intent in an entry, and no result. */
function isOfEntry(action: OpenAction, entry: number): boolean {
  return action.state === "intended" && action.entry === entry;
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
  const fault = action.state === "waiting" ? untriedFault(position, open, result) : undefined;
  if (fault !== undefined) return fault;
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

/**
 * Why an action that was not tried cannot have a result here. It has one in its turn; where several actions run at once,
 * also before the intents of those that were to run with it.
 */
function untriedFault(
  { settings: { maxConcurrentActions } }: InStep,
  open: DecidedStep,
  { ordinal, status }: ActionResultRecord,
): string | undefined {
  if (status !== "not_executed") return `an action without an intent is "${status}"`;
  if (intendedActions(open).length > 0) return "an action is refused though another has no result";
  const [first] = waitingActions(open);
  return first === undefined || ordinal < first.ordinal + maxConcurrentActions
    ? undefined
    : `action ${ordinal} stands where action ${first.ordinal} is`;
}

/** The action without a result that a record is of, or why it is of none. */
function namedAction(
  open: DecidedStep,
  record: ActionIntentRecord | ActionWithdrawnRecord | ActionResultRecord,
): UnsettledAction | string {
  const action = open.actions[record.ordinal];
  if (action === undefined) return NOT_DECIDED;
  if (record.actionId !== action.actionId) return `an action has the id "${record.actionId}"`;
  if (action.state === "settled") return `action ${record.ordinal} has its result`;
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
