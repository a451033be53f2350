import { isJsonObject } from "../../types/mod.ts";
import type { IsToolName } from "./call_shape.ts";
import { lastMatches, parsed } from "./call_text.ts";

/** What may stand in a tag after its name, and how it ends. */
const TAG_REST = /^(?:\s+[\w:-]{1,128}\s*=\s*(?:"[^"]*"|'[^']*'))*\s*(\/?)>/;

/** Whether a text ends in a tag of a tool's name, that begins a line and holds an object, tags or nothing. */
export function endsInTag(text: string, name: string): boolean {
  if (!text.endsWith(">")) return false;
  const opening = `<${name}`;
  const start = text.lastIndexOf(opening);
  if (start === -1 || (start > 0 && text[start - 1] !== "\n")) return false;
  const rest = text.slice(start + opening.length);
  const [tag, isEmpty] = TAG_REST.exec(rest) ?? [];
  if (tag === undefined) return false;
  if (isEmpty) return tag === rest;
  const closing = `</${name}>`;
  return rest.endsWith(closing) && isArguments(rest.slice(tag.length, -closing.length));
}

const NAME_AND_ARGUMENTS =
  /<(tool_?name|name|tool|function(?:_name)?)>\s*([\w.:-]{1,128})\s*<\/\1>\s*<(arguments|args|parameters|params|input|tool_input)>/g;

/** Whether a text ends in two tags, one with a tool's name and one with its arguments, that begin a line or stand in others. */
export function endsInPair(text: string, isTool: IsToolName): boolean {
  const [last] = lastMatches(text, NAME_AND_ARGUMENTS, 1);
  if (last === undefined || !isTool(last[2])) return false;
  const before = text.slice(text.lastIndexOf("\n", last.index) + 1, last.index);
  const end = text.lastIndexOf(`</${last[3]}>`);
  return /^\s*(?:<[\w:]{1,60}>\s*)*$/.test(before) &&
    isArguments(text.slice(last.index + last[0].length, Math.max(end, 0))) &&
    /^<\/\w+>(?:\s*<\/[\w:]{1,60}>)*$/.test(text.slice(end));
}

function isArguments(inside: string): boolean {
  const text = inside.trim();
  return text === "" || isJsonObject(parsed(text)) || /^<\w{1,128}>[^]*<\/\w{1,128}>$/.test(text);
}
