/** What a function is called with, argument by argument, each with its name. */
export type GoodCall = Readonly<Record<string, unknown>>;

/** The way to a value in a call: the name of the argument, then keys. */
export type Place = readonly string[];

/** How deep inside an argument values are exchanged. */
const DEPTH = 3;

/** What only one function gives, so that it is exchanged as a whole. */
const WHOLE: readonly string[] = ["log", "parent", "a", "b", "calls", "actions"];

/** Every place of a call: each argument, and what plain objects and arrays in it hold. */
export function placesOf(call: GoodCall): readonly Place[] {
  return Object.entries(call).flatMap(([name, value]) => placesIn(value, [name]));
}

function placesIn(value: unknown, place: Place): readonly Place[] {
  const inner = isContainer(value) && place.length <= DEPTH && !WHOLE.includes(place.at(-1) ?? "")
    ? Object.entries(value).flatMap(([key, member]) => placesIn(member, [...place, key]))
    : [];
  return [place, ...inner];
}

/** What stands in a place of a call. */
export function valueAt(call: GoodCall, place: Place): unknown {
  return place.reduce<unknown>((value, key) => Object(value)[key], call);
}

/** A call with another value in one place; the rest is shared with the good one. */
export function withValue(call: GoodCall, place: Place, value: unknown): GoodCall {
  return exchanged(call, place, value) as GoodCall;
}

function exchanged(container: unknown, [key, ...rest]: Place, value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(container)) {
    return container.map((member, i) =>
      String(i) === key ? exchanged(member, rest, value) : member
    );
  }
  const members = container as Readonly<Record<string, unknown>>;
  return { ...members, [key]: exchanged(members[key], rest, value) };
}

function isContainer(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Array.prototype;
}
