import { assertEquals } from "@std/assert";
import { defineTool, type FromSchema, type Tool } from "../../../logic/tools/mod.ts";
import type { JsonValue } from "../../../types/mod.ts";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true
  : false;

/** Fails to compile unless the schema's type is exactly the one named. */
function infers<const Schema, Expected>(
  _schema: Schema,
  ..._same: Equal<FromSchema<Schema>, Expected> extends true ? [] : [FromSchema<Schema>]
): void {}

function scalars() {
  const text = { type: "string", minLength: 1 } as const;
  infers<typeof text, string>(text);
  const number = { type: "number" } as const;
  infers<typeof number, number>(number);
  const integer = { type: "integer" } as const;
  infers<typeof integer, number>(integer);
  const flag = { type: "boolean" } as const;
  infers<typeof flag, boolean>(flag);
  const nothing = { type: "null" } as const;
  infers<typeof nothing, null>(nothing);
  infers<false, never>(false);
  infers<true, JsonValue>(true);
  const free = {} as const;
  infers<typeof free, JsonValue>(free);
  const reference = { $ref: "#/$defs/a" } as const;
  infers<typeof reference, JsonValue>(reference);
}

function unions() {
  const nullable = { type: ["string", "null"] } as const;
  infers<typeof nullable, string | null>(nullable);
  const choice = { enum: ["r", "w", 3, null] } as const;
  infers<typeof choice, "r" | "w" | 3 | null>(choice);
  const typedChoice = { type: "string", enum: ["r", "w"] } as const;
  infers<typeof typedChoice, "r" | "w">(typedChoice);
  const constant = { const: { a: [1] } } as const;
  infers<typeof constant, { readonly a: readonly [1] }>(constant);
  const any = {
    anyOf: [{ type: "string" }, { type: "array", items: { type: "number" } }],
  } as const;
  infers<typeof any, string | readonly number[]>(any);
  const one = {
    oneOf: [
      {
        type: "object",
        properties: { kind: { const: "a" }, x: { type: "number" } },
        required: ["kind", "x"],
      },
      { type: "object", properties: { kind: { const: "b" } }, required: ["kind"] },
    ],
  } as const;
  infers<
    typeof one,
    { readonly kind: "a"; readonly x: number } | { readonly kind: "b" }
  >(one);
  const open = { anyOf: [{ type: "string" }, true] } as const;
  infers<typeof open, JsonValue>(open);
  const both = {
    type: ["string", "number"],
    anyOf: [{ type: "string" }, { type: "null" }],
  } as const;
  infers<typeof both, string>(both);
  const all = { allOf: [{ type: ["string", "number"] }, { enum: [1, "a", true] }] } as const;
  infers<typeof all, 1 | "a">(all);
}

function arrays() {
  const list = { type: "array", items: { type: "string" } } as const;
  infers<typeof list, readonly string[]>(list);
  const untyped = { type: "array" } as const;
  infers<typeof untyped, readonly JsonValue[]>(untyped);
  const pair = {
    type: "array",
    prefixItems: [{ type: "string" }, { type: "number" }],
    items: false,
    minItems: 2,
  } as const;
  infers<typeof pair, readonly [string, number]>(pair);
  const loose = {
    type: "array",
    prefixItems: [{ type: "string" }],
    items: { type: "number" },
  } as const;
  infers<typeof loose, readonly [string?, ...number[]]>(loose);
}

function objects() {
  const nested = {
    type: "object",
    properties: {
      path: { type: "string" },
      options: {
        type: "object",
        properties: { deep: { type: "boolean" } },
        required: ["deep"],
        additionalProperties: false,
      },
    },
    required: ["path"],
  } as const;
  infers<
    typeof nested,
    { readonly path: string; readonly options?: { readonly deep: boolean } }
  >(nested);
  const map = { type: "object", additionalProperties: { type: "number" } } as const;
  infers<typeof map, { readonly [name: string]: number }>(map);
  const mixed = {
    type: "object",
    properties: { id: { type: "string" } },
    required: ["id"],
    additionalProperties: { type: "number" },
  } as const;
  infers<typeof mixed, { readonly [name: string]: string | number; readonly id: string }>(mixed);
  const patterned = {
    type: "object",
    patternProperties: { "^x": { type: "null" } },
    additionalProperties: { type: "number" },
  } as const;
  infers<typeof patterned, { readonly [name: string]: JsonValue }>(patterned);
  const free = { type: "object" } as const;
  infers<typeof free, { readonly [name: string]: JsonValue }>(free);
  const unlisted = {
    type: "object",
    properties: { a: { type: "string" } },
    required: ["a", "b"],
  } as const;
  infers<typeof unlisted, { readonly a: string; readonly b: JsonValue }>(unlisted);
}

/** A library's type of any schema holds itself. */
type AnySchema =
  | { readonly type?: string; readonly items?: AnySchema }
  | { readonly anyOf: readonly AnySchema[] }
  | { readonly oneOf: readonly AnySchema[] };

function notLiteral() {
  const any: AnySchema = { anyOf: [{ type: "string" }] };
  infers<AnySchema, JsonValue>(any);
  const schema: { type: string } = { type: "object" };
  infers<typeof schema, JsonValue>(schema);
  const names: { type: "object"; properties: { a: { type: "string" } }; required: string[] } = {
    type: "object",
    properties: { a: { type: "string" } },
    required: ["a"],
  };
  infers<typeof names, { readonly a?: string }>(names);
}

Deno.test("FromSchema is the type of the values that a schema takes", () => {
  scalars();
  unions();
  arrays();
  objects();
  notLiteral();
});

Deno.test("defineTool() infers the arguments of execute without as const", () => {
  const tool = defineTool({
    name: "edit",
    description: "Edits.",
    parameters: {
      type: "object",
      properties: { path: { type: "string" }, mode: { enum: ["r", "w"] } },
      required: ["path"],
    },
    execute: (args) => {
      const same: Equal<
        typeof args,
        { readonly path: string; readonly mode?: "r" | "w" }
      > = true;
      // @ts-expect-error: there is no such property
      const none = args.nothing;
      return [args.path, args.mode ?? "?", same, none === undefined];
    },
  });
  const asAny: Tool = tool;
  const context = { actionId: "a", attempt: 1, signal: new AbortController().signal };
  assertEquals(asAny.execute({ path: "x" }, context), ["x", "?", true, true]);
});
