import { defineTool, type Tool, ToolRegistry, type ToolTexts } from "../../../logic/tools/mod.ts";
import type { ActionExecutor } from "../../../ports/mod.ts";
import type { ActionOutcome, JsonValue } from "../../../types/mod.ts";

/** A tool that returns the result. */
export function returning(result: unknown, more: { maxObservationChars?: number } = {}): Tool {
  return defineTool({
    name: "give",
    description: "Gives.",
    parameters: { type: "object" },
    execute: () => result,
    ...more,
  });
}

/** A tool that throws the error. */
export function throwing(error: unknown): Tool {
  return defineTool({
    name: "give",
    description: "Throws.",
    parameters: { type: "object" },
    execute: () => {
      throw error;
    },
  });
}

/** What the executor makes of an action. */
export function execute(
  executor: ActionExecutor,
  action: JsonValue,
  signal: AbortSignal = new AbortController().signal,
): Promise<ActionOutcome> {
  return executor.execute({ action, actionId: "run/s0_a0", attempt: 2, signal });
}

/** An outcome without the stack of its error, which names this machine's files. */
export function withoutStack(outcome: ActionOutcome): unknown {
  const { stack: _, ...error } = outcome.status === "not_executed" ? {} : outcome.error ?? {};
  return { ...outcome, ...("error" in outcome && { error }) };
}

/** What comes of a call of the tool. */
export function outcomeOf(tool: Tool, texts: Partial<ToolTexts> = {}): Promise<ActionOutcome> {
  return execute(ToolRegistry.of([tool]).executor({ texts }), { tool: "give", arguments: {} });
}
