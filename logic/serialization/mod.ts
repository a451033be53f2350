/**
 * The codec of a run's log: one entry, one line of JSON, one link of a hash chain. The records in an entry are
 * described in `./types`.
 *
 * @example
 * ```ts
 * import { decodeLog } from "@polyloop/polyloop/serialization";
 * import { RunLogCorruptError } from "@polyloop/polyloop/types";
 * import { assertThrows } from "@std/assert";
 *
 * assertThrows(() => decodeLog("demo", ["not a log"]), RunLogCorruptError, "entry 0");
 * ```
 *
 * @module
 */
export { type DecodedEntry, decodeLog, encodeEntry } from "./log_codec.ts";
