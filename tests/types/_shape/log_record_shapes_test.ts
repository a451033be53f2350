import { assert, assertEquals } from "@std/assert";
import { logRecordShape } from "../../../types/mod.ts";
import { ANY_JSON, FULL_RECORDS, MAPS, OPTIONAL_FIELDS, UNION_FIELDS } from "./sample_records.ts";

type Key = string | number;

/** A place in a record: its keys, and its name with every index left out. */
interface Place {
  readonly keys: readonly Key[];
  readonly name: string;
  readonly value: unknown;
}

/** Every place below a value, but for what stands in any JSON. */
function* places(value: unknown, name: string, keys: readonly Key[] = []): Generator<Place> {
  if (ANY_JSON.includes(name) || typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    const inner = Array.isArray(value)
      ? { name: `${name}[]`, keys: [...keys, Number(key)] }
      : { name: `${name}.${key}`, keys: [...keys, key] };
    yield { ...inner, value: member };
    yield* places(member, inner.name, inner.keys);
  }
}

/** A copy with another value at a place; `undefined` takes it away. */
function changed<T>(value: T, keys: readonly Key[], to: unknown): T {
  const copy = structuredClone(value);
  let at: Record<Key, unknown> = copy as Record<Key, unknown>;
  for (const key of keys.slice(0, -1)) at = at[key] as Record<Key, unknown>;
  const last = keys.at(-1)!;
  if (to === undefined) delete at[last];
  else at[last] = to;
  return copy;
}

const STRICT = { unknownFields: false };
const LATER = { unknownFields: true };
const ALL: readonly (readonly [unknown, Place])[] = FULL_RECORDS.flatMap((record) =>
  [...places(record, record.type)].map((place) => [record, place] as const)
);

function pathOf(keys: readonly Key[]): string {
  return keys.map((key) => typeof key === "number" ? `[${key}]` : `.${key}`).join("");
}

Deno.test("logRecordShape() takes a record of each kind with all its fields", () => {
  for (const record of FULL_RECORDS) assertEquals(logRecordShape(record, STRICT), undefined);
});

Deno.test("logRecordShape() needs every field but the optional ones, and names the path", () => {
  const optional = new Set<string>();
  for (const [record, { keys, name }] of ALL) {
    const owner = name.replace(/(\.\w+|\[\])$/, "");
    if (typeof keys.at(-1) === "number" || MAPS.includes(owner)) continue;
    const fault = logRecordShape(changed(record, keys, undefined), STRICT);
    if (fault === undefined) optional.add(name);
    else assertEquals([fault.path, fault.value], [pathOf(keys), undefined]);
  }
  assertEquals([...optional].sort(), [...OPTIONAL_FIELDS].sort());
});

const KINDS = { null: null, boolean: true, number: 1, string: "x", array: [], object: {} };
const kindOf = (value: unknown) =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value;

Deno.test("logRecordShape() refuses every field of another kind of value, naming path and value", () => {
  for (const [record, { keys, name, value }] of ALL) {
    for (const [kind, other] of Object.entries(KINDS)) {
      if (kind === kindOf(value)) continue;
      const fault = logRecordShape(changed(record, keys, other), STRICT);
      if (ANY_JSON.includes(name)) assertEquals(fault, undefined);
      else assertEquals([fault?.path, fault?.value], [pathOf(keys), other], `${name}: ${kind}`);
    }
  }
});

Deno.test("logRecordShape() refuses numbers out of their range, and parts of whole ones", () => {
  const fractions = /durationMs|waitedMs|totalTokens|Tokens$/;
  let numbers = 0;
  for (const [record, { keys, name, value }] of ALL) {
    if (typeof value !== "number" || ANY_JSON.some((any) => name.startsWith(any))) continue;
    numbers++;
    assert(logRecordShape(changed(record, keys, -1), STRICT) !== undefined, `${name} is -1`);
    const half = logRecordShape(changed(record, keys, 1.5), STRICT);
    assertEquals(half === undefined, fractions.test(name), `${name} is 1.5`);
    const zero = logRecordShape(changed(record, keys, 0), STRICT);
    assertEquals(zero === undefined, !name.endsWith(".attempt"), `${name} is 0`);
    const large = logRecordShape(changed(record, keys, 2 ** 60), STRICT);
    assertEquals(
      large === undefined,
      /durationMs|waitedMs|totalTokens/.test(name),
      `${name} is 2 ** 60`,
    );
  }
  assert(numbers > 15);
});

Deno.test("logRecordShape() refuses texts that are no digest and no time, and empty lists that must not be", () => {
  for (const [record, { keys, name }] of ALL) {
    if (/Digest$/.test(name)) {
      for (const text of ["", "sha256:", `sha256:${"A".repeat(64)}`, `sha256:${"a".repeat(65)}`]) {
        assertEquals(logRecordShape(changed(record, keys, text), STRICT)?.path, pathOf(keys));
      }
    }
    if (/\.at$/.test(name)) {
      for (
        const text of ["", "2026-01-01", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000+02:00"]
      ) {
        assertEquals(logRecordShape(changed(record, keys, text), STRICT)?.path, pathOf(keys));
      }
      assertEquals(
        logRecordShape(changed(record, keys, "+275760-09-13T00:00:00.000Z"), STRICT),
        undefined,
      );
    }
    if (/content$|actions$|stopConditions$/.test(name)) {
      assertEquals(logRecordShape(changed(record, keys, []), STRICT)?.path, pathOf(keys));
    }
  }
});

Deno.test("logRecordShape() refuses a field that it does not know, unless a later version wrote it", () => {
  let objects = 0;
  for (const record of FULL_RECORDS) {
    const whole: Place = { keys: [], name: record.type, value: record };
    for (const { keys, name, value } of [whole, ...places(record, record.type)]) {
      if (kindOf(value) !== "object" || ANY_JSON.includes(name)) continue;
      const more = changed(record, [...keys, "brandNew"], 1);
      assertEquals(logRecordShape(more, STRICT)?.path, `${pathOf(keys)}.brandNew`);
      const later = logRecordShape(more, LATER);
      assertEquals(later === undefined, !MAPS.includes(name), name);
      objects++;
    }
  }
  assert(objects > 20);
});

Deno.test("logRecordShape() tells an unknown member of a union from any other fault", () => {
  const unions = new Set<string>();
  for (const [record, { keys, name, value }] of ALL) {
    if (typeof value !== "string" || ANY_JSON.includes(name)) continue;
    const fault = logRecordShape(changed(record, keys, "brand_new"), STRICT);
    if (fault?.unknownMember) {
      assertEquals([fault.path, fault.value], [pathOf(keys), "brand_new"]);
      unions.add(name.slice(name.indexOf(".") + 1));
    }
  }
  assertEquals([...unions].sort(), [...UNION_FIELDS].sort());
});
