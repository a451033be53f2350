import type { JsonValue } from "../../types/mod.ts";

/** The end of what a bracket opens; brackets in strings are none. Absent: it is never closed. */
export function bracketEnd(text: string, start: number): number | undefined {
  let depth = 0;
  for (const { 0: token, index } of text.slice(start).matchAll(/"(?:[^"\\]|\\[^])*"|[{}[\]()]/g)) {
    if ("{[(".includes(token)) depth++;
    else if ("}])".includes(token)) depth--;
    if (depth === 0 && token.length === 1) return start + index + 1;
  }
}

/** A text as the JSON that it is. Absent: it is none. */
export function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const LITERAL_TOKEN =
  /"(?:[^"\\]|\\[^])*"|'((?:[^'\\]|\\[^])*)'|\b(True|False|None)\b|([A-Za-z_]\w{0,127})(?=\s*:)/g;

/** A text as the JSON that it is, or that the same literal of Python or JavaScript would be. Absent: it is neither. */
export function literal(text: string): JsonValue | undefined {
  const json = text.replace(LITERAL_TOKEN, (token, quoted, constant, key) => {
    if (constant !== undefined) return constant === "None" ? "null" : constant.toLowerCase();
    return quoted === undefined && key === undefined ? token : JSON.stringify(quoted ?? key);
  });
  return parsed(text) ?? parsed(json);
}

/** The last matches of a pattern, in order: a text can have as many as characters. */
export function lastMatches(text: string, pattern: RegExp, count: number): RegExpExecArray[] {
  const last: RegExpExecArray[] = [];
  for (const match of text.matchAll(pattern)) {
    last.push(match);
    if (last.length > count) last.shift();
  }
  return last;
}
