import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../types/mod.ts";
import { parsed } from "./call_text.ts";

/** Whether a model means one of the tools that it was shown by a name. */
export type IsToolName = (name: JsonValue | undefined) => boolean;

/** What some put before a tool's name: the kind of the thing, or what it belongs to. */
const PREFIX = /^(?:functions?|tools?|default_api)[.:]/;

/** How a model names the tools: some count the calls after the name, and servers are sent names in few characters. */
export function toolNamed(toolNames: readonly string[]): IsToolName {
  const onWire = (name: string) => name.replace(/[^A-Za-z0-9_-]/g, "_");
  const known = new Set([...toolNames, ...toolNames.map(onWire)]);
  return (name) =>
    typeof name === "string" &&
    (known.has(name) || known.has(name.replace(PREFIX, "").replace(/:\d{1,4}$/, "")));
}

const NAMES = ["name", "tool", "tool_name", "function", "recipient_name", "action"];
const ARGUMENTS = [
  ...["arguments", "parameters", "params", "args", "kwargs", "input"],
  ...["tool_args", "tool_input", "action_input"],
];
const OTHERS = ["id", "type", "index", "call_id", "tool_call_id"];
/** What holds a call, or several, and nothing else but what a message says beside them. */
const WRAPPERS = [
  ...["function", "function_call", "function_calls", "tool_call", "tool_calls", "tool_uses"],
  ...["calls", "actions"],
];
const BESIDE_CALLS = ["role", "content"];

/** Whether a value is a call of one of the tools, or several, and nothing else. */
export function areCallsOf(value: JsonValue | undefined, isTool: IsToolName): boolean {
  if (!isJsonArray(value)) return isJsonObject(value) && isCallOf(value, isTool);
  return value.length > 0 &&
    value.every((item) => isJsonObject(item) && isCallOf(item, isTool));
}

/** Whether an object has just the members of a call, of what holds calls, or of tools with their arguments. */
function isCallOf(value: JsonObject, isTool: IsToolName): boolean {
  const keys = Object.keys(value).filter((key) => !OTHERS.includes(key));
  const wrapper = keys.find((key) => WRAPPERS.includes(key));
  if (wrapper !== undefined && areCallsOf(value[wrapper], isTool)) {
    return keys.every((key) => key === wrapper || BESIDE_CALLS.includes(key));
  }
  const [first = "", second] = keys.toSorted((a) => NAMES.includes(a) ? -1 : 1);
  if (keys.length === 2 && NAMES.includes(first) && isTool(value[first])) {
    return second !== undefined && ARGUMENTS.includes(second) && areArguments(value[second]);
  }
  return keys.length > 0 &&
    Object.entries(value).every(([key, given]) =>
      isTool(key) && given !== null && areArguments(given)
    );
}

/** Whether a value can be what a tool is called with; the schema of that is what a tool is described by. */
function areArguments(given: JsonValue | undefined): boolean {
  if (given === null) return true;
  const value = typeof given === "string" ? parsed(given) : given;
  return isJsonObject(value) && !(value.type === "object" && isJsonObject(value.properties));
}
