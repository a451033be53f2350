import type { LogRecord } from "../../types/mod.ts";

/**
 * Whether a record may stand after another one that asks for a barrier: both are intents of actions that run at once,
 * in the order of their decision.
 */
export function runsBeside(record: LogRecord, before: LogRecord | undefined): boolean {
  return record.type === "action_intent" && before?.type === "action_intent" &&
    record.ordinal > before.ordinal;
}
