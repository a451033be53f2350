import { runsBeside } from "../../logic/_recovery/mod.ts";
import { frameRecords } from "../../logic/serialization/log_codec.ts";
import type { DecodedEntry } from "../../logic/serialization/mod.ts";
import { LOG_SCHEMA, type LogRecord } from "../../types/mod.ts";
import type { RecordFault } from "./record_fault.ts";

/**
 * Why an entry whose records may stand where they do is not one that the kernel wrote: its line is not the one that its
 * records give, so that other readers may find something else in it, or it goes on after an intent, which is written
 * before anything is done.
 */
export function entryFault(entry: DecodedEntry, line: string): RecordFault | undefined {
  const { schema, seq, prev, records } = entry;
  const first = records.findIndex(isIntent);
  const intents = first === -1 ? [] : records.slice(first);
  if (!intents.every((record, i) => i === 0 || runsBeside(record, intents[i - 1]))) {
    const reason = records.filter(isIntent).length > 1
      ? "it has two intents"
      : "it goes on after its intent";
    return { check: "grammar", reason };
  }
  // What a later minor added is kept as it stands, and cannot be written again.
  if (schema !== LOG_SCHEMA || frameRecords(seq, prev, records).line === line) return undefined;
  return { check: "records", reason: "its line is not the one that its records give" };
}

function isIntent(record: LogRecord): boolean {
  return record.type === "model_call_intent" || record.type === "action_intent";
}
