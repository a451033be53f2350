import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../types/mod.ts";
import { bracketEnd, parsed } from "./call_text.ts";

/** How many lines at the end are looked at for the start of an object. */
const MAX_STARTS = 20;

/**
 * Whether a text is a call without any mark, or begins or ends with one: an object of just the shape of a call; calls as
 * code writes them, alone; an action and its input in lines of their own, or a tag of the tool's name, at the end.
 *
 * @param text It, without white space around it.
 * @param toolNames The tools that may be called.
 */
export function hasBareCall(text: string, toolNames: readonly string[]): boolean {
  return hasCallObject(text, toolNames) || isCode(text, toolNames) ||
    endsInAction(text, toolNames) || toolNames.some((name) => endsInTag(text, name));
}

function hasCallObject(text: string, toolNames: readonly string[]): boolean {
  const isCall = (part: string) => areCallsOf(parsed(part), toolNames);
  if (/^[{[]/.test(text)) {
    const end = bracketEnd(text, 0) ?? text.length;
    if (/^(?:[ \t]*[\r\n]|$)/.test(text.slice(end)) && isCall(text.slice(0, end))) return true;
  }
  if (!/[}\]]$/.test(text)) return false;
  let start = text.length;
  for (let i = 0; i < MAX_STARTS && start > 0; i++) {
    start = Math.max(text.lastIndexOf("\n{", start - 1), text.lastIndexOf("\n[", start - 1));
    if (start > 0 && isCall(text.slice(start))) return true;
  }
  return false;
}

/** Whether a text is nothing but calls as code writes them, with named arguments or one object. */
function isCode(text: string, toolNames: readonly string[]): boolean {
  const isList = text.startsWith("[") && bracketEnd(text, 0) === text.length;
  let rest = isList ? text.slice(1, -1).trim() : text;
  if (rest === "") return false;
  while (rest !== "") {
    const [call, name = ""] = /^([\w.:-]{1,128})\((?=\s*(?:\)|\{|\w{1,128}\s*=(?!=)))/.exec(rest) ??
      [];
    const end = call === undefined ? undefined : bracketEnd(rest, call.length - 1);
    if (end === undefined || !isNameOf(name, toolNames)) return false;
    rest = rest.slice(end).replace(/^\s*[,;]?\s*/, "");
  }
  return true;
}

const ACTION = /(?<![^\n])Action: *`?([\w.:-]{1,128})`?[ \t]*\n+Action Input: *(?=\{)/g;

/** Whether a text ends in an action and its input, or in what a model made up of the outcome. */
function endsInAction(text: string, toolNames: readonly string[]): boolean {
  const last = [...text.matchAll(ACTION)].at(-1);
  if (last === undefined || !isNameOf(last[1] ?? "", toolNames)) return false;
  const end = bracketEnd(text, last.index + last[0].length);
  return end !== undefined && /^\s*(?:$|Observation:)/.test(text.slice(end));
}

/** Whether a text ends in a tag of a tool's name, that begins a line and holds an object, tags or nothing. */
function endsInTag(text: string, name: string): boolean {
  const closing = `</${name}>`;
  if (!text.endsWith(closing)) return false;
  const opening = `<${name}>`;
  const start = text.lastIndexOf(opening);
  if (start === -1 || (start > 0 && text[start - 1] !== "\n")) return false;
  const inside = text.slice(start + opening.length, -closing.length).trim();
  return inside === "" || isJsonObject(parsed(inside)) ||
    /^<\w{1,128}>[^]*<\/\w{1,128}>$/.test(inside);
}

/** Whether a model means a tool by a name: some put the kind of the thing before it. */
function isNameOf(name: JsonValue | undefined, toolNames: readonly string[]): boolean {
  return typeof name === "string" && toolNames.includes(name.replace(/^functions?\./, ""));
}

const NAMES = ["name", "tool", "tool_name", "function", "recipient_name", "action"];
const ARGUMENTS = [
  ...["arguments", "parameters", "params", "args", "kwargs", "input"],
  ...["tool_args", "tool_input", "action_input"],
];
const OTHERS = ["id", "type", "index", "call_id", "tool_call_id"];
/** What holds a call, or several, and nothing else. */
const WRAPPERS = ["function", "function_call", "tool_call", "tool_calls", "tool_uses"];

function areCallsOf(value: JsonValue | undefined, toolNames: readonly string[]): boolean {
  if (!isJsonArray(value)) return isCallOf(value, toolNames);
  return value.length > 0 && value.every((item) => isCallOf(item, toolNames));
}

/** Whether a value has just the members of a call of one of the tools. */
function isCallOf(value: JsonValue | undefined, toolNames: readonly string[]): boolean {
  if (!isJsonObject(value)) return false;
  const keys = Object.keys(value).filter((key) => !OTHERS.includes(key));
  const [first = "", second] = keys.sort((a) => NAMES.includes(a) ? -1 : 1);
  const name = value[first];
  if (second === undefined) return WRAPPERS.includes(first) && areCallsOf(name, toolNames);
  return keys.length === 2 && NAMES.includes(first) && isNameOf(name, toolNames) &&
    ARGUMENTS.includes(second ?? "") && areArguments(value, second);
}

function areArguments(call: JsonObject, key: string | undefined): boolean {
  const given = key === undefined ? undefined : call[key];
  return isJsonObject(typeof given === "string" ? parsed(given) : given);
}
