import { isJsonObject, type JsonValue } from "../../../types/mod.ts";

/** A tool's parameters as every server takes them: of the type `object`, with `properties`, without a dialect's stamp. */
export function toolParameters(parameters: JsonValue): JsonValue {
  if (!isJsonObject(parameters)) return parameters;
  const { $schema: _, ...schema } = parameters;
  return {
    ...schema,
    ...(schema.type === undefined && { type: "object" }),
    ...(schema.properties === undefined && { properties: {} }),
  };
}
