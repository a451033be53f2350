import type { JsonValue } from "../../types/mod.ts";

/**
 * The type of the values that a JSON Schema takes, read off a schema whose type is literal: `as const`, or written
 * into {@link defineTool}. It follows `type`, `properties`, `required`, `additionalProperties`, `items`,
 * `prefixItems`, `minItems`, `enum`, `const`, `anyOf`, `oneOf` and `allOf`. What it cannot follow, such as a `$ref`,
 * is a {@link JsonValue}: the type never promises more than validation keeps.
 *
 * @example
 * ```ts
 * import type { FromSchema } from "@polyloop/polyloop/tools";
 * import { assertEquals } from "@std/assert";
 *
 * const schema = {
 *   type: "object",
 *   properties: { path: { type: "string" }, line: { type: ["integer", "null"] } },
 *   required: ["path"],
 * } as const;
 * const args: FromSchema<typeof schema> = { path: "notes.txt", line: null };
 * assertEquals(args.path.length, 9);
 * ```
 */
export type FromSchema<Schema> = Known<FromKeywords<Schema>>;

/** @internal */
type Known<Type> = unknown extends Type ? JsonValue : Type;

/** @internal */
type FromKeywords<Schema> = Schema extends false ? never
  : Schema extends { readonly const: infer Value } ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] } ? Value
  : FromType<Schema> & FromAny<Schema> & FromOne<Schema> & FromAll<Schema>;

/** @internal */
type FromType<Schema> = Schema extends { readonly type: infer Type }
  ? FromTypeName<Type extends readonly (infer Name)[] ? Name : Type, Schema>
  : unknown;

/** @internal */
type FromTypeName<Name, Schema> = Name extends "string" ? string
  : Name extends "number" | "integer" ? number
  : Name extends "boolean" ? boolean
  : Name extends "null" ? null
  : Name extends "array" ? FromArray<Schema>
  : Name extends "object" ? FromObject<Schema>
  : unknown;

/** @internal */
type FromAny<Schema> = Schema extends { readonly anyOf: infer Branches } ? Some<Branches>
  : unknown;

/** @internal */
type FromOne<Schema> = Schema extends { readonly oneOf: infer Branches } ? Some<Branches>
  : unknown;

/**
 * One of the branches, if the type says which there are: a library's type of any schema may hold itself.
 *
 * @internal
 */
type Some<Branches> = Branches extends readonly (infer Branch)[]
  ? number extends Branches["length"] ? unknown : FromKeywords<Branch>
  : unknown;

/** @internal */
type FromAll<Schema> = Schema extends { readonly allOf: infer Branches } ? Every<Branches>
  : unknown;

/** @internal */
type Every<Branches> = Branches extends readonly [infer First, ...infer Rest]
  ? FromKeywords<First> & Every<Rest>
  : unknown;

/** @internal */
type FromArray<Schema> = Schema extends
  { readonly prefixItems: infer Prefix extends readonly unknown[] }
  ? Schema extends { readonly items: false } ? readonly [...Leading<Prefix, Schema>]
  : readonly [...Leading<Prefix, Schema>, ...Item<Schema>[]]
  : readonly Item<Schema>[];

/** @internal */
type Item<Schema> = Schema extends { readonly items: infer Items } ? FromSchema<Items> : JsonValue;

/**
 * An array may end before its prefix does, unless `minItems` says how long the prefix is.
 *
 * @internal
 */
type Leading<Prefix extends readonly unknown[], Schema> = Schema extends
  { readonly minItems: Prefix["length"] } ? Each<Prefix> : Partial<Each<Prefix>>;

/** @internal */
type Each<Prefix extends readonly unknown[]> = Prefix extends readonly [infer First, ...infer Rest]
  ? [FromSchema<First>, ...Each<Rest>]
  : [];

/** @internal */
type FromObject<Schema> = Flat<
  Named<PropertiesOf<Schema>, RequiredOf<Schema>> & Others<Schema>
>;

/** @internal */
type Flat<Type> = { [Key in keyof Type]: Type[Key] };

/** @internal */
// deno-lint-ignore ban-types -- no property is named
type PropertiesOf<Schema> = Schema extends { readonly properties: infer Named } ? Named : {};

/** @internal */
type RequiredOf<Schema> = Schema extends { readonly required: readonly (infer Name)[] }
  ? string extends Name ? never : Name & string
  : never;

/** @internal */
type Named<Properties, Required extends string> =
  & {
    readonly [Name in keyof Properties as Name extends Required ? Name : never]: FromSchema<
      Properties[Name]
    >;
  }
  & {
    readonly [Name in keyof Properties as Name extends Required ? never : Name]?: FromSchema<
      Properties[Name]
    >;
  }
  & { readonly [Name in Exclude<Required, keyof Properties>]: JsonValue };

/**
 * Names that are not listed show in the type where the schema speaks of them, or lists none.
 *
 * @internal
 */
type Others<Schema> = Schema extends { readonly additionalProperties: infer Other }
  ? Other extends false ? unknown
  : { readonly [name: string]: OtherValue<Schema, Other> }
  : Schema extends { readonly properties: unknown } ? unknown
  : { readonly [name: string]: JsonValue };

/** @internal */
type OtherValue<Schema, Other> = Schema extends { readonly patternProperties: unknown } ? JsonValue
  : Exclude<RequiredOf<Schema>, keyof PropertiesOf<Schema>> extends never
    ? FromSchema<Other> | FromSchema<PropertiesOf<Schema>[keyof PropertiesOf<Schema>]>
  : JsonValue;
