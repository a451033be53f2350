import {
  copyField,
  InvalidRequestError,
  objectShape,
  optionalField,
  type ParentAction,
  stringShape,
} from "../../types/mod.ts";

const ACTION_ID = /^(.+)\/s\d+_a\d+$/;

const givenShape = objectShape<{ readonly actionId: string; readonly runId?: string }>({
  actionId: stringShape,
  runId: optionalField(stringShape),
});

/** The action that a run is made by: its id tells its run, and no other can be named beside it. */
export function copyParent(
  parent: Pick<ParentAction, "actionId"> | ParentAction | undefined,
): ParentAction | undefined {
  if (parent === undefined) return undefined;
  const { actionId, runId: named } = copyField("parent", parent, givenShape);
  const [, runId] = ACTION_ID.exec(actionId) ?? [];
  if (runId === undefined) {
    const detail = "it must be the id of an action, as its tool is given it";
    throw new InvalidRequestError("parent.actionId", actionId, detail);
  }
  if (named !== undefined && named !== runId) {
    const detail = `the action belongs to run "${runId}": leave it out`;
    throw new InvalidRequestError("parent.runId", named, detail);
  }
  return Object.freeze({ runId, actionId });
}
