import { type JsonValue, UnsupportedSchemaError } from "../../../types/mod.ts";
import { escapeToken, memberOf, unescapeToken } from "../_json/pointer.ts";
import type { Dialect } from "./dialects.ts";
import type { Node } from "./run.ts";

/**
 * A place in the document. Places are found through those around them, never by their pointer: pointers may be long and
 * many, and stay unwritten until somebody reads one.
 */
export interface Place {
  /** The JSON pointer of it. */
  readonly pointer: string;
  /** What is there. Absent: nothing. */
  readonly value: JsonValue | undefined;
  /** The place that it is a member of, and its key there. Absent: it is the whole document. */
  readonly within?: { readonly place: Place; readonly key: string };
  /** Its members, as far as they were asked for. */
  readonly members: Map<string, Place>;
  /** The schema that is there. Absent: nothing was taken for one. */
  target?: Target;
}

/** A schema of the document. */
export interface Target extends Node {
  /** Where it is. */
  readonly place: Place;
  /** The keyword that it stands under. */
  readonly keyword: string;
  /** How it is read: until it is compiled, as what is around it. */
  scope: Scope;
  /** What it applies to the very value that it is itself applied to. */
  readonly inPlace: Link[];
  /** Where its own reference leads. Absent: it has none. */
  reference?: Link;
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

/** The place of a whole document. */
export function rootPlace(document: JsonValue): Place {
  return { pointer: "", value: document, members: new Map() };
}

/** The place of a member or item; of one that is not there, too. */
export function memberPlace(place: Place, key: string): Place {
  const known = place.members.get(key);
  if (known !== undefined) return known;
  const member: Place = {
    pointer: `${place.pointer}/${escapeToken(key)}`,
    value: place.value === undefined ? undefined : memberOf(place.value, key),
    within: { place, key },
    members: new Map(),
  };
  place.members.set(key, member);
  return member;
}

/** What a JSON pointer leads to from a place. Absent: nothing is there. */
export function locate(from: Place, pointer: string): Place | undefined {
  let place = from;
  for (const token of pointer.split("/").slice(1)) {
    place = memberPlace(place, unescapeToken(token));
    if (place.value === undefined) return undefined;
  }
  return place;
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
    looping.place.pointer,
    "it leads back to itself without going into the value, so that no value could be checked",
  );
}
