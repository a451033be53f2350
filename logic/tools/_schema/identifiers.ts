import {
  excerpt,
  type JsonObject,
  type JsonValue,
  UnsupportedSchemaError,
} from "../../../types/mod.ts";
import { type Dialect, hidesSiblings } from "./dialects.ts";

/** The URI of a document that does not say its own. */
export const NO_URI = "schema:///";

/** What a schema says about how it is referred to. */
export interface Identifiers {
  /** Its URI, without a fragment. Absent: it is a part of the schema around it. */
  readonly uri: string | undefined;
  /** Its name within that URI. Absent: it has none. */
  readonly anchor: string | undefined;
}

/** How a schema is referred to. */
export function identifiersOf(
  schema: JsonObject,
  pointer: string,
  dialect: Dialect,
  base: string,
): Identifiers {
  if (hidesSiblings(schema, dialect)) return { uri: undefined, anchor: undefined };
  const { idKeyword } = dialect;
  const id = schema[idKeyword];
  const anchor = anchorOf(schema, pointer);
  if (id === undefined) return { uri: undefined, anchor };
  const refuse = (detail: string, options?: ErrorOptions): never => {
    throw new UnsupportedSchemaError(`${pointer}/${idKeyword}`, detail, options);
  };
  if (typeof id !== "string") return refuse(`"${idKeyword}" must be a URI: ${quoted(id)}`);
  const [address, fragment] = splitReference(id);
  if (fragment !== "" && !dialect.isBefore2019) {
    refuse(`a part is named by "$anchor", not by the fragment of ${quoted(id)}`);
  }
  const named = fragment === "" ? anchor : fragment;
  if (address === "") return { uri: undefined, anchor: named };
  try {
    return { uri: resolveUri(address, base), anchor: named };
  } catch (cause) {
    return refuse(`${quoted(id)} is not a URI of at most ${MAX_URI_CHARS} characters`, { cause });
  }
}

function anchorOf(schema: JsonObject, pointer: string): string | undefined {
  const { $anchor } = schema;
  if ($anchor === undefined) return undefined;
  if (typeof $anchor !== "string" || !/^[A-Za-z_][-A-Za-z0-9._]*$/.test($anchor)) {
    throw new UnsupportedSchemaError(
      `${pointer}/$anchor`,
      `an anchor is a letter or "_", then letters, digits, "-", "_" or ".": ${quoted($anchor)}`,
    );
  }
  return $anchor;
}

/** What a reference means: a URI, and a place in what has it, by JSON pointer or anchor. */
export function readReference(
  reference: string,
  pointer: string,
  base: string,
): { readonly uri: string; readonly fragment: string } {
  const [address, fragment] = splitReference(reference);
  const refuse = (reason: string, cause: unknown): never => {
    throw new UnsupportedSchemaError(pointer, reason, { cause });
  };
  let uri = base;
  try {
    if (address !== "") uri = resolveUri(address, base);
  } catch (cause) {
    refuse(
      `the reference ${quoted(reference)} is not a URI of at most ${MAX_URI_CHARS} characters`,
      cause,
    );
  }
  try {
    return { uri, fragment: decodeURIComponent(fragment) };
  } catch (cause) {
    return refuse(
      `the percent-encoding of the reference ${quoted(reference)} is broken`,
      cause,
    );
  }
}

function splitReference(reference: string): [address: string, fragment: string] {
  const start = reference.indexOf("#");
  return start < 0 ? [reference, ""] : [reference.slice(0, start), reference.slice(start + 1)];
}

function quoted(value: JsonValue): string {
  return excerpt(JSON.stringify(value), 200);
}

/** How long a URI in a schema may be: each one is made of the whole one around it. */
const MAX_URI_CHARS = 2_000;

function resolveUri(address: string, base: string): string {
  const uri = new URL(address, base).href;
  if (uri.length > MAX_URI_CHARS) throw new RangeError(`longer than ${MAX_URI_CHARS} characters`);
  return uri;
}
