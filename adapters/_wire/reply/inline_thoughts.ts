import { fences } from "../../_reading/fence.ts";

/** A text and the thoughts that stood before it. */
export interface SplitText {
  /** What the model thought, without the marks and the white space next to them. */
  readonly thoughts: string;
  /** What it says, without the white space before it. */
  readonly text: string;
}

/** The marks that a model, or its template, puts around thoughts; case plays no part. */
interface Marks {
  /** The longest first, where one begins another. */
  readonly open: readonly string[];
  readonly close: string;
  /** Whether a template may have written the opening mark, so that the reply has the closing one alone. */
  readonly mayBeginInside: boolean;
}

const TAG_NAMES = ["think", "thinking", "thought", "thoughts", "reasoning", "seed:think"];
const CHANNEL = "<|channel|>analysis";

const MARKS: readonly Marks[] = [
  ...TAG_NAMES.map((name) => ({ open: [`<${name}>`], close: `</${name}>`, mayBeginInside: true })),
  { open: ["[think]"], close: "[/think]", mayBeginInside: true },
  { open: ["◁think▷"], close: "◁/think▷", mayBeginInside: true },
  { open: ["<|start_thinking|>"], close: "<|end_thinking|>", mayBeginInside: true },
  { open: ["<|channel>thought"], close: "<channel|>", mayBeginInside: false },
  {
    open: ["", "<|start|>assistant"].flatMap((before) => [
      `${before}${CHANNEL}<|message|>`,
      `${before}${CHANNEL}`,
    ]),
    close: "<|end|>",
    mayBeginInside: false,
  },
];

function patternOf(marks: readonly string[]): string {
  return marks.map((mark) => mark.replace(/[[\]|]/g, "\\$&")).join("|");
}

/** What frames the text after thoughts that were a channel of their own. */
const FINAL_CHANNEL = /^(?:<\|start\|>assistant)?<\|channel\|>final(?:<\|message\|>)?/;
const CHANNEL_END = /(?:<\|return\|>|<\|end\|>)\s*$/;

/**
 * Parts a text from the thoughts that it begins with, for models behind a server that does not. They are in marks, of
 * which the opening one may be missing where the template wrote it; several such blocks in a row all are thoughts, and
 * so is one that is never closed. Marks in the middle of a text, or in code, are text. Absent: there are no thoughts.
 */
export function splitThoughts(whole: string): SplitText | undefined {
  const thoughts: string[] = [];
  let rest = whole;
  for (;;) {
    const block = blockAtStart(rest) ?? (thoughts.length === 0 ? lonelyEnd(rest) : undefined);
    if (block === undefined) break;
    thoughts.push(block.thoughts.trim());
    rest = block.text.trimStart();
  }
  if (thoughts.length === 0) return undefined;
  const isFramed = FINAL_CHANNEL.test(rest);
  const text = isFramed ? rest.replace(FINAL_CHANNEL, "").replace(CHANNEL_END, "") : rest;
  return { thoughts: thoughts.filter((thought) => thought !== "").join("\n\n"), text };
}

/** How a block of thoughts begins, and what opens and closes blocks of its kind. */
export interface ThoughtBlock {
  readonly opening: RegExp;
  readonly mark: RegExp;
}

const BLOCKS: readonly ThoughtBlock[] = MARKS.map(({ open, close }) => ({
  opening: new RegExp(`^\\s*(?:${patternOf(open)})`, "i"),
  mark: new RegExp(`(${patternOf(open)})|${patternOf([close])}`, "gi"),
}));

/** The kind of block that a text begins with, and what stands after its opening mark. Absent: it begins with none. */
export function openedBlock(text: string): { block: ThoughtBlock; inside: string } | undefined {
  for (const block of BLOCKS) {
    const opened = block.opening.exec(text)?.[0];
    if (opened !== undefined) return { block, inside: text.slice(opened.length) };
  }
}

const LONGEST_MARK = Math.max(...MARKS.flatMap(({ open }) => open.map(({ length }) => length)));

/** Whether a text may go on to be an opening mark. */
export function mayOpenBlock(text: string): boolean {
  if (text.length >= LONGEST_MARK) return false;
  const start = text.toLowerCase();
  return MARKS.some(({ open }) => open.some((mark) => mark.startsWith(start)));
}

/** The block that a text begins with: up to the mark that closes it, blocks inside it included. */
function blockAtStart(text: string): SplitText | undefined {
  const { block, inside } = openedBlock(text) ?? {};
  if (block === undefined || inside === undefined) return undefined;
  let depth = 1;
  let end = { before: inside.length, after: inside.length }; // where nothing closes it, all is inside
  for (const { 0: { length }, 1: again, index } of inside.matchAll(block.mark)) {
    depth += again === undefined ? -1 : 1;
    if (again === undefined) end = { before: index, after: index + length };
    if (depth === 0) break;
  }
  return { thoughts: inside.slice(0, end.before), text: inside.slice(end.after) };
}

const LONELY = MARKS.filter((marks) => marks.mayBeginInside);
const OPEN_OR_CLOSE = new RegExp(
  `[\`\\n]|(${patternOf(LONELY.flatMap(({ open }) => open))})|(${
    patternOf(LONELY.map(({ close }) => close))
  })`,
  "gi",
);

/** What stands before and after a closing mark that has no opening one, unless the text only speaks of it. */
function lonelyEnd(text: string): SplitText | undefined {
  let code: CodeSpan[] | undefined;
  let depth = 0;
  let backticks = 0;
  for (const { 0: mark, 1: open, 2: close, index } of text.matchAll(OPEN_OR_CLOSE)) {
    if (mark === "\n") backticks = 0;
    else if (mark === "`") backticks++;
    else if (open !== undefined) depth++;
    else if (close !== undefined && depth > 0) depth--;
    else if (backticks % 2 === 0 && standsApart(text, index, index + mark.length)) {
      code ??= codeSpans(text).reverse();
      while ((code.at(-1)?.end ?? Infinity) <= index) code.pop();
      if ((code.at(-1)?.start ?? Infinity) <= index) continue;
      return { thoughts: text.slice(0, index), text: text.slice(index + mark.length) };
    }
  }
}

/** Whether a mark begins or ends a line, or stands between two words without any space: no sentence speaks of it so. */
function standsApart(text: string, start: number, end: number): boolean {
  const before = text.charAt(start - 1);
  const after = text.charAt(end);
  const atBorder = (character: string) => character === "" || /[\r\n]/.test(character);
  return atBorder(before) || atBorder(after) || !/[\s"'()]/.test(before + after);
}

/** Where a fenced block begins, and where the text after it does. */
interface CodeSpan {
  readonly start: number;
  readonly end: number;
}

function codeSpans(text: string): CodeSpan[] {
  let [atLine, start] = [1, 0];
  return [...fences(text)].map(({ line, end }) => {
    for (; atLine < line; atLine++) start = text.indexOf("\n", start) + 1;
    return { start, end };
  });
}
