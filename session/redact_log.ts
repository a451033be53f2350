import { frameRecords } from "../logic/serialization/log_codec.ts";
import { decodeLog } from "../logic/serialization/mod.ts";
import {
  arrayShape,
  checkShape,
  copyField,
  copyJson,
  digest,
  InvalidRequestError,
  isJsonObject,
  type LogRecord,
  logRecordShape,
  memberShape,
  present,
  type RedactionNote,
  refuseUnknownFields,
  requireArray,
  type RunStartedRecord,
  stringShape,
} from "../types/mod.ts";
import { findingMap, hidingMap } from "./_redaction/hiding.ts";
import { mapRecord, type TextMap } from "./_redaction/map_texts.ts";
import { allSecrets, patternSecrets, type SecretTexts } from "./_redaction/secret_texts.ts";
import { readLog } from "./read_log.ts";

/** What of a log is hidden, and how. */
export interface RedactionRules {
  /** What they find is hidden, wherever else it stands, too. The flags `g` and `y` bear on nothing. Default: none. */
  readonly patterns?: readonly RegExp[];
  /**
   * JSON pointers (RFC 6901) into the arguments of every tool call, such as `/password`; of an action that is no tool
   * call, into the action. The strings and numbers there are hidden, wherever else they stand, too. Default: none.
   */
  readonly pointers?: readonly string[];
  /** Makes the markers' digests HMACs. Default: none, and the digest of a short text can be guessed by trying. */
  readonly key?: string;
  /**
   * `drop` takes away the digests of prompts, of the context and of tools: who knows all but a short text of a prompt can
   * find that text by its digest. Sixty-four zeros stand for them. Default: `keep`.
   */
  readonly digests?: "keep" | "drop";
}

const FIELDS = { patterns: true, pointers: true, key: true, digests: true };

/**
 * A log with texts of it hidden, to be shown to others. `[redacted: N code points, sha256:…]` stands for each: the same
 * for the same text, so that repeats can be seen. They are hidden wherever the log has a text that a user, a model or a tool
 * gave: messages, arguments with their keys, raw texts, errors, parameters. What the log itself is made of stays:
 * words of its schema, sizes, times, ids, and the hash of the log that it was made from.
 *
 * It is a log for reading, chained anew: `readLog` reads it, and `verifyLog` says what of it cannot be checked. `resume`,
 * `contextAt`, `requestInputs`, `recordedCalls` and `recordedActions` refuse it.
 *
 * A digest tells that a guess is right. So the digest of a short text gives the text away to whoever tries them all, unless
 * `key` is given; so does the digest of a prompt, unless `digests` is `drop`; and so does the hash of the
 * log it was made from, to whoever can guess everything that was hidden at once.
 *
 * @example
 * ```ts
 * import { jsonActionInterpreter } from "@polyloop/polyloop/adapters/json-action-interpreter";
 * import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
 * import { defineAgent, defineRun, readLog, redactLog, run } from "@polyloop/polyloop/session";
 * import { memoryStore } from "@polyloop/polyloop/stores/memory";
 * import { textMessage } from "@polyloop/polyloop/types";
 * import { assert, assertEquals } from "@std/assert";
 *
 * const store = memoryStore();
 * const agent = defineAgent({
 *   model: scriptedModel(['{"final_answer": "it is hunter2"}']),
 *   interpreter: jsonActionInterpreter(),
 *   store,
 * });
 * await run(agent, defineRun({
 *   runId: "ask",
 *   budget: { maxSteps: 3, maxModelCalls: 3, maxPromptChars: 10_000, maxConsecutiveFailures: 1 },
 *   executor: { execute: () => Promise.reject(new Error("no actions")), parameters: () => ({}) },
 *   context: { runLevel: [], goalLevel: [textMessage("user", "The password hunter2 again?")] },
 * }));
 *
 * const lines = redactLog((await store.readRun("ask"))!, { patterns: [/hunter\d/] });
 * assert(!lines.join().includes("hunter2"));
 * assertEquals(String(readLog(lines).finished?.answer).slice(0, 35), "it is [redacted: 7 code points, sha");
 * ```
 *
 * @param lines The log's lines in order, each without LF: what `RunStore.readRun` gives.
 * @param rules What is hidden.
 * @returns The lines of the redacted log, as many as there were.
 * @throws {InvalidRequestError} If there is no array of lines, a rule is not as it must be, or a run's id holds what is to
 * be hidden: an id cannot be.
 * @throws {RunLogCorruptError} If the log is damaged.
 * @throws {SchemaVersionError} For a log that a later version wrote.
 */
