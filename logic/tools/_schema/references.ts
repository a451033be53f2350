import { type JsonValue, UnsupportedSchemaError } from "../../../types/mod.ts";
import { escapeToken, memberOf } from "../_json/pointer.ts";
import type { Dialect } from "./dialects.ts";
import type { Node } from "./run.ts";

/** A schema of the document. */
export interface Target extends Node {
  /** Where it is in the document. */
  readonly pointer: string;
  /** The schema itself, or what stands in its place. */
  readonly schema: JsonValue | undefined;
  /** The keyword that it stands under. */
  readonly keyword: string;
  /** How it is read: until it is compiled, as what is around it. */
  scope: Scope;
  /** What it applies to the very value that it is itself applied to. */
  readonly inPlace: Link[];
}

/** What a schema shares with those inside it, unless they say otherwise. */
export interface Scope {
  readonly dialect: Dialect;
  /** The URI that references are relative to. */
  readonly uri: string;
}

/** A schema that is meant; by a reference it is known only in the end. */
export interface Link {
  to: Target;
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
