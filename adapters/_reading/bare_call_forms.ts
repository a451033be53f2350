import { isJsonObject } from "../../types/mod.ts";
import { areCallsOf, type IsToolName } from "./call_shape.ts";
import { bracketEnd, literal } from "./call_text.ts";

/** A call without a mark of its own, at the beginning of a text. */
export interface BareCall {
  readonly length: number;
  /**
   * `object`: it has just the shape of a call. `labelled`: a word or a sign before it says that it is one. `named`: a
   * tool's name and what it is called with, as a text that speaks of a call has them, too.
   */
  readonly form: "object" | "labelled" | "named";
}

/** What says that a call follows. */
const STRONG = [
  ">>>\\s*",
  "(?:assistant)?(?:commentary|analysis|final)?\\s*to=",
  "tool_code\\s*\\n",
  "TOOL_?CALLS?>",
  "\\[(?:tool|function)[ _-]?calls?\\]:?\\s*",
  "[*_#✿[ ]{0,6}(?:(?:tool|function)[ _-]?(?:calls?|use|code)|action)[*_✿ ]{0,4}:[*_ ]{0,4}\\s*",
].join("|");

/** What says that a tool's name follows, or something else of that kind. */
const WEAK = "[*_✿ ]{0,6}(?:(?:tool|function)(?:[ _]name)?|name|call)[*_✿ ]{0,4}:[*_ ]{0,4}\\s*";

/** The beginnings of lines in which a call may begin that others follow or precede. */
export const CALL_STARTS: RegExp = new RegExp(`^(?=[{[]|${STRONG}|${WEAK})`, "gim");

const LABEL = new RegExp(`^(?:(${STRONG})|${WEAK})`, "i");
const ARGUMENTS_LABEL =
  /^(?:\s*[*_✿]{0,4}(?:(?:action|tool|function)[ _])?(?:input|arguments|args)[*_✿]{0,4}:[*_ ]{0,4}\s*|\s+json\s*(?=\{)|\s*(?=\{))/i;
const NAME = /^[`"']?([\w.:-]{1,128})[`"']?\]?/;
const FENCE_START = /^```\w{0,20}\s*\n/;
const FENCE_END = /^\s*```/;
/** What code calls a tool with: nothing, an object, a text, or arguments with their names. */
const CODE =
  /^(?:(?:\w{1,64}\s*=\s*|await\s+)*(?:print\()?(?:await\s+)?)([\w.:-]{1,128})\((?=\s*(?:\)|\{|["']|\w{1,128}\s*=(?!=)))/;

/** The call that a text begins with. Absent: it begins with none. */
export function bareCallAt(text: string, isTool: IsToolName): BareCall | undefined {
  const [label = "", strong] = LABEL.exec(text) ?? [];
  const calls = (rest: string) => callsEnd(rest, isTool);
  if (label === "") {
    const [object, named] = [calls(text), codeEnd(text, isTool) ?? namedEnd(text, isTool)];
    if (object !== undefined) return { form: "object", length: object };
    return named === undefined ? undefined : { form: "named", length: named };
  }
  const rest = text.slice(label.length);
  const code = (rest: string) => codeEnd(rest, isTool);
  const end = inFence(rest, calls) ?? namedEnd(rest, isTool) ??
    (strong === undefined ? undefined : inFence(rest, code) ?? indexedEnd(rest, isTool));
  if (end === undefined) return undefined;
  const closing = label.startsWith("[") && rest[end] === "]" ? 1 : 0;
  return { form: "labelled", length: label.length + end + closing };
}

/** Where something ends that a text begins with, in a fence or without one. */
function inFence(
  text: string,
  endOf: (text: string) => number | undefined,
): number | undefined {
  const start = FENCE_START.exec(text)?.[0].length ?? 0;
  const end = endOf(text.slice(start));
  if (end === undefined || start === 0) return end;
  const close = FENCE_END.exec(text.slice(start + end))?.[0].length;
  return close === undefined ? undefined : start + end + close;
}

/** Where an object or a list ends that is a call, or several. */
function callsEnd(text: string, isTool: IsToolName): number | undefined {
  const end = /^[{[]/.test(text) ? bracketEnd(text, 0) : undefined;
  return end !== undefined && areCallsOf(literal(text.slice(0, end)), isTool) ? end : undefined;
}

/** Where a call in code ends. */
function codeEnd(text: string, isTool: IsToolName): number | undefined {
  const [call, name] = CODE.exec(text) ?? [];
  if (call === undefined || !isTool(name)) return undefined;
  const end = bracketEnd(text, call.length - 1);
  return end === undefined ? undefined : end + (/print\(/.test(call) ? 1 : 0);
}

/** Where the object ends that follows a tool's name. */
function namedEnd(text: string, isTool: IsToolName): number | undefined {
  const [named = "", name] = NAME.exec(text) ?? [];
  const label = ARGUMENTS_LABEL.exec(text.slice(named.length))?.[0];
  if (label === undefined || !isTool(name)) return undefined;
  const start = named.length + label.length;
  const end = inFence(text.slice(start), (rest) => {
    const end = rest.startsWith("{") ? bracketEnd(rest, 0) : undefined;
    return end !== undefined && isJsonObject(literal(rest.slice(0, end))) ? end : undefined;
  });
  return end === undefined ? undefined : start + end;
}

/** Where a tool's name ends that is followed by what it is called with in square brackets. */
function indexedEnd(text: string, isTool: IsToolName): number | undefined {
  const [call, name] = /^([\w.:-]{1,128})\[/.exec(text) ?? [];
  return call !== undefined && isTool(name) ? bracketEnd(text, call.length - 1) : undefined;
}
