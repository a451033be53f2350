import { type JsonObject, type JsonValue, UnsupportedSchemaError } from "../../../types/mod.ts";
import { escapeToken, memberOf } from "../_json/pointer.ts";
import type { Node } from "./run.ts";

/** A schema of the document. */
export interface Target extends Node {
  /** Where it is in the document. */
  readonly pointer: string;
  /** The schema itself, or what stands in its place. */
  readonly schema: JsonValue | undefined;
  /** The keyword that it stands under. */
  readonly keyword: string;
  /** What it applies to the very value that it is itself applied to. */
  readonly inPlace: Link[];
}

/** A schema that is meant; by a reference it is known only in the end. */
export interface Link {
  to: Target;
}

const DIALECT = "https://json-schema.org/draft/2020-12/schema";
const DYNAMIC = ["$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor"];

/** Refuses what would need another dialect, base URIs or dynamic scope. */
export function refuseUnsupported(schema: JsonObject, pointer: string): void {
  const refuse = (keyword: string, detail: string) => {
    throw new UnsupportedSchemaError(`${pointer}/${keyword}`, detail);
  };
  const { $schema, $id } = schema;
  if ($schema !== undefined && $schema !== DIALECT && $schema !== `${DIALECT}#`) {
    refuse("$schema", `its dialect is unknown: ${JSON.stringify($schema)}, use "${DIALECT}"`);
  }
  if ($id !== undefined && (pointer !== "" || typeof $id !== "string")) {
    refuse(
      "$id",
      `only the whole schema may have an "$id", a string: name parts of it by "$anchor"`,
    );
  }
  for (const keyword of DYNAMIC) {
    if (Object.hasOwn(schema, keyword)) {
      refuse(keyword, `"${keyword}" is not supported: use "$ref" and "$anchor"`);
    }
  }
}

/** The name that a schema gives itself, if it does. */
export function anchorOf(schema: JsonObject, pointer: string): string | undefined {
  const { $anchor } = schema;
  if ($anchor === undefined) return undefined;
  if (typeof $anchor !== "string" || !/^[A-Za-z_][-A-Za-z0-9._]*$/.test($anchor)) {
    throw new UnsupportedSchemaError(
      `${pointer}/$anchor`,
      `an anchor is a letter or "_", then letters, digits, "-", "_" or ".": ${
        JSON.stringify($anchor)
      }`,
    );
  }
  return $anchor;
}

/** The fragment of a reference to a place in the same document: a JSON pointer or an anchor. */
export function fragmentOf(reference: string, pointer: string): string {
  if (reference !== "" && !reference.startsWith("#")) {
    throw new UnsupportedSchemaError(
      pointer,
      `the reference ${JSON.stringify(reference)} does not start with "#": ` +
        `put what it means into "$defs" and refer to "#/$defs/<name>"`,
    );
  }
  try {
    return decodeURIComponent(reference.slice(1));
  } catch (cause) {
    throw new UnsupportedSchemaError(
      pointer,
      `the percent-encoding of the reference ${JSON.stringify(reference)} is broken`,
      { cause },
    );
  }
}

/** What is at a JSON pointer of the document, and the pointer as this library writes it. */
export function locate(
  document: JsonValue,
  fragment: string,
): { readonly pointer: string; readonly found: JsonValue } | undefined {
  let found: JsonValue = document;
  let pointer = "";
  for (const token of fragment.split("/").slice(1)) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    const next = memberOf(found, key);
    if (next === undefined) return undefined;
    found = next;
    pointer += `/${escapeToken(key)}`;
  }
  return { pointer, found };
}

/** Refuses schemas that apply themselves to the same value again: no value could ever be checked by them. */
export function refuseLoops(targets: readonly Target[]): void {
  const callers = new Map<Target, Target[]>();
  const waitsFor = new Map<Target, number>();
  for (const target of targets) {
    waitsFor.set(target, target.inPlace.length);
    for (const { to } of target.inPlace) {
      const known = callers.get(to);
      if (known === undefined) callers.set(to, [target]);
      else known.push(target);
    }
  }
  const ending = targets.filter((target) => target.inPlace.length === 0);
  for (const target of ending) {
    for (const caller of callers.get(target) ?? []) {
      const left = (waitsFor.get(caller) ?? 0) - 1;
      waitsFor.set(caller, left);
      if (left === 0) ending.push(caller);
    }
  }
  const isEndless = (target: Target) => (waitsFor.get(target) ?? 0) > 0;
  let looping = targets.find(isEndless);
  if (looping === undefined) return;
  for (const _ of targets) {
    looping = looping.inPlace.find(({ to }) => isEndless(to))?.to ?? looping;
  }
  throw new UnsupportedSchemaError(
    looping.pointer,
    "it leads back to itself without going into the value, so that no value could be checked",
  );
}
