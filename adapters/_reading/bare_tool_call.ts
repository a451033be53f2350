import { bareCallAt, CALL_STARTS } from "./bare_call_forms.ts";
import { endsInPair, endsInTag } from "./bare_call_tags.ts";
import { type IsToolName, toolNamed } from "./call_shape.ts";
import { bracketEnd, lastMatches } from "./call_text.ts";

/** How many lines at the end are looked at for the start of a call. */
const MAX_STARTS = 20;

/** Marks of a chat's template that a server left at the ends of a text. */
const MARKS_BEFORE = /^(?:\s*<\|[^<>|\n]{1,40}\|>)+/;
const MARKS_AFTER = /(?:<\|[^<>|\n]{1,40}\|>|<\/s>|<end_of_turn>|<\/TOOL_?CALLS?>|✿RESULT✿)\s*$/;

/**
 * Whether a text is a call without any mark, or begins or ends with one: an object of just the shape of a call; a call
 * after a word or a sign that says so; a tag of the tool's name, or of its name and its arguments; or nothing but calls
 * as code writes them.
 *
 * @param text It, without white space around it.
 * @param toolNames The tools that may be called.
 */
export function hasBareCall(text: string, toolNames: readonly string[]): boolean {
  const isTool = toolNamed(toolNames);
  const said = text.replace(MARKS_BEFORE, "").replace(MARKS_AFTER, "").trim();
  return isOnlyCalls(said, isTool) || beginsWithCall(said, isTool) || endsInCall(said, isTool) ||
    endsInWords(said, isTool) || endsInPair(said, isTool) ||
    toolNames.some((name) => endsInTag(said, name));
}

/** Whether a text is nothing but calls, one after the other or in a list. */
function isOnlyCalls(text: string, isTool: IsToolName): boolean {
  if (text === "") return false;
  const isList = text.startsWith("[") && bracketEnd(text, 0) === text.length;
  const list = isList ? text.slice(1, -1).trim() : text;
  return [text, list].some((calls) =>
    calls !== "" && callsEnd(calls, isTool, true) === calls.length
  );
}

/** Whether a text begins with calls; something else may follow, apart from them. */
function beginsWithCall(text: string, isTool: IsToolName): boolean {
  const end = callsEnd(text, isTool, false);
  const isObject = /^[{[]/.test(text);
  return end > 0 && (isObject ? /^[ \t]*[\r\n]/ : /^[ \t]*\r?\n\s*\n/).test(text.slice(end));
}

/** Whether a text ends in calls, or in what a model made up of their outcome. */
function endsInCall(text: string, isTool: IsToolName): boolean {
  const starts = lastMatches(text, CALL_STARTS, MAX_STARTS).map(({ index }) => index);
  return starts.some((start) => {
    const rest = text.slice(start);
    const end = callsEnd(rest, isTool, false);
    return end > 0 && /^\s*(?:$|Observation:)/.test(rest.slice(end));
  });
}

/** Where the calls end that a text begins with; 0: it begins with none. */
function callsEnd(text: string, isTool: IsToolName, isNameEnough: boolean): number {
  let end = 0;
  for (let next = 0; next < text.length;) {
    const call = bareCallAt(text.slice(next), isTool);
    if (call === undefined || (call.form === "named" && !isNameEnough)) break;
    end = next + call.length;
    next = end + (/^\s*[,;]?\s*/.exec(text.slice(end))?.[0].length ?? 0);
    if (next === text.length) return next;
  }
  return end;
}

const WORDS_INPUT = /(?<![^\n])Action: *`?([\w.:-]{1,128})`?[ \t]*\nAction Input:(?=[^\n]*\S)/g;

/** Whether a text of thoughts and actions ends in an action whose input is words. */
function endsInWords(text: string, isTool: IsToolName): boolean {
  if (!/^(?:Thought|Question|Action):/.test(text)) return false;
  const [last] = lastMatches(text, WORDS_INPUT, 1);
  if (last === undefined || !isTool(last[1])) return false;
  return /^[^\n]*\s*(?:$|Observation:)/.test(text.slice(last.index + last[0].length));
}
