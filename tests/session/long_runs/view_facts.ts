import { assert, assertEquals } from "@std/assert";
import { historyMessages } from "../../../logic/_assembly/mod.ts";
import type { ContextPolicy, Message } from "../../../mod.ts";
import { rebuildCall, type RebuiltCall, type RunLog } from "../../../session/mod.ts";
import { historyStyleOf } from "../../../session/_reading/assembly_of_log.ts";
import type { ContextEditRecord, StepRecord } from "../../../types/mod.ts";

/** A step's call, what was sent, and how many edits there were by then. */
interface ViewedCall extends RebuiltCall {
  readonly edits: number;
}

/** What the prompts of a run have in common, whatever its policy is and however it went. */
export function assertViews(log: RunLog, policy: ContextPolicy): void {
  const head = rebuildCall(log, 0).messages;
  const viewed = log.calls.flatMap(({ purpose, edits }, i): readonly ViewedCall[] =>
    purpose === undefined ? [{ ...rebuildCall(log, i), edits }] : []
  );
  for (const [i, call] of viewed.entries()) {
    const history = call.messages.slice(head.length);
    assertEquals(call.messages.slice(0, head.length), head, "the task is in every prompt");
    assertKept(log, call.stepIndex, history, policy);
    assertWholeProviderData(log, history);
    const before = viewed[i - 1];
    if (before !== undefined) assertOnlyTakenAway(log, before, call);
  }
}

/** The messages of steps before any edit. */
function wholeMessages(log: RunLog, steps: readonly StepRecord[]): readonly Message[] {
  const style = historyStyleOf(log.started);
  return steps.flatMap((step) => historyMessages(step, style).map(({ message }) => message));
}

/** The first steps, the last ones and those with an action of a pinned tool are shown as they were recorded. */
function assertKept(
  log: RunLog,
  stepIndex: number,
  history: readonly Message[],
  { keepFirstSteps = 0, keepLastSteps, pinnedTools = [] }: ContextPolicy,
): void {
  const steps = log.steps.slice(0, stepIndex);
  const first = wholeMessages(log, steps.slice(0, keepFirstSteps));
  assertEquals(history.slice(0, first.length), first);
  const last = wholeMessages(log, steps.slice(-keepLastSteps));
  assertEquals(history.slice(history.length - last.length), last);
  const texts = history.map((message) => JSON.stringify(message));
  const pinned = steps.filter(({ actions }) =>
    actions.some(({ toolName = "" }) => pinnedTools.includes(toolName))
  );
  for (const step of pinned) {
    const own = wholeMessages(log, [step]).map((message) => JSON.stringify(message));
    const isThere = texts.some((_, at) => own.every((text, i) => texts[at + i] === text));
    assert(isThere, `step ${step.stepIndex} is pinned`);
  }
}

/** What a provider needs back is there with the message that it came with, or not at all. */
function assertWholeProviderData(log: RunLog, history: readonly Message[]): void {
  const recorded = new Set(wholeMessages(log, log.steps).map((message) => JSON.stringify(message)));
  for (const message of history) {
    if (message.providerData !== undefined) assert(recorded.has(JSON.stringify(message)));
  }
}

/** Between two calls a prompt grows at its end alone, or is edited: and an edit only takes away. */
function assertOnlyTakenAway(log: RunLog, before: ViewedCall, call: ViewedCall): void {
  const edits = log.edits.slice(before.edits, call.edits)
    .filter((edit): edit is ContextEditRecord => edit.type === "context_edit");
  for (const { beforeChars, afterChars } of edits) assert(afterChars < beforeChars);
  const now = editedSteps(call);
  for (const step of editedSteps(before)) assert(now.has(step), `step ${step} was restored`);
  if (edits.length > 0) return;
  assertEquals(call.messages.slice(0, before.messages.length), before.messages);
}

function editedSteps({ edited }: RebuiltCall): ReadonlySet<number> {
  return new Set(
    edited.flatMap(({ steps: [from, to] }) =>
      Array.from({ length: to - from + 1 }, (_, i) => from + i)
    ),
  );
}

/**
 * What a pass comes to that may drop any step but the last ones: its target, or a prompt of which nothing is left but
 * notices and those.
 */
export function assertTargets(
  log: RunLog,
  { targetChars, triggerChars, keepLastSteps }: ContextPolicy,
): void {
  const head = rebuildCall(log, 0).messages.length;
  for (const [i, { purpose, stepIndex, edits }] of log.calls.entries()) {
    if (purpose !== undefined) continue;
    const { promptChars, messages, edited } = rebuildCall(log, i);
    const hasPass = log.edits.slice(0, edits).some((edit) => edit.stepIndex === stepIndex);
    if (promptChars <= (hasPass ? targetChars : triggerChars)) continue;
    const last = wholeMessages(
      log,
      log.steps.slice(Math.max(0, stepIndex - keepLastSteps), stepIndex),
    );
    const isNotice = new Set(edited.map(({ message }) => message));
    const left = messages.slice(head, messages.length - last.length)
      .filter((_, at) => !isNotice.has(head + at));
    assertEquals(left, [], `step ${stepIndex} could have been edited more`);
  }
}
