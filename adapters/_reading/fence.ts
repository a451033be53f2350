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
}

/**
 * The fenced blocks of a text, in order, as CommonMark reads them: three or more backticks or tildes open a block, at
 * least as many of the same close it, and an unclosed one reaches to the end of the text. Unlike CommonMark, an
 * opening fence may be indented by any width, as it is in a list item; the closing one by up to three more. Up to the
 * width of the opening fence's indentation is taken off each line; else the body is as it was, CR included.
 */
export function* fences(text: string): Generator<Fence, undefined, undefined> {
  const lines = linesOf(text);
  let next = 0; // the first line that is not read yet
  for (const [i, line] of lines.entries()) {
    const opening = i < next ? undefined : readOpening(line.text);
    if (opening === undefined) continue;
    const first = i + 1;
    let last = first;
    let closing = lines[last];
    while (closing !== undefined && !closes(closing.text, opening)) closing = lines[++last];
    const body = lines.slice(first, last)
      .map((line, at) =>
        unindent(line.text, opening.indent) + (at < last - first - 1 ? line.ending : "")
      );
    yield {
      language: opening.language,
      body: body.join(""),
      line: i + 1,
      end: closing === undefined ? text.length : closing.end,
      closed: closing !== undefined,
    };
    next = last + 1;
  }
}

interface Line {
  readonly text: string;
  readonly ending: string;
  /** The offset after the line's text, before its ending. */
  readonly end: number;
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start <= text.length;) {
    const feed = text.indexOf("\n", start);
    const stop = feed === -1 ? text.length : feed;
    const end = feed > start && text[feed - 1] === "\r" ? feed - 1 : stop;
    lines.push({ text: text.slice(start, end), ending: text.slice(end, stop + 1), end });
    start = stop + 1;
  }
  return lines;
}

interface Opening {
  readonly indent: number;
  readonly mark: string;
  readonly length: number;
  readonly language: string;
}

function readOpening(line: string): Opening | undefined {
  const [start, indent = "", fence = ""] = /^([ \t]*)(`{3,}|~{3,})/.exec(line) ?? [];
  if (start === undefined) return undefined;
  const info = line.slice(start.length).trim();
  const mark = fence.charAt(0);
  if (mark === "`" && info.includes("`")) return undefined;
  const [language = ""] = info.split(/\s/, 1);
  return { indent: indent.length, mark, length: fence.length, language };
}

function closes(line: string, opening: Opening): boolean {
  const indent = indentOf(line);
  const fence = line.slice(indent).trimEnd();
  return indent <= opening.indent + 3 && fence.length >= opening.length &&
    fence === opening.mark.repeat(fence.length);
}

function unindent(line: string, width: number): string {
  return line.slice(Math.min(width, indentOf(line)));
}

function indentOf(line: string): number {
  return line.search(/[^ \t]|$/);
}
