import { hasBareCall } from "./bare_tool_call.ts";
import { bracketEnd, parsed } from "./call_text.ts";

/** What models write before a tool call; it reaches the text where no parser of their server takes the call out. */
const OPENER = new RegExp(
  [
    "<[|｜]?(?:\\w+[:｜])?(?:tool[_▁]?calls?|function[_▁]?calls?|tool[_▁]use|start[_▁]function[_▁]call)" +
    "(?:[_▁]section)?(?:[_▁](?:begin|start))?(?:\\s[^<>\\n]{0,200})?[|｜]?>",
    "<(?:execute[_▁]tool|tool_code)>|<(?:tools?|functions?)>(?=\\s*[{[])|<(?:use_)?(?:tool|function)\\s+name=",
    "<[|｜](?:DSML|python[_▁]tag|action[_▁]start|start[_▁]action|tools[_▁]prefix)[|｜](?:\\w+)?>",
    "<function=|<(?:\\w+:)?invoke\\s+name=|\\[TOOL_(?:CALLS?|REQUEST)\\]|\\bfunctools(?=\\[)",
    "```tool_\\w+(?=\\n)",
    "(?:<\\|start\\|>assistant)?<\\|channel\\|>(?:commentary|analysis|final) +to=",
    "<\\|start\\|>assistant +to=",
  ].join("|"),
  "gi",
);

/** How many openers are looked at: whoever quotes more does not call. */
const MAX_OPENERS = 8;

/** What closes a call, or what stands around it. */
const CLOSER =
  /<\/[^<>\s]{1,60}>|<[|｜]?[^<>\n/]{0,60}(?:end|call|eo[mt]_id)[|｜]>|\[(?:\/|END_)TOOL_(?:CALLS?|REQUEST)\]/gi;
/** Arguments in tags of their own. */
const TAGGED_ARGUMENT =
  /^(?:<(?:\w+:)?parameter[=\s][^<>]{0,200}>(?:(?!<(?:\w+:)?parameter[=\s])[^])*?<\/(?:\w+:)?parameter>|<arg_key>[^<]*<\/arg_key>\s*<arg_value>(?:(?!<arg_key>)[^])*?<\/arg_value>)/;
const NAMED_TAG =
  /^<(?:function=|(?:\w+:)?(?:invoke|function_call|tool_call|(?:use_)?tool|function)\s+name=)["']?[\w.:/-]+["']?>/i;
const ANY_TAG = /^(?:<[^<>\n]{1,100}>|\[\/?[A-Z_]{2,20}\]|functools(?=\[)|```(?:json|tool_\w+)?)/;
const WORD = /^(?:call:|to=)?["\w.:/-]{1,128}/;

/**
 * Whether a text has a whole tool call at its beginning or its end that was meant as one: in the marks that models use
 * for it, or without any, of a tool that the model was shown; or is nothing but a block of code in which one stands. One
 * that is quoted, in code or inside a sentence, has more around it.
 *
 * @param toolNames The tools that the model was shown. Absent: nobody knows, and only marks tell a call.
 */
export function hasLeakedCall(text: string, toolNames: readonly string[] | undefined): boolean {
  const whole = text.trim();
  return isLeakedCall(whole, toolNames) || isLeakedCall(blockOf(whole), toolNames);
}

/** What stands in the one block of code that a text is; nothing where it is none. */
function blockOf(text: string): string {
  const start = /^```\w{0,20}\s*\n/.exec(text)?.[0].length;
  const isBlock = start !== undefined && text.indexOf("```", start) === text.length - 3;
  return isBlock ? text.slice(start, -3).trim() : "";
}

function isLeakedCall(whole: string, toolNames: readonly string[] | undefined): boolean {
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
  const fences = text.endsWith("```") ? text.match(/```/g)?.length ?? 0 : 0;
  if (fences % 2 !== 0) return false; // it ends a block that began before
  let found = false;
  let words = 0; // since the last arguments
  let rest = text.trimStart();
  for (let parts = 0; rest !== ""; parts++) {
    const end = partEnd(rest);
    if (end === undefined || parts > MAX_PARTS) return false;
    if (end.kind === "word" && ++words > MAX_WORDS) return false;
    if (end.kind === "arguments") {
      found = true;
      words = 0;
    }
    rest = rest.slice(end.length).trimStart();
  }
  const isNameAlone = !found && words === 1 && /<\/|[|｜]>\s*$/.test(text);
  return isNameAlone || (found && words === 0);
}

/** How many parts a text may have that is calls alone. */
const MAX_PARTS = 10_000;

/** The part of a call that a text begins with, and how long it is. Absent: it begins with none. */
function partEnd(
  text: string,
): { readonly kind: "tag" | "word" | "arguments"; readonly length: number } | undefined {
  const tagged = TAGGED_ARGUMENT.exec(text);
  if (tagged !== null) return { kind: "arguments", length: tagged[0].length };
  const named = NAMED_TAG.exec(text);
  if (named !== null) return { kind: "word", length: named[0].length };
  const tag = ANY_TAG.exec(text);
  if (tag !== null) return { kind: "tag", length: tag[0].length };
  const [word = ""] = WORD.exec(text) ?? [];
  if (word !== "" && !/^[({]/.test(text.slice(word.length))) {
    return { kind: "word", length: word.length };
  }
  const length = bracketEnd(text, word.length);
  if (length === undefined || (word === "" && !areCalls(text.slice(0, length)))) return undefined;
  return { kind: "arguments", length };
}

/** How many words may stand before the arguments of a call: its name, and what kind of thing it is. */
const MAX_WORDS = 4;

/** Whether what is in brackets is JSON, or calls or objects as code has them. */
function areCalls(text: string): boolean {
  return /^(?:\[\s*[\w.]+\(|\[?\s*\{\s*')/.test(text) || parsed(text) !== undefined;
}
