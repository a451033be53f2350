import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../../types/mod.ts";

/** A parameter of a tool that an HTTP header repeats, for whoever routes requests and does not read bodies. */
export interface ParamHeader {
  /** The header's name, whole. */
  readonly name: string;
  /** The keys that lead to the value in the arguments. */
  readonly path: readonly string[];
}

/** The keyword of a schema that names the header. */
const KEYWORD = "x-mcp-header";

/** The types that a header can repeat. */
const TYPES: readonly JsonValue[] = ["string", "integer", "boolean"];

/**
 * The parameters that a tool's schema marks for headers. The rules are those of revision 2026-07-28: a name is a token of
 * HTTP and there once, whatever its case; the parameter is a string, an integer or a boolean; only `properties` lead to
 * it.
 *
 * @param schema A schema that compiles, so that its depth is bounded.
 * @returns A string says what is wrong with a mark.
 */
export function paramHeaders(schema: JsonObject): readonly ParamHeader[] | string {
  const marks = [...marksIn(schema, [])];
  const names = new Set<string>();
  const found: ParamHeader[] = [];
  for (const { schema, path } of marks) {
    const name = schema[KEYWORD];
    const place = path === undefined ? "a place that no parameter has" : `/${path.join("/")}`;
    if (typeof name !== "string" || !TOKEN.test(name)) {
      return `${KEYWORD} at ${place} is no token of HTTP`;
    }
    if (names.has(name.toLowerCase())) return `${KEYWORD} has ${JSON.stringify(name)} twice`;
    if (path === undefined || path.length === 0) return `${KEYWORD} marks ${place}`;
    if (!isOfType(schema.type)) return `${KEYWORD} at ${place} marks no string, integer or boolean`;
    names.add(name.toLowerCase());
    found.push({ name: `mcp-param-${name}`, path });
  }
  return found;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

function isOfType(type: JsonValue | undefined): boolean {
  const types = (isJsonArray(type) ? type : [type ?? null]).filter((each) => each !== "null");
  return types.length > 0 && types.every((each) => TYPES.includes(each));
}

/** A schema with the keyword. */
interface Mark {
  readonly schema: JsonObject;
  /** The keys that lead to it through `properties` alone. Absent: something else is on the way. */
  readonly path: readonly string[] | undefined;
}

/** The keywords that hold data, not schemas. */
const DATA: readonly string[] = ["const", "enum", "default", "examples", "example", "required"];

/** The keywords whose members, of any name, hold schemas. */
const MAPS: readonly string[] = [
  "patternProperties",
  "dependentSchemas",
  "dependencies",
  "$defs",
  "definitions",
];

function* marksIn(value: JsonValue, path: readonly string[] | undefined): Generator<Mark> {
  if (isJsonArray(value)) {
    for (const item of value) yield* marksIn(item, undefined);
  }
  if (!isJsonObject(value)) return;
  if (Object.hasOwn(value, KEYWORD)) yield { schema: value, path };
  for (const [keyword, member] of Object.entries(value)) {
    if (DATA.includes(keyword)) continue;
    if (keyword === "properties" && isJsonObject(member)) {
      for (const [key, property] of Object.entries(member)) {
        yield* marksIn(property, path && [...path, key]);
      }
    } else if (MAPS.includes(keyword) && isJsonObject(member)) {
      for (const schema of Object.values(member)) yield* marksIn(schema, undefined);
    } else {
      yield* marksIn(member, undefined);
    }
  }
}

/** The headers for the arguments of a call. What is not there, or `null`, has none. */
export function paramHeaderValues(
  headers: readonly ParamHeader[],
  args: JsonObject,
): Readonly<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const { name, path } of headers) {
    const value = valueAt(args, path);
    if (["string", "number", "boolean"].includes(typeof value)) {
      values[name] = encodedHeader(String(value));
    }
  }
  return values;
}

function valueAt(args: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = args;
  for (const key of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** A text as the value of a header: as it is, or in Base64 where HTTP would lose something of it. */
export function encodedHeader(text: string): string {
  const isPlain = /^[\x20-\x7e]*$/.test(text) && text === text.trim() &&
    !/^=\?base64\?.*\?=$/.test(text);
  if (isPlain) return text;
  const bytes = new TextEncoder().encode(text);
  return `=?base64?${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))}?=`;
}
