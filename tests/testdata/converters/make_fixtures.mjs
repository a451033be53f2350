// Writes the fixtures of this folder into the folder that it runs in, which has the packages of README.md installed
// (zod 3 as "zod3").
import { z } from "zod";
import { z as z3 } from "zod3";
import { zodToJsonSchema } from "zod-to-json-schema";
import { Type as T34, Kind } from "@sinclair/typebox";
import { Value as V34 } from "@sinclair/typebox/value";
import { FormatRegistry } from "@sinclair/typebox";
import Type from "typebox";
import Value from "typebox/value";
import * as v from "valibot";
import { toJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import fs from "node:fs";

const version = (name) => JSON.parse(fs.readFileSync(`node_modules/${name}/package.json`)).version;

// what JSON does not carry of a schema: at each place, its hidden names and its symbols
function hiddenOf(value, path = "", seen = new Set()) {
  if (typeof value !== "object" || value === null || seen.has(value)) return [];
  seen.add(value);
  const keys = Object.keys(value);
  const out = [];
  for (const key of Reflect.ownKeys(value)) {
    if (Array.isArray(value) && key === "length") continue;
    const d = Object.getOwnPropertyDescriptor(value, key);
    if (typeof key === "symbol") out.push({ pointer: path, symbol: key.description });
    else if (!d.enumerable) out.push({ pointer: path, name: key });
  }
  for (const key of keys) out.push(...hiddenOf(value[key], path + "/" + key.replaceAll("~", "~0").replaceAll("/", "~1"), seen));
  return out;
}
const SAMPLES = {
  text: ["ab", "", "a", "abcdefghijk", "AB", "a1", 5, null, "🌊🌊"],
  email: ["a@b.co", "ab", "", 5],
  includes: ["a@b", "ab", "@", 5],
  url: ["https://a.example/x", "not a url", "", 5],
  uuid: ["6f0f1a3e-3b0e-4c1a-9d2a-0c5a7d1e2f3b", "6f0f1a3e", "", 5],
  dateTime: ["2026-11-30T10:00:00Z", "2026-11-30", "yesterday", 5],
  number: [0, 1.5, -3, "1", null],
  integer: [1, 10, 0, 11, 1.5, "1", null],
  boolean: [true, false, 0, "true", null],
  literal: ["on", "off", 1, null],
  enum: ["red", "blue", "green", "", null],
  nullable: ["a", null, 5, {}],
  optional: [{ a: "x" }, {}, { a: 5 }, { a: null }],
  default: [{ a: "x" }, {}, { a: 5 }],
  array: [["a"], ["a", "b"], [], ["a", "b", "c", "d"], [1], "a", {}],
  tuple: [["a", 1], ["a"], [], ["a", 1, 2], [1, "a"], ["a", 1, "x"], "a"],
  tupleWithRest: [["a", 1], ["a", 1, true, false], ["a"], ["a", 1, "x"], [1, "a"]],
  record: [{ a: 1, b: 2 }, {}, { a: "x" }, null],
  union: ["a", 1, true, null, {}],
  discriminated: [{ kind: "a", x: 1 }, { kind: "b", y: "s" }, { kind: "a", y: "s" }, { kind: "c" }, {}, { kind: "b", y: 1 }],
  recursive: [{ in: [] }, { in: [{ in: [] }] }, { in: [{ in: 5 }] }, {}, { in: [{}] }],
  strictNested: [{ in: { a: "x" } }, { in: { a: "x", b: 1 } }, { in: {} }, {}, { in: { a: 5 } }, { in: "x" }],
};

function zod4(z) {
  return {
    text: z.string().min(2).max(10).regex(/^[a-z🌊]+$/u), email: z.email(), includes: z.string().includes("@"), url: z.url(), uuid: z.uuid(), dateTime: z.iso.datetime(),
    number: z.number(), integer: z.int().min(1).max(10), boolean: z.boolean(), literal: z.literal("on"), enum: z.enum(["red", "blue"]),
    nullable: z.string().nullable(), optional: z.object({ a: z.string().optional() }), default: z.object({ a: z.string().default("d") }),
    array: z.array(z.string()).min(1).max(3), tuple: z.tuple([z.string(), z.number()]), tupleWithRest: z.tuple([z.string(), z.number()], z.boolean()),
    record: z.record(z.string(), z.number()), union: z.union([z.string(), z.number()]),
    discriminated: z.discriminatedUnion("kind", [z.object({ kind: z.literal("a"), x: z.number() }), z.object({ kind: z.literal("b"), y: z.string() })]),
    recursive: (() => { const node = z.object({ get in() { return z.array(node); } }); return node; })(),
    strictNested: z.object({ in: z.strictObject({ a: z.string() }) }),
  };
}
function zod3types(z) {
  return {
    text: z.string().min(2).max(10).regex(/^[a-z🌊]+$/u), email: z.string().email(), includes: z.string().includes("@"), url: z.string().url(), uuid: z.string().uuid(), dateTime: z.string().datetime(),
    number: z.number(), integer: z.number().int().min(1).max(10), boolean: z.boolean(), literal: z.literal("on"), enum: z.enum(["red", "blue"]),
    nullable: z.string().nullable(), optional: z.object({ a: z.string().optional() }), default: z.object({ a: z.string().default("d") }),
    array: z.array(z.string()).min(1).max(3), tuple: z.tuple([z.string(), z.number()]), tupleWithRest: z.tuple([z.string(), z.number()]).rest(z.boolean()),
    record: z.record(z.string(), z.number()), union: z.union([z.string(), z.number()]),
    discriminated: z.discriminatedUnion("kind", [z.object({ kind: z.literal("a"), x: z.number() }), z.object({ kind: z.literal("b"), y: z.string() })]),
    recursive: (() => { const node = z.object({ in: z.array(z.lazy(() => node)) }); return node; })(),
    strictNested: z.object({ in: z.object({ a: z.string() }).strict() }),
  };
}
function typebox(T, isNew) {
  return {
    text: T.String({ minLength: 2, maxLength: 10, pattern: "^[a-z🌊]+$" }), email: T.String({ format: "email" }), includes: T.String({ pattern: "@" }), url: T.String({ format: isNew ? "url" : "uri" }), uuid: T.String({ format: "uuid" }), dateTime: T.String({ format: "date-time" }),
    number: T.Number(), integer: T.Integer({ minimum: 1, maximum: 10 }), boolean: T.Boolean(), literal: T.Literal("on"), enum: T.Union([T.Literal("red"), T.Literal("blue")]),
    nullable: T.Union([T.String(), T.Null()]), optional: T.Object({ a: T.Optional(T.String()) }), default: T.Object({ a: T.Optional(T.String({ default: "d" })) }),
    array: T.Array(T.String(), { minItems: 1, maxItems: 3 }), tuple: T.Tuple([T.String(), T.Number()]),
    recursive: isNew ? T.Cyclic({ Node: T.Object({ in: T.Array(T.Ref("Node")) }) }, "Node") : T.Recursive((Self) => T.Object({ in: T.Array(Self) }), { $id: "Node" }),
    record: T.Record(T.String(), T.Number()), union: T.Union([T.String(), T.Number()]),
    discriminated: T.Union([T.Object({ kind: T.Literal("a"), x: T.Number() }), T.Object({ kind: T.Literal("b"), y: T.String() })]),
    strictNested: T.Object({ in: T.Object({ a: T.String() }, { additionalProperties: false }) }),
  };
}
const valibot = {
  text: v.pipe(v.string(), v.minLength(2), v.maxLength(10), v.regex(/^[a-z]+$/)), email: v.pipe(v.string(), v.email()), includes: v.pipe(v.string(), v.includes("@")), url: v.pipe(v.string(), v.url()), uuid: v.pipe(v.string(), v.uuid()), dateTime: v.pipe(v.string(), v.isoTimestamp()),
  number: v.number(), integer: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10)), boolean: v.boolean(), literal: v.literal("on"), enum: v.picklist(["red", "blue"]),
  nullable: v.nullable(v.string()), optional: v.object({ a: v.optional(v.string()) }), default: v.object({ a: v.optional(v.string(), "d") }),
  array: v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(3)), tuple: v.tuple([v.string(), v.number()]), tupleWithRest: v.tupleWithRest([v.string(), v.number()], v.boolean()),
  record: v.record(v.string(), v.number()), union: v.union([v.string(), v.number()]),
  discriminated: v.variant("kind", [v.object({ kind: v.literal("a"), x: v.number() }), v.object({ kind: v.literal("b"), y: v.string() })]),
  strictNested: v.object({ in: v.strictObject({ a: v.string() }) }),
};
const ark = {
  text: type("/^[a-z🌊]+$/ & 2 <= string <= 10"), email: type("string.email"), includes: type("/@/"), url: type("string.url"), uuid: type("string.uuid"), dateTime: type("string.date.iso"),
  number: type("number"), integer: type("1 <= number.integer <= 10"), boolean: type("boolean"), literal: type("'on'"), enum: type("'red' | 'blue'"),
  nullable: type("string | null"), optional: type({ "a?": "string" }), default: type({ a: "string = 'd'" }),
  array: type("1 <= string[] <= 3"), tuple: type(["string", "number"]), tupleWithRest: type(["string", "number", "...", "boolean[]"]),
  record: type({ "[string]": "number" }), union: type("string | number"),
  discriminated: type({ kind: "'a'", x: "number" }).or({ kind: "'b'", y: "string" }),
  strictNested: type({ in: type({ a: "string" }).onUndeclaredKey("reject") }),
};
const libraries = {
  "zod": { packages: { zod: version("zod") }, types: zod4(z), convert: (t) => z.toJSONSchema(t, { io: "input" }), accepts: (t, s) => t.safeParse(s).success },
  "zod_output": { packages: { zod: version("zod") }, types: zod4(z), convert: (t) => z.toJSONSchema(t), accepts: (t, s) => { const r = t.safeParse(s); return r.success && JSON.stringify(r.data) === JSON.stringify(s); } },
  "zod_draft_7": { packages: { zod: version("zod") }, types: zod4(z), convert: (t) => z.toJSONSchema(t, { target: "draft-7", io: "input" }), accepts: (t, s) => t.safeParse(s).success },
  "zod_to_json_schema": { packages: { zod: version("zod3"), "zod-to-json-schema": version("zod-to-json-schema") }, types: zod3types(z3), convert: (t) => zodToJsonSchema(t), accepts: (t, s) => t.safeParse(s).success },
  "typebox_0_34": { packages: { "@sinclair/typebox": version("@sinclair/typebox") }, types: typebox(T34, false), convert: (t) => t, accepts: (t, s) => V34.Check(t, s) },
  "typebox": { packages: { typebox: version("typebox") }, types: typebox(Type, true), convert: (t) => t, accepts: (t, s) => Value.Check(t, s) },
  "valibot": { packages: { valibot: version("valibot"), "@valibot/to-json-schema": version("@valibot/to-json-schema") }, types: valibot, convert: (t) => toJsonSchema(t), accepts: (t, s) => v.safeParse(t, s).success },
  "arktype": { packages: { arktype: version("arktype") }, types: ark, convert: (t) => t.toJsonSchema({ fallback: { default: c => c.base } }), accepts: (t, s) => !(t(structuredClone(s)) instanceof type.errors) },
};
FormatRegistry.Set("email", (s) => /^\S+@\S+$/.test(s)); FormatRegistry.Set("uri", (s) => URL.canParse(s)); FormatRegistry.Set("uuid", (s) => /^[0-9a-f]{8}-/.test(s)); FormatRegistry.Set("date-time", (s) => /T/.test(s));
for (const [name, lib] of Object.entries(libraries)) {
  const types = {};
  for (const [t, given] of Object.entries(lib.types)) {
    let schema; try { schema = lib.convert(given); } catch (e) { console.log(name, t, "CONVERT", e.message); continue; }
    const hidden = hiddenOf(schema);
    const refused = SAMPLES[t].filter((s) => !lib.accepts(given, s));
    const byFormat = (s) => typeof s === "string" && schema.format !== undefined && !JSON.stringify(schema).includes(`"pattern"`);
    types[t] = { schema, ...(hidden.length > 0 && { hidden }), accepts: SAMPLES[t].filter((s) => lib.accepts(given, s)), refuses: refused.filter((s) => !byFormat(s)), ...(refused.some(byFormat) && { refusesByFormat: refused.filter(byFormat) }) };
  }
  fs.writeFileSync(`${name}.json`, `{"packages":${JSON.stringify(lib.packages)},"types":{\n${Object.entries(types).map(([t, c]) => `${JSON.stringify(t)}:${JSON.stringify(c)}`).join(",\n")}\n}}\n`);
  console.log(name, lib.packages, Object.keys(types).length, Object.values(types).filter((t) => t.hidden).length);
}
