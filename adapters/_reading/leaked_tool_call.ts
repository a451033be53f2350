import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../types/mod.ts";

/** What models write before a tool call; it reaches the text where no parser of their server takes the call out. */
const OPENER = new RegExp(
  [
    "<[|｜]?(?:\\w+[:｜])?(?:tool[_▁]?calls?|function[_▁]?calls?|tool[_▁]use|start[_▁]function[_▁]call)" +
    "(?:[_▁]section)?(?:[_▁](?:begin|start))?[|｜]?>",
    "<[|｜](?:DSML|python[_▁]tag|action[_▁]start)[|｜](?:\\w+)?>",
    "<function=|<invoke\\s+name=|\\[TOOL_CALLS?\\]|\\bfunctools(?=\\[)",
    "(?:<\\|start\\|>assistant)?<\\|channel\\|>(?:commentary|analysis) +to=",
  ].join("|"),
  "gi",
);

/** How many openers are looked at: whoever quotes more does not call. */
const MAX_OPENERS = 8;

/** What closes a call, or what stands around it. */
const CLOSER =
  /<\/[^<>\s]{1,60}>|<[|｜]?[^<>\n/]{0,60}(?:end|call|eo[mt]_id)[|｜]>|\[\/TOOL_CALLS?\]/gi;
/** Arguments in tags of their own. */
const TAGGED_ARGUMENT =
  /<parameter[=\s][^<>]{0,200}>(?:(?!<parameter[=\s])[^])*?<\/parameter>|<arg_key>[^<]*<\/arg_key>\s*<arg_value>(?:(?!<arg_key>)[^])*?<\/arg_value>/g;
const NAMED_TAG = /<(?:function=|invoke\s+name=)["']?[\w.:/-]+["']?>/gi;
const ANY_TAG = /<[^<>\n]{1,100}>|\[\/?[A-Z_]{2,20}\]|\bfunctools(?=\[)|```(?:json)?/g;

/**
 * Whether a text has a whole tool call at its beginning or its end that was meant as one: in the marks that models use
 * for it, or as a bare JSON object of just the shape of a call, of a tool that the model was shown. One that is quoted,
 * in code or inside a sentence, is followed by more.
 *
 * @param toolNames The tools that the model was shown. Absent: nobody knows, and no bare object is a call.
 */
export function hasLeakedCall(text: string, toolNames: readonly string[] | undefined): boolean {
  const whole = text.trim();
  if (whole === "") return false;
  if (toolNames !== undefined && hasBareCall(whole, toolNames)) return true;
  const openers = [...whole.matchAll(OPENER).take(MAX_OPENERS)].map(({ index }) => index);
  if (openers.some((start) => isOnlyCalls(whole.slice(start)))) return true;
  return openers[0] === 0 && beginsWithCall(whole);
}

/** Whether a text that begins with an opener has a whole call before its first line that is none. */
function beginsWithCall(text: string): boolean {
  const ends = [...text.matchAll(CLOSER).take(MAX_OPENERS)].map((found) =>
    found.index + found[0].length
  );
  const json = text.search(/[{[](?![A-Z/])/);
  const jsonEnd = json === -1 ? undefined : bracketEnd(text, json);
  return [...ends, ...(jsonEnd === undefined ? [] : [jsonEnd])]
    .some((end) => /^(?:[ \t]*[\r\n]|$)/.test(text.slice(end)) && isOnlyCalls(text.slice(0, end)));
}

/** Whether a text is one tool call or several, in marks, and nothing else. */
function isOnlyCalls(text: string): boolean {
  if ((text.match(/```/g)?.length ?? 0) % 2 !== 0) return false; // it ends a block that began before
  const bare = text.replace(TAGGED_ARGUMENT, "\n()\n").replace(NAMED_TAG, "\ncall\n")
    .replace(ANY_TAG, "\n");
  let found = false;
  let words = 0; // since the last arguments
  for (let rest = bare.trimStart(); rest !== ""; rest = rest.trimStart()) {
    const [word = ""] = /^(?:call:|to=)?["\w.:/-]{1,128}/.exec(rest) ?? [];
    if (word !== "" && !/^[({]/.test(rest.slice(word.length))) {
      if (++words > MAX_WORDS) return false;
      rest = rest.slice(word.length);
      continue;
    }
    const end = bracketEnd(rest, word.length);
    if (end === undefined || (word === "" && !areCalls(rest.slice(0, end)))) return false;
    found = true;
    words = 0;
    rest = rest.slice(end);
  }
  const isNameAlone = !found && words === 1 && /<\/|[|｜]>\s*$/.test(text);
  return isNameAlone || (found && words === 0);
}

/** How many words may stand before the arguments of a call: its name, and what kind of thing it is. */
const MAX_WORDS = 3;

/** Whether what is in brackets is JSON, or calls as code has them, or stands for arguments that were in tags. */
function areCalls(text: string): boolean {
  return text === "()" || /^\[\s*[\w.]+\(/.test(text) || parsed(text) !== undefined;
}

/** The end of what a bracket opens; brackets in strings are none. Absent: it is never closed. */
function bracketEnd(text: string, start: number): number | undefined {
  let depth = 0;
  for (const { 0: token, index } of text.slice(start).matchAll(/"(?:[^"\\]|\\[^])*"|[{}[\]()]/g)) {
    if ("{[(".includes(token)) depth++;
    else if ("}])".includes(token)) depth--;
    if (depth === 0 && token.length === 1) return start + index + 1;
  }
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** How many lines at the end are looked at for the start of an object. */
const MAX_STARTS = 20;

function hasBareCall(text: string, toolNames: readonly string[]): boolean {
  const isCall = (part: string) => {
    const value = parsed(part);
    if (!isJsonArray(value)) return isCallOf(value, toolNames);
    return value.length > 0 && value.every((item) => isCallOf(item, toolNames));
  };
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

const NAMES = ["name", "tool", "tool_name", "function"];
const ARGUMENTS = ["arguments", "parameters", "args", "input"];
const OTHERS = ["id", "type", "index"];

/** Whether a value has just the members of a call of one of the tools. */
function isCallOf(value: JsonValue | undefined, toolNames: readonly string[]): boolean {
  if (!isJsonObject(value)) return false;
  const keys = Object.keys(value).filter((key) => !OTHERS.includes(key));
  const [first = "", second] = keys.sort((a) => NAMES.includes(a) ? -1 : 1);
  const name = value[first];
  if (first === "function" && second === undefined) return isCallOf(name, toolNames);
  return keys.length === 2 && NAMES.includes(first) && typeof name === "string" &&
    toolNames.includes(name) && ARGUMENTS.includes(second ?? "") && areArguments(value, second);
}

function areArguments(call: JsonObject, key: string | undefined): boolean {
  const given = key === undefined ? undefined : call[key];
  return isJsonObject(typeof given === "string" ? parsed(given) : given);
}