export function redactLog(lines: readonly string[], rules: RedactionRules): readonly string[] {
  requireArray("lines", lines);
  const { patterns, pointers, key, digests } = admitRules(rules);
  const { runId, started, logHead } = readLog(lines);
  const entries = decodeLog(runId, lines);
  const found = new Set<string>();
  const finding = findingMap(patternSecrets(patterns), pointers, (text) => found.add(text));
  for (const { records } of entries) records.forEach((record) => mapped(record, finding));
  const secrets = allSecrets(patterns, found);
  refuseIds(started, secrets);
  const hiding = hidingMap({ secrets, key, digests });
  const note: RedactionNote = {
    logHead,
    rules: {
      patterns: patterns.length,
      pointers: pointers.length,
      keyed: key !== undefined,
      digests,
    },
  };
  let prev = digest(runId);
  return Object.freeze(entries.map(({ seq, records }) => {
    const hidden = records.map((record) => {
      const shown = mapped(record, hiding);
      return shown.type === "run_started" ? { ...shown, redactedFrom: note } : shown;
    });
    const entry = frameRecords(seq, prev, hidden);
    prev = entry.hash;
    return entry.line;
  }));
}

function mapped(record: LogRecord, map: TextMap): LogRecord {
  const json = copyJson(record);
  const checked = checkShape(isJsonObject(json) ? mapRecord(json, map) : json, logRecordShape);
  if (checked.ok) return checked.value;
  throw new TypeError(
    `Cannot hide texts of a record as ${checked.fault.path} ${checked.fault.reason}`,
  );
}

function admitRules(
  rules: RedactionRules,
): Required<Omit<RedactionRules, "key">> & Pick<RedactionRules, "key"> {
  refuseUnknownFields(rules, FIELDS, { prefix: "rules." });
  const { patterns = [], key, digests = "keep" } = rules;
  requireArray("rules.patterns", patterns);
  for (const [i, pattern] of patterns.entries()) {
    if (pattern instanceof RegExp) continue;
    throw new InvalidRequestError(`rules.patterns[${i}]`, pattern, "it must be a RegExp");
  }
  const pointers = copyField("rules.pointers", rules.pointers ?? [], arrayShape(stringShape));
  const wrong = pointers.find((pointer) => !/^(?:\/(?:[^~]|~[01])*)?$/s.test(pointer));
  if (wrong !== undefined) {
    const detail = 'it must be a JSON pointer, such as "/password" or "/user/0/name"';
    throw new InvalidRequestError("rules.pointers", wrong, detail);
  }
  if (key !== undefined) copyField("rules.key", key, stringShape);
  copyField("rules.digests", digests, memberShape(["keep", "drop"]));
  return present({ patterns, pointers, key, digests });
}

/** Refuses to hide what a run's id gives away. */
function refuseIds({ runId, derivedFrom, parent }: RunStartedRecord, secrets: SecretTexts): void {
  const ids = [runId, derivedFrom?.runId, derivedFrom?.root, parent?.runId, parent?.actionId];
  const telling = ids.find((id) => id !== undefined && secrets.rangesIn(id).length > 0);
  if (telling === undefined) return;
  const detail = "an id of the log holds what they hide, and ids cannot be hidden: narrow them";
  throw new InvalidRequestError("rules", telling, detail);
}
