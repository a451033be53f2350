import {
  absentMarker,
  canonicalJson,
  type ContentBlock,
  type ContextPolicy,
  type ContextStage,
  countCodePoints,
  deepFreeze,
  digest,
  type Message,
  type ModelReply,
  type SummaryFailure,
  textMessage,
} from "../../types/mod.ts";
import type { HistoryStyle } from "./history.ts";
import type { HistoryUnit } from "./history_unit.ts";

/** The stage of a kind. */
export type StageOf<Kind extends ContextStage["kind"]> = Extract<
  ContextStage,
  { readonly kind: Kind }
>;

/**
 * The prompt of a call that sums up steps: the instruction, and the steps as text between lines that it cannot imitate,
 * as it is data and no instruction. Steps are numbered as the conversation counts them.
 */
export function summaryPrompt(
  { instruction }: StageOf<"summarise">,
  units: readonly HistoryUnit[],
  historySteps: number,
): readonly Message[] {
  const text = units.map((unit) => unitText(unit, historySteps)).join("\n\n");
  const marker = absentMarker(text, digest(text));
  const fenced = `[steps: ${marker}]\n${text}\n[end of steps: ${marker}]`;
  return deepFreeze([textMessage("system", instruction), textMessage("user", fenced)]);
}

/** The prompt of the call that summed up these steps. Absent: they do not stand in the prompt so. */
export function recordedSummaryPrompt(
  { stages }: ContextPolicy,
  { units, style }: { readonly units: readonly HistoryUnit[]; readonly style: HistoryStyle },
  [from, to]: HistoryUnit["steps"],
): readonly Message[] | undefined {
  const stage = stages.find((stage) => stage.kind === "summarise");
  const first = units.findIndex(({ steps }) => steps[0] === from);
  const last = units.findIndex(({ steps }) => steps[1] === to);
  if (stage === undefined || first === -1 || last < first) return undefined;
  return summaryPrompt(stage, units.slice(first, last + 1), style.historySteps);
}

function unitText({ steps, messages }: HistoryUnit, historySteps: number): string {
  const [from, to] = steps.map((step) => historySteps + step);
  const place = from === to ? `step ${from}` : `steps ${from} to ${to}`;
  return messages.map(({ part, message }) =>
    `[${place}, ${part}]\n${message.content.map(blockText).join("\n")}`
  ).join("\n");
}

function blockText(block: ContentBlock): string {
  return block.type === "tool_call"
    ? `${block.name} ${canonicalJson(block.arguments)}`
    : block.text;
}

/** The summary that a reply is, or why it is none. */
export function judgeSummary(
  { text, finishReason = "stop", toolCalls = [] }: ModelReply,
  { maxSummaryChars }: StageOf<"summarise">,
): { readonly summary: string } | { readonly reason: SummaryFailure } {
  if (finishReason !== "stop" || toolCalls.length > 0) return { reason: "unusable_reply" };
  if (text.trim() === "") return { reason: "empty" };
  return countCodePoints(text) > maxSummaryChars ? { reason: "too_long" } : { summary: text };
}
