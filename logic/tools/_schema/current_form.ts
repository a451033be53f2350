import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  UnsupportedSchemaError,
} from "../../../types/mod.ts";
import { escapeToken } from "../_json/pointer.ts";
import { currentKeyword } from "./dialects.ts";
import type { Place } from "./references.ts";

/** How many characters all references together may have that are written anew. */
const MAX_REFERENCE_CHARS = 1_000_000;

/**
 * A compiled document as the current dialect writes it: with its keywords, and each reference as a JSON pointer from the
 * root, so that `$schema`, `$id` and `$anchor` are not needed to read it. What means nothing in its own dialect is left
 * out.
 *
 * @throws {UnsupportedSchemaError} If its references are too long as pointers.
 */
export function currentForm(root: Place): JsonValue {
  return new CurrentForm().written(root.value ?? null, root);
}

/** What only says how the rest is to be read. */
const IDENTIFIERS = ["$schema", "$id", "$anchor"];

class CurrentForm {
  /** The pointer of each place in the current form that was asked for. */
  readonly #pointers = new Map<Place, string>();
  #referenceChars = 0;

  /** A value as it is written. Without a place, nothing in it was taken for a schema. */
  written(value: JsonValue, place: Place | undefined): JsonValue {
    if (place === undefined) return value;
    if (isJsonArray(value)) {
      return value.map((item, i) => this.written(item, place.members.get(String(i))));
    }
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, member]): [string, JsonValue][] => {
        const keyword = keyIn(place, key);
        if (keyword === undefined) return [];
        if (key === "dependencies" && keyword !== key && isJsonObject(member)) {
          return this.#dependencies(member, place.members.get(key));
        }
        const to = keyword === "$ref" ? place.target?.reference?.to.place : undefined;
        return [[
          keyword,
          to === undefined
            ? this.written(member, place.members.get(key))
            : this.#reference(to, member),
        ]];
      }),
    );
  }

  /** `dependencies` as the two keywords that the current dialect has for it. */
  #dependencies(given: JsonObject, place: Place | undefined): [string, JsonValue][] {
    const entries = Object.entries(given).map(([name, needed]): [string, JsonValue] => [
      name,
      this.written(needed, place?.members.get(name)),
    ]);
    const lists = entries.filter(([, needed]) => isJsonArray(needed));
    const schemas = entries.filter(([, needed]) => !isJsonArray(needed));
    const both: [string, [string, JsonValue][]][] = [
      ["dependentRequired", lists],
      ["dependentSchemas", schemas],
    ];
    return both.filter(([, part]) => part.length > 0)
      .map(([keyword, part]) => [keyword, Object.fromEntries(part)]);
  }

  /** A reference to a place. One that says just that stays as it is. */
  #reference(to: Place, given: JsonValue): JsonValue {
    const pointer = this.#pointerOf(to);
    if (typeof given === "string" && given.startsWith("#")) {
      if (decodeURIComponent(given.slice(1)) === pointer) return given;
    }
    this.#referenceChars += pointer.length;
    if (this.#referenceChars > MAX_REFERENCE_CHARS) {
      throw new UnsupportedSchemaError(
        to.pointer,
        `all references together have more than ${MAX_REFERENCE_CHARS} characters as JSON pointers`,
      );
    }
    return `#${encodeURI(pointer.toWellFormed()).replaceAll("#", "%23")}`;
  }

  #pointerOf(place: Place): string {
    const known = this.#pointers.get(place);
    if (known !== undefined) return known;
    const pointer = place.within === undefined
      ? ""
      : `${this.#pointerOf(place.within.place)}/${escapeToken(keyOf(place, place.within))}`;
    this.#pointers.set(place, pointer);
    return pointer;
  }
}

/** The key that a place has in the current form, where a reference leads to it or through it. */
function keyOf({ pointer }: Place, { place, key }: NonNullable<Place["within"]>): string {
  const keyword = keyIn(place, key);
  if (keyword !== undefined) return keyword;
  throw new UnsupportedSchemaError(
    pointer,
    "a reference leads here, where it means nothing in its dialect: put what it means into a definition",
  );
}

/** The key that a member of a place has in the current form. Absent: it is not written. */
function keyIn({ target, value }: Place, key: string): string | undefined {
  if (target === undefined || !isJsonObject(value)) return key;
  const { dialect } = target.scope;
  if (IDENTIFIERS.includes(key) || key === dialect.idKeyword) return undefined;
  return currentKeyword(value, key, dialect);
}
