import {
  excerpt,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  UnsupportedSchemaError,
} from "../../../types/mod.ts";

/** What a schema's `$schema` decides: how it is read where drafts differ. */
export interface Dialect {
  readonly name: string;
  /** Whether `items` may be an array of schemas, and `additionalItems` then is for the items after them. */
  readonly hasItemArrays: boolean;
  /** Whether a `$ref` makes every keyword beside it mean nothing, and an `$id` may be `#name`. */
  readonly isBefore2019: boolean;
  /** The keyword that says the URI of a schema. */
  readonly idKeyword: "$id" | "id";
}

const CURRENT = "https://json-schema.org/draft/2020-12/schema";

/** Of a schema that names no dialect: the current one, and arrays under `items`, which mean nothing else in it. */
export const UNNAMED: Dialect = {
  name: "2020-12",
  hasItemArrays: true,
  isBefore2019: false,
  idKeyword: "$id",
};

const DRAFT_2019: Dialect = { ...UNNAMED, name: "2019-09" };
const DRAFT_04: Dialect = {
  name: "draft-04",
  hasItemArrays: true,
  isBefore2019: true,
  idKeyword: "id",
};

/** By what stands between `http(s)://` and an empty fragment. */
const DIALECTS: ReadonlyMap<string, Dialect> = new Map([
  ["json-schema.org/draft/2020-12/schema", { ...UNNAMED, hasItemArrays: false }],
  ["json-schema.org/draft/2019-09/schema", DRAFT_2019],
  ["json-schema.org/draft-07/schema", { ...DRAFT_04, name: "draft-07", idKeyword: "$id" }],
  ["json-schema.org/draft-06/schema", { ...DRAFT_04, name: "draft-06", idKeyword: "$id" }],
  ["json-schema.org/draft-04/schema", DRAFT_04],
]);

