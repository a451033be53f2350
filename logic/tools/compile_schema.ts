import {
  copyJson,
  type JsonValue,
  MAX_JSON_DEPTH,
  SerializationError,
  UnsupportedSchemaError,
} from "../../types/mod.ts";
import { pointerOf } from "./_json/pointer.ts";
import { compileDocument } from "./_schema/compiler.ts";
import { apply, LimitReached, type Node, type Run } from "./_schema/run.ts";
import type { SchemaViolation } from "./schema_violation.ts";

/** How long a schema may be as JSON, in UTF-16 units. */
export const MAX_SCHEMA_CHARS = 1_000_000;

/** A schema that is ready to check values. */
export interface CompiledSchema {
  /** Everything that is wrong with a value, in the order of the value; empty if it fits. Never throws. */
  validate(value: JsonValue): readonly SchemaViolation[];
}

/**
 * Compiles a JSON Schema of draft 2020-12: every keyword of the core, applicator, unevaluated and validation
 * vocabularies, with `$ref` to places in the same schema, by pointer, `$anchor` or `$id`, recursion included. `format`
 * and other annotations check nothing; unknown keywords are ignored.
 *
 * A `pattern` is a JavaScript regular expression with the flag `u`, matched anywhere in the text. A needless backslash
 * (`\@`), a lone brace or bracket and a hyphen beside a class are taken for what they mean without that flag. It runs
 * on text that a model wrote, and without a limit: take none from somebody you do not trust, none that tries many ways
 * to match (`(a+)+$`), and set a `maxLength` beside it: a text that is longer is not matched.
 *
 * A `$schema` of 2019-09, draft-07 or draft-06 is read as that draft says: `items` as an array, `additionalItems`,
 * `dependencies`, `$id: "#name"`, a `$ref` that makes what is beside it mean nothing. Keywords of later drafts count as
 * there. Draft-04 is read where nothing in the schema means something else today. A schema without `$schema` may have
 * arrays as `items`, too. Symbol keys and hidden properties, which some libraries leave on a schema, count for nothing,
 * as in `JSON.stringify`.
 *
 * Validation is bounded: at most 1,000 schemas inside one another, 2,000,000 units of work and 100 violations. Where
 * one of them is reached, the last violation has the rule `limit`.
 *
 * @example
 * ```ts
 * import { compileSchema } from "@polyloop/polyloop/tools";
 * import { assertEquals } from "@std/assert";
 *
 * const schema = compileSchema({
 *   type: "object",
 *   properties: { path: { type: "string", minLength: 1 } },
 *   required: ["path"],
 * });
 * assertEquals(schema.validate({ path: "notes.txt" }), []);
 * assertEquals(schema.validate({ path: 5 }), [{
 *   pointer: "/path",
 *   rule: "type",
 *   expected: "string",
 *   found: "5",
 *   schemaPointer: "/properties/path/type",
 * }]);
 * ```
 *
 * @param schema An object, `true` or `false`. It is copied.
 * @throws {UnsupportedSchemaError} If it is not a schema, is longer than {@link MAX_SCHEMA_CHARS}, leads back to
 * itself without going into the value, or uses what is not supported: another dialect, references out of the schema,
 * dynamic references, URIs of more than 2,000 characters.
 */
export function compileSchema(schema: JsonValue | object): CompiledSchema {
  return readSchema(schema);
}

/** A schema that is ready to check values and to be shown to a model. */
export interface ReadSchema extends CompiledSchema {
  /** It as JSON: without what JSON does not carry. Deep-frozen. */
  readonly given: JsonValue;
  /**
   * It as draft 2020-12 writes it, each reference as a JSON pointer from the root.
   *
   * @throws {UnsupportedSchemaError} If its references have more than 1,000,000 characters so.
   */
  inCurrentForm(): JsonValue;
}

/** Compiles a schema and keeps what it is. It throws what {@link compileSchema} throws. */
export function readSchema(schema: JsonValue | object): ReadSchema {
  const given = copySchema(schema);
  const { root, inCurrentForm } = compileDocument(given);
  return { given, validate: (value) => validate(root, value), inCurrentForm };
}

function copySchema(schema: JsonValue | object): JsonValue {
  try {
    const copy = copyJson(schema, "$", MAX_JSON_DEPTH, "drop");
    const length = JSON.stringify(copy).length;
    if (length <= MAX_SCHEMA_CHARS) return copy;
    throw new UnsupportedSchemaError("", `it is longer than ${MAX_SCHEMA_CHARS} characters`);
  } catch (error) {
    if (!(error instanceof SerializationError)) throw error;
    const isOfLibrary = typeof error.value === "function" || error.value === schema;
    const advice = isOfLibrary ? "; of a schema library, give the JSON Schema that it makes" : "";
    const reason = `it is not JSON: ${error.path}, ${error.reason}${advice}`;
    throw new UnsupportedSchemaError("", reason, { cause: error });
  }
}

/** Checks first without a report, which is fast and mostly enough. */
function validate(root: Node, value: JsonValue): readonly SchemaViolation[] {
  const report: SchemaViolation[] = [];
  const run: Run = { report: undefined, path: [], isName: false, depth: 0, work: 0 };
  try {
    if (apply(root, value, run, undefined)) return report;
    run.work = 0;
    run.report = report;
    apply(root, value, run, undefined);
  } catch (error) {
    if (!(error instanceof LimitReached)) throw error;
    const pointer = pointerOf(run.path);
    report.push({ pointer, rule: "limit", expected: error.message, found: "more" });
  }
  return report;
}
