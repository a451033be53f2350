import { digest, frameLogLine, type LogRecord } from "../../../types/mod.ts";
import { recordsOf } from "../world.ts";

/** What a forger makes of a record: another one, or none. */
export type Forgery = (record: LogRecord, seq: number) => object | undefined;

/** The log of run `r` with other records, each entry hashed anew: what a forger would write. */
export function forged(lines: readonly string[], change: Forgery): readonly string[] {
  let prev = digest("r");
  return recordsOf(lines).map((records, seq) => {
    const changed = records.map((record) => change(record, seq)).filter((r) => r !== undefined);
    const json = changed.map((record) => JSON.stringify(record)).join(",");
    const entry = frameLogLine(seq, prev, json);
    prev = entry.hash;
    return entry.line;
  });
}

/** The log of run `r` with other texts of its entries' records, each entry hashed anew. */
export function rewritten(
  lines: readonly string[],
  change: (recordsJson: string, seq: number) => string,
): readonly string[] {
  let prev = digest("r");
  return lines.map((line, seq) => {
    const json = line.slice(line.indexOf('"records":[') + 11, line.lastIndexOf('],"hash":'));
    const entry = frameLogLine(seq, prev, change(json, seq));
    prev = entry.hash;
    return entry.line;
  });
}
