import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../types/mod.ts";

/** What becomes of the texts of a record. */
export interface TextMap {
  /** A text, or the key of a map. */
  text(text: string): string;
  /** A text that must hold no comma of its own, since commas separate names there. */
  listed(text: string): string;
  /** A text of JSON that a model wrote. */
  raw(text: string): string;
  /** A value of any shape. */
  value(value: JsonValue): JsonValue;
  /** A digest of what the log held. */
  digest(digest: string): string;
}

/** Fields at the top of a record that hold the log's own words, ids, times and origins. */
const OWN_FIELDS = new Set([
  "abandoned",
  "actionId",
  "at",
  "callId",
  "derivedFrom",
  "effect",
  "outcome",
  "parent",
  "purpose",
  "reason",
  "redactedFrom",
  "replayPolicy",
  "runId",
  "stage",
  "status",
  "stopConditions",
  "stopReason",
  "type",
]);

/** Fields inside a record that tell a union's members apart. */
const OWN_WORDS = new Set(["finishReason", "kind", "role", "type"]);

/** Fields that hold a value of any shape. */
const ANY_SHAPE = new Set(["action", "answer", "arguments", "parameters", "providerData"]);

/** A record with its texts mapped; words, ids, times and numbers of the log's own stay as they are. */
export function mapRecord(record: JsonObject, map: TextMap): JsonObject {
  return mapEntries(record, (key, value) => {
    if (OWN_FIELDS.has(key)) return value;
    if (key === "promptDigest" || key === "contextDigest") {
      return typeof value === "string" ? map.digest(value) : value;
    }
    return key === "parameters" && isJsonObject(value)
      ? mapSettings(value, map)
      : mapField(key, value, map);
  });
}

function mapField(key: string, value: JsonValue, map: TextMap): JsonValue {
  if (ANY_SHAPE.has(key)) return map.value(value);
  if (typeof value === "string") {
    if (OWN_WORDS.has(key)) return value;
    if (key === "rawArguments") return map.raw(value);
    return key === "entryId" ? map.listed(value) : map.text(value);
  }
  if (isJsonArray(value)) return value.map((item) => mapField(key, item, map));
  if (!isJsonObject(value)) return value;
  return key === "injections"
    ? Object.fromEntries(
      Object.entries(value).map((
        [channel, entries],
      ) => [map.text(channel), mapField("", entries, map)]),
    )
    : mapEntries(value, (name, member) => mapField(name, member, map));
}

function mapEntries(
  object: JsonObject,
  change: (key: string, value: JsonValue) => JsonValue,
): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [key, change(key, value)]),
  );
}

/** Settings that decide how a log is read: its limits, policies and origin. */
const OWN_SETTINGS =
  /^request\.(?:budget\.|cancel_grace_ms$|model_replay_policy$|on_unknown_usage$|max_concurrent_actions$|tool_protocol$|derived_from\.|context_policy\.(?!.*(?:notice|instruction|pinned_tools)$))/;

/** Settings that are lists of names. */
const LISTS = /^request\.(?:tools$|injected_entry_ids\.|context_policy\.pinned_tools$)/;

/** What a setting's name begins with, where the rest of it is a name that a user gave. */
const NAMED =
  /^(definition\.(?:model|interpreter|store|events|executor)\.|request\.(?:executor|binding|fingerprint|tool_digest|injected_entry_ids)\.)(.*)$/s;

const DIGEST = /^sha256:[0-9a-f]{64}$/;

function mapSettings(settings: JsonObject, map: TextMap): JsonObject {
  return Object.fromEntries(
    Object.entries(settings).map(([key, value]) => {
      if (OWN_SETTINGS.test(key) || typeof value !== "string") return [key, value];
      const [, start = key, name = ""] = NAMED.exec(key) ?? [];
      const text = DIGEST.test(value)
        ? map.digest(value)
        : LISTS.test(key)
        ? map.listed(value)
        : map.text(value);
      return [start + map.text(name), text];
    }),
  );
}

/** A value of any shape with its texts, keys and numbers mapped. */
export function mapJson(
  value: JsonValue,
  map: { text(text: string): string; number(value: number): JsonValue },
): JsonValue {
  if (typeof value === "string") return map.text(value);
  if (typeof value === "number") return map.number(value);
  if (isJsonArray(value)) return value.map((item) => mapJson(item, map));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [map.text(key), mapJson(member, map)]),
  );
}
