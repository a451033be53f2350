import { countCodePoints, digest, keyedDigest } from "../../types/mod.ts";

/** A part of a text: from its first code unit to the one after its last. */
type Range = readonly [start: number, end: number];

/** What is to be hidden: the patterns, and texts that were found by them or stand where a pointer says. */
export interface SecretTexts {
  /** Where a text holds any of it, in order and apart; a code point is never cut. */
  rangesIn(text: string): readonly Range[];
}

/** What patterns find, in texts and in what those spell in JSON. */
export function patternSecrets(patterns: readonly RegExp[]): SecretTexts {
  const all = patterns.map(everyMatch);
  return { rangesIn: (text) => merged(text, all) };
}

/** What patterns find, and the given texts wherever they stand, as they are or as JSON writes them. */
export function allSecrets(patterns: readonly RegExp[], texts: ReadonlySet<string>): SecretTexts {
  const written = [...texts].flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]);
  const longestFirst = [...new Set(written)].filter((text) => text !== "")
    .sort((a, b) => b.length - a.length);
  if (longestFirst.length === 0) return patternSecrets(patterns);
  const anyText = new RegExp(longestFirst.map(escaped).join("|"), "g");
  const all = [...patterns.map(everyMatch), anyText];
  return { rangesIn: (text) => merged(text, all) };
}

/** The source of a pattern that finds a text as it is. */
function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** A pattern that finds every match of another. */
function everyMatch({ source, flags }: RegExp): RegExp {
  return new RegExp(source, `${flags.replace(/[gy]/g, "")}g`);
}

function merged(text: string, patterns: readonly RegExp[]): readonly Range[] {
  const found = patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(({ index, 0: { length } }) =>
      wholeCodePoints(text, index, length)
    )
  ).filter(([start, end]) => start < end).sort(([a], [b]) => a - b);
  const apart: Range[] = [];
  for (const [start, end] of found) {
    const last = apart.at(-1);
    if (last === undefined || start >= last[1]) apart.push([start, end]);
    else apart[apart.length - 1] = [last[0], Math.max(last[1], end)];
  }
  return apart;
}

function wholeCodePoints(text: string, index: number, length: number): Range {
  if (length === 0) return [index, index];
  const end = index + length;
  return [isInside(text, index) ? index - 1 : index, isInside(text, end) ? end + 1 : end];
}

/** Whether a place in a text is between the two halves of a code point. */
function isInside(text: string, at: number): boolean {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff;
}

/** What stands for a hidden text: the same for the same text, so that repeats can still be seen. */
export function markerOf(text: string, what: string, key: string | undefined): string {
  const hash = key === undefined ? digest(text) : keyedDigest(key, text);
  return `[redacted${what}: ${countCodePoints(text)} code points, ${hash}]`;
}

const ESCAPES = /\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g;
const SPELLED: ReadonlyMap<string, string> = new Map([
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

/** A text, and what it says with the escapes of JSON in it resolved: JSON may stand in JSON. */
export function readingsOf(text: string): readonly string[] {
  const readings = [text];
  for (
    let [before, next] = [text, unescaped(text)];
    next !== before;
    [before, next] = [next, unescaped(next)]
  ) {
    readings.push(next);
  }
  return readings;
}

function unescaped(text: string): string {
  return text.replace(
    ESCAPES,
    (_, unit?: string, letter = "") =>
      unit === undefined
        ? SPELLED.get(letter) ?? letter
        : String.fromCharCode(Number.parseInt(unit, 16)),
  );
}
