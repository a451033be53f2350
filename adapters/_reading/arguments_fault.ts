import { parseFaithfulJson } from "../../logic/tools/mod.ts";
import { isJsonObject, type ReplyToolCall } from "../../types/mod.ts";
import { jsonTypeName } from "./json_type_name.ts";

/** Why the arguments of a call cannot be used: what is wrong, and where. Absent: they can. */
export function argumentsFault(call: ReplyToolCall): string | undefined {
  if (call.argumentsError === undefined) return undefined;
  const parsed = parseFaithfulJson(call.rawArguments, "arguments");
  if (!parsed.ok) return parsed.detail;
  if (isJsonObject(parsed.value)) return call.argumentsError;
  return `arguments: they must be an object, not ${jsonTypeName(parsed.value)}`;
}