/** The dialect that a schema names; if it names none, that of the schema around it. */
export function dialectOf(schema: JsonObject, pointer: string, around: Dialect): Dialect {
  const { $schema } = schema;
  if ($schema === undefined || hidesSiblings(schema, around)) return around;
  const name = typeof $schema === "string" ? /^https?:\/\/([^#]*)#?$/.exec($schema)?.[1] : "";
  const dialect = DIALECTS.get(name ?? "");
  if (dialect !== undefined) return dialect;
  throw new UnsupportedSchemaError(
    `${pointer}/$schema`,
    `its dialect is unknown: ${excerpt(JSON.stringify($schema), 200)}, use "${CURRENT}"`,
  );
}

/** Whether a `$ref` makes all that stands beside it mean nothing. */
export function hidesSiblings(schema: JsonObject, dialect: Dialect): boolean {
  return dialect.isBefore2019 && typeof schema.$ref === "string";
}

/** What means something beside a `$ref` that hides its siblings: places that references lead to. */
const BESIDE_REF = ["$ref", "definitions", "$defs"];

/** The keyword under which a schema has what the current dialect has under another, or the same. Absent: it has it not. */
export function givenKeyword(
  schema: JsonObject,
  keyword: string,
  dialect: Dialect,
): string | undefined {
  if (hidesSiblings(schema, dialect)) return BESIDE_REF.includes(keyword) ? keyword : undefined;
  if (keyword === "$ref" && isPlainRecursion(schema, dialect)) return "$recursiveRef";
  if (!hasItemArray(schema, dialect)) return keyword;
  if (keyword === "prefixItems") return "items";
  return keyword === "items" ? "additionalItems" : keyword;
}

/** What beside a `$ref` that hides its siblings is worth telling all the same. */
const ANNOTATIONS = ["title", "description", "default", "examples", "$comment"];

/** What the current dialect has for `dependencies`. A schema that has one of them, too, keeps all three. */
const SPLIT_DEPENDENCIES = ["dependentRequired", "dependentSchemas"];

/** The keyword under which the current dialect has what a schema has under another, or the same. Absent: it means nothing. */
export function currentKeyword(
  schema: JsonObject,
  keyword: string,
  dialect: Dialect,
): string | undefined {
  if (hidesSiblings(schema, dialect)) {
    return BESIDE_REF.includes(keyword) || ANNOTATIONS.includes(keyword) ? keyword : undefined;
  }
  if (keyword === "$recursiveRef" && isPlainRecursion(schema, dialect)) return "$ref";
  if (keyword === "$recursiveAnchor" && dialect === DRAFT_2019) return undefined;
  if (
    keyword === "dependencies" && !SPLIT_DEPENDENCIES.some((name) => Object.hasOwn(schema, name))
  ) {
    return "dependentSchemas"; // the lists of names in it are `dependentRequired`
  }
  if (keyword === "items" && hasItemArray(schema, dialect)) return "prefixItems";
  if (keyword !== "additionalItems") return keyword;
  return hasItemArray(schema, dialect) ? "items" : undefined;
}

function hasItemArray(schema: JsonObject, dialect: Dialect): boolean {
  return dialect.hasItemArrays && isJsonArray(schema.items) &&
    !Object.hasOwn(schema, "prefixItems");
}

/** Whether a `$recursiveRef` is a `$ref`: it is one where no schema of the document is a `$recursiveAnchor`. */
function isPlainRecursion(schema: JsonObject, dialect: Dialect): boolean {
  return dialect === DRAFT_2019 && Object.hasOwn(schema, "$recursiveRef") &&
    !Object.hasOwn(schema, "$ref");
}

/** Keywords of later drafts: draft-04 ignores them, which nobody who writes one can mean. */
const AFTER_DRAFT_04 = ["const", "contains", "propertyNames", "if", "then", "else"];

/** Refuses what means something else than it does in the current dialect, or needs dynamic scope. */
export function refuseUnsupported(schema: JsonObject, pointer: string, dialect: Dialect): void {
  const refuse = (keyword: string, detail: string) => {
    throw new UnsupportedSchemaError(`${pointer}/${keyword}`, detail);
  };
  for (const keyword of dynamicKeywords(schema, dialect)) {
    refuse(keyword, `"${keyword}" is not supported: use "$ref" and "$anchor"`);
  }
  if (dialect !== UNNAMED && dialect.hasItemArrays && Object.hasOwn(schema, "prefixItems")) {
    if (Object.hasOwn(schema, "items") || Object.hasOwn(schema, "additionalItems")) {
      refuse("prefixItems", `${dialect.name} has no "prefixItems" that goes with "items"`);
    }
  }
  if (dialect !== DRAFT_04) return;
  for (const keyword of ["exclusiveMinimum", "exclusiveMaximum"]) {
    if (typeof schema[keyword] === "boolean") {
      refuse(
        keyword,
        `true or false is ${dialect.name}'s alone: name a later dialect and write the limit itself`,
      );
    }
  }
  for (const keyword of AFTER_DRAFT_04) {
    if (Object.hasOwn(schema, keyword)) {
      refuse(keyword, `${dialect.name} does not know "${keyword}": name a later dialect`);
    }
  }
}

function dynamicKeywords(schema: JsonObject, dialect: Dialect): string[] {
  const unsupported = ["$dynamicRef", "$dynamicAnchor"];
  if (schema.$recursiveAnchor !== false || dialect !== DRAFT_2019) {
    unsupported.push("$recursiveAnchor");
  }
  if (!isPlainRecursion(schema, dialect) || schema.$recursiveRef !== "#") {
    unsupported.push("$recursiveRef");
  }
  return unsupported.filter((keyword) => Object.hasOwn(schema, keyword));
}

/** A schema of a document, as far as its dialect matters. */
interface Placed {
  readonly place: { readonly pointer: string; readonly value: JsonValue | undefined };
  readonly scope: { readonly dialect: Dialect };
}

/** Refuses an `unevaluatedItems` of 2019-09 beside a `contains`, which evaluates items in the current dialect only. */
export function refuseOtherAccounts(schemas: readonly Placed[]): void {
  const having = (keyword: string) =>
    schemas.find(({ place: { value }, scope }) =>
      scope.dialect === DRAFT_2019 && isJsonObject(value) && Object.hasOwn(value, keyword)
    );
  const asking = having("unevaluatedItems");
  if (asking === undefined || having("contains") === undefined) return;
  throw new UnsupportedSchemaError(
    `${asking.place.pointer}/unevaluatedItems`,
    `with "contains" it means something else in 2019-09 than in the current dialect`,
  );
}
