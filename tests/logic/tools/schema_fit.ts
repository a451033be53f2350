import { compileSchema, type SchemaViolation } from "../../../logic/tools/mod.ts";
import type { JsonValue } from "../../../types/mod.ts";

/** Each violation of the schema by the value. */
export function validate(schema: JsonValue, value: JsonValue): readonly SchemaViolation[] {
  return compileSchema(schema).validate(value);
}

/** Whether the value fits the schema. */
export function fits(schema: JsonValue, value: JsonValue): boolean {
  return validate(schema, value).length === 0;
}

/** Each violation as `pointer rule: expected, found`. */
export function lines(schema: JsonValue, value: JsonValue): string[] {
  return validate(schema, value).map(({ pointer, rule, expected, found }) =>
    `${pointer} ${rule}: ${expected}, ${found}`
  );
}
