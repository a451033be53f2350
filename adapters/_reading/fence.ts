/** A fenced block of a Markdown text. */
export interface Fence {
  /** The first word after the opening fence; empty if there is none. */
  readonly language: string;
  /** What stands between the fences, without the line ending before the closing one. */
  readonly body: string;
  /** The line of the opening fence, from 1. */
  readonly line: number;
  /** The offset just after the closing fence; the text's length where there is none. */
  readonly end: number;
  /** Whether there is a closing fence. */
  readonly closed: boolean;
  /**
   * The line of the first fence inside it that has a word after it and could be closed by the same fence as the block:
   * CommonMark takes it for text, a writer means a block in the block. Absent: there is none, or no closing fence.
   */
  readonly nestedLine?: number;
}

/**
 * The fenced blocks of a text, in order, as CommonMark reads them: three or more backticks or tildes open a block, at
 * least as many of the same close it, and an unclosed one reaches to the end of the text. Unlike CommonMark, an
 * opening fence may be indented by any width, as it is in a list item; the closing one by up to three more. Up to the
 * width of the opening fence's indentation is taken off each line; else the body is as it was, CR included.
 */
export function* fences(text: string): Generator<Fence, undefined, undefined> {
  let line = 1;
  let counted = 0; // up to where the line feeds are counted
  let opening = openingFrom(text, 0);
  while (opening !== undefined) {
    line += countLineFeeds(text, counted, opening.start);
    counted = opening.start;
    const closing = closingFrom(text, opening);
    const nested = closing && nestedIn(text, opening, closing.start);
    yield {
      language: opening.language,
      body: unindented(text.slice(opening.next, bodyEnd(text, opening, closing)), opening.indent),
      line,
      end: closing?.end ?? text.length,
      closed: closing !== undefined,
      ...(nested && { nestedLine: line + countLineFeeds(text, opening.start, nested.start) }),
    };
    opening = closing && openingFrom(text, closing.end);
  }
}

/** The line of an opening fence. */
interface Opening {
  /** Where the line starts. */
  readonly start: number;
  /** Where the next line starts. */
  readonly next: number;
  readonly indent: number;
  readonly mark: string;
  readonly length: number;
  readonly language: string;
}

/*
 * The lines of a text are looked for, not listed: a reply can have as many as it has characters. No pattern below looks
 * at a character more than a few times, whatever the text.
 */
const OPENING = /(?<![^\n])([ \t]*)(`{3,}|~{3,})([^\n]*)/g;
const CLOSING = /(?<![^\n])([ \t]*)(`{3,}|~{3,})[^\S\n]*(?![^\n])/g;
const INDENT = /(?<![^\n])[ \t]+/g;

/** The first opening fence that starts at an offset or after it. */
function openingFrom(text: string, offset: number): Opening | undefined {
  for (const found of matchesFrom(OPENING, text, offset)) {
    const [line, indent = "", fence = "", rest = ""] = found;
    const mark = fence.charAt(0);
    const info = rest.trim();
    if (mark === "`" && info.includes("`")) continue;
    const [language = ""] = info.split(/\s/, 1);
    const start = found.index;
    const next = start + line.length + 1;
    return { start, next, indent: indent.length, mark, length: fence.length, language };
  }
}

/** Where the line of the fence that closes a block starts, and where it ends, without its line ending. */
function closingFrom(
  text: string,
  opening: Opening,
): { readonly start: number; readonly end: number } | undefined {
  for (const found of matchesFrom(CLOSING, text, opening.next)) {
    const [line, indent = "", fence = ""] = found;
    if (indent.length > opening.indent + 3) continue;
    if (!fence.startsWith(opening.mark) || fence.length < opening.length) continue;
    const start = found.index;
    return { start, end: beforeEnding(text, start, start + line.length) };
  }
}

/** The first fence inside a block that the block's own would close. It has a word after it: else it would be that one. */
function nestedIn(text: string, outer: Opening, end: number): Opening | undefined {
  let inner = openingFrom(text, outer.next);
  while (inner !== undefined && inner.start < end) {
    const isClosedAlike = inner.mark === outer.mark && inner.length >= outer.length &&
      inner.indent <= outer.indent + 3;
    if (isClosedAlike) return inner;
    inner = openingFrom(text, inner.next);
  }
}

function matchesFrom(pattern: RegExp, text: string, offset: number) {
  const search = new RegExp(pattern);
  search.lastIndex = offset;
  return text.matchAll(search);
}

function bodyEnd(
  text: string,
  { next }: Opening,
  closing: { readonly start: number } | undefined,
): number {
  if (closing === undefined) return text.length;
  return closing.start === next ? next : beforeEnding(text, next, closing.start - 1);
}

/** The end of a line's text, given where its line feed is or would be: before a carriage return that belongs to it. */
function beforeEnding(text: string, start: number, feed: number): number {
  return feed > start && text[feed] === "\n" && text[feed - 1] === "\r" ? feed - 1 : feed;
}

function countLineFeeds(text: string, from: number, to: number): number {
  let count = 0;
  for (let i = from; i < to; i++) if (text.charCodeAt(i) === 0x0a) count++;
  return count;
}

/** How many characters of a body are changed at a time: each line is a match, and there may be many. */
const PART_CHARS = 65_536;

/** A body with up to so many blanks taken off the start of each line. */
function unindented(body: string, width: number): string {
  if (width === 0) return body;
  const parts: string[] = [];
  for (let start = 0; start < body.length;) {
    const feed = body.indexOf("\n", start + PART_CHARS);
    const stop = feed === -1 ? body.length : feed + 1;
    parts.push(body.slice(start, stop).replace(INDENT, (blanks) => blanks.slice(width)));
    start = stop;
  }
  return parts.join("");
}
