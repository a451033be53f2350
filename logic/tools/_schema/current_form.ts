import { isJsonArray, isJsonObject, type JsonValue } from "../../../types/mod.ts";
import { escapeToken, memberOf } from "../_json/pointer.ts";
import { currentKeyword, type Dialect } from "./dialects.ts";

/** What is known of a document once it is compiled. */
export interface KnownDocument {
  readonly document: JsonValue;
  /** The dialect of each schema of it, by its JSON pointer. */
  readonly dialects: ReadonlyMap<string, Dialect>;
  /** Where each reference leads, by the JSON pointer of the reference. */
  readonly references: ReadonlyMap<string, string>;
}

/**
 * A document as the current dialect writes it: with its keywords, and each reference as a JSON pointer from the root, so
 * that `$schema`, `$id` and `$anchor` are not needed to read it. What means nothing in its own dialect is left out.
 */
export function currentForm(known: KnownDocument): JsonValue {
  return written(known, known.document, "");
}

/** What only says how the rest is to be read. */
const IDENTIFIERS = ["$schema", "$id", "$anchor"];

function written(known: KnownDocument, value: JsonValue, pointer: string): JsonValue {
  if (isJsonArray(value)) {
    return value.map((item, i) => written(known, item, `${pointer}/${i}`));
  }
  if (!isJsonObject(value)) return value;
  const dialect = known.dialects.get(pointer);
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]): [string, JsonValue][] => {
      const place = `${pointer}/${escapeToken(key)}`;
      if (dialect === undefined) return [[key, written(known, member, place)]];
      if (IDENTIFIERS.includes(key) || key === dialect.idKeyword) return [];
      const keyword = currentKeyword(value, key, dialect);
      if (keyword === undefined) return [];
      const target = known.references.get(place);
      return [[
        keyword,
        target === undefined ? written(known, member, place) : referenceTo(known, target, member),
      ]];
    }),
  );
}

/** A reference to what is at a pointer of the given document. One that says just that stays as it is. */
function referenceTo(known: KnownDocument, target: string, given: JsonValue): JsonValue {
  let value: JsonValue | undefined = known.document;
  let from = "";
  let to = "";
  for (const token of target.split("/").slice(1)) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    const dialect = known.dialects.get(from);
    const keyword = dialect !== undefined && isJsonObject(value)
      ? currentKeyword(value, key, dialect) ?? key
      : key;
    value = value === undefined ? undefined : memberOf(value, key);
    from += `/${token}`;
    to += `/${escapeToken(keyword)}`;
  }
  if (
    typeof given === "string" && given.startsWith("#") && decodeURIComponent(given.slice(1)) === to
  ) {
    return given;
  }
  return `#${encodeURI(to.toWellFormed()).replaceAll("#", "%23")}`;
}
