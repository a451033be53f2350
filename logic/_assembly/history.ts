import {
  type ActionRecord,
  type ContentBlock,
  type ContextStage,
  deepFreeze,
  historyCallId,
  type Message,
  present,
  type StepRecord,
  textMessage,
  type ToolProtocol,
} from "../../types/mod.ts";
import { fillTemplate, type ObservationTemplate } from "./observation_template.ts";

/** How history is written. */
export interface HistoryStyle {
  readonly protocol: ToolProtocol;
  readonly template: ObservationTemplate;
  /** How many steps of other runs the context holds: the ids of tool calls are numbered from there. */
  readonly historySteps: number;
}

/** A message of history: a part of a step, or what stands for several. */
export interface HistoryMessage {
  readonly part: "assistant" | "observation" | "notice";
  readonly message: Message;
  /** The action whose result it is, by its place. Absent: it is no action's. */
  readonly ordinal?: number;
  /** What it is the notice of. Absent: nothing of it is edited. */
  readonly edit?: MessageEdit;
}

/** What an edit made of a message. */
export interface MessageEdit {
  readonly stage: ContextStage["kind"];
  /** The size of what it stands for, in code points. */
  readonly originalSize: number;
}

/**
 * The messages that a recorded step adds to history: what the model said and what it was shown; under the native
 * protocol its tool calls, each with its result.
 */
export function historyMessages(step: StepRecord, style: HistoryStyle): readonly HistoryMessage[] {
  const native = style.protocol === "native" && step.actions.length > 0;
  const messages = native
    ? nativeMessages(step, style.historySteps + step.stepIndex)
    : [...assistantText(step), ...observationText(step, style.template)];
  return messages.map((shown) => ({ ...shown, message: deepFreeze(shown.message) }));
}

/** The messages of the step that has this place in the conversation. */
function nativeMessages(step: StepRecord, place: number): readonly HistoryMessage[] {
  const text: ContentBlock[] = step.historyText === undefined || step.historyText === ""
    ? []
    : [{ type: "text", text: step.historyText }];
  const calls = step.actions.map((action, ordinal) => callBlock(place, action, ordinal));
  const assistant: Message = present({
    role: "assistant" as const,
    content: [...text, ...calls],
    providerData: step.reply?.providerData,
  });
  return [
    { part: "assistant", message: assistant },
    ...step.actions.map((action, ordinal) => toolMessage(place, action, ordinal)),
  ];
}

/** By the native protocol each action has its tool call: the grammar of a log says so. */
function callBlock(
  place: number,
  { actionId, toolCall }: ActionRecord,
  ordinal: number,
): ContentBlock {
  if (toolCall === undefined) {
    throw new TypeError(`Cannot show an action as a tool call as it came from none: "${actionId}"`);
  }
  const { name, arguments: args } = toolCall;
  return {
    type: "tool_call",
    toolCallId: historyCallId(place, ordinal),
    name,
    arguments: args,
  };
}

function toolMessage(place: number, action: ActionRecord, ordinal: number): HistoryMessage {
  const result: ContentBlock = {
    type: "tool_result",
    toolCallId: historyCallId(place, ordinal),
    text: action.observation,
    isError: action.status !== "executed" || action.failed,
  };
  return { part: "observation", ordinal, message: { role: "tool", content: [result] } };
}

function assistantText(step: StepRecord): readonly HistoryMessage[] {
  if (step.historyText === undefined) return [];
  return [{ part: "assistant", message: textMessage("assistant", step.historyText) }];
}

function observationText(
  step: StepRecord,
  template: ObservationTemplate,
): readonly HistoryMessage[] {
  const [action] = step.actions;
  const observation = action?.observation ?? step.observation;
  if (observation === undefined) return [];
  return [present({
    part: "observation" as const,
    ordinal: action && 0,
    message: textMessage("user", fillTemplate(template, observation)),
  })];
}
