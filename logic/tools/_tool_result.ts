import {
  type ActionOutcome,
  cutWithNotice,
  EnvironmentError,
  errorInfo,
  errorInfoWithStack,
  fillText,
  SerializationError,
  writtenJson,
} from "../../types/mod.ts";
import { ToolOutcome } from "./_made_outcome.ts";
import type { Tool } from "./define_tool.ts";
import type { ToolTexts } from "./tool_texts.ts";

/** Of an observation that the executor wrote itself. */
export const OWN_WORDS = { observationSynthetic: true, truncatedChars: 0 } as const;

const SUCCEEDED = { status: "executed", failed: false, completed: false } as const;
const FAILED = { status: "executed", failed: true, completed: false } as const;

/** What became of an action whose tool returned. */
export function resultOutcome(tool: Tool, result: unknown, texts: ToolTexts): ActionOutcome {
  if (result instanceof Error) return thrownOutcome(tool, result, texts);
  if (result instanceof ToolOutcome) return shortened(tool, result.outcome, texts);
  if (result === undefined) {
    const observation = fillText(texts.noResult, { tool: tool.name });
    return { ...SUCCEEDED, observation, ...OWN_WORDS };
  }
  try {
    const text = typeof result === "string" ? result : JSON.stringify(writtenJson(result));
    return { ...SUCCEEDED, ...cut(tool, text, texts), observationSynthetic: false };
  } catch (error) {
    const text = fillText(texts.unshowableResult, { tool: tool.name, detail: faultOf(error) });
    return {
      ...FAILED,
      ...cut(tool, text, texts),
      observationSynthetic: true,
      error: errorInfo(error),
    };
  }
}

/** Where a result is not JSON, and why. */
function faultOf(error: unknown): string {
  if (!(error instanceof SerializationError)) return thrownText(error);
  const { path, reason, cause } = error;
  return `${path}: ${reason}${cause === undefined ? "" : `, ${thrownText(cause)}`}`;
}

function thrownText(thrown: unknown): string {
  const { name, message } = errorInfo(thrown);
  return `${name}: ${message}`;
}

/** What became of an action whose tool threw. */
export function thrownOutcome(tool: Tool, thrown: unknown, texts: ToolTexts): ActionOutcome {
  const error = errorInfoWithStack(thrown);
  const { name, message } = error;
  const text = fillText(texts.error, { name, message });
  const observed = { ...cut(tool, text, texts), observationSynthetic: false, error };
  return thrown instanceof EnvironmentError
    ? { status: "environment_failed", ...observed }
    : { ...FAILED, ...observed };
}

/** What became of an action whose tool did not end. */
export function givenUpOutcome(
  { name: tool }: Tool,
  timeoutMs: number,
  texts: ToolTexts,
): ActionOutcome {
  const observation = fillText(texts.timedOut, { tool, timeoutMs });
  return { status: "environment_failed", effect: "unknown", observation, ...OWN_WORDS };
}

function shortened(tool: Tool, outcome: ActionOutcome, texts: ToolTexts): ActionOutcome {
  const { observation, truncatedChars } = cut(tool, outcome.observation, texts);
  return { ...outcome, observation, truncatedChars: outcome.truncatedChars + truncatedChars };
}

function cut(
  tool: Tool,
  text: string,
  texts: ToolTexts,
): Pick<ActionOutcome, "observation" | "truncatedChars"> {
  const limit = tool.maxObservationChars ?? Infinity;
  const { text: observation, truncatedChars } = cutWithNotice(text, limit, texts.truncationNotice);
  return { observation, truncatedChars };
}
