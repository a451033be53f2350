import { fences } from "../../_reading/fence.ts";

/** A text and the thoughts that stood before it. */
export interface SplitText {
  /** What the model thought, without the marks and the white space next to them. */
  readonly thoughts: string;
  /** What it says, without the white space before it. */
  readonly text: string;
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

/** The marks that a model, or its template, puts around thoughts; case plays no part. */
export interface ThoughtMarks {
  readonly opening: RegExp;
  /** Its group tells what opens from what closes. */
  readonly either: RegExp;
}

const TAG = /^\s*<(think|thinking|thought|thoughts|reasoning|seed:think)>/i;

const MARKS: readonly ThoughtMarks[] = [
  { opening: /^\s*\[THINK\]/i, either: /(\[THINK\])|\[\/THINK\]/gi },
  { opening: /^\s*◁think▷/i, either: /(◁think▷)|◁\/think▷/gi },
  {
    opening: /^\s*<\|START_THINKING\|>/i,
    either: /(<\|START_THINKING\|>)|<\|END_THINKING\|>/gi,
  },
  { opening: /^\s*<\|channel>thought/i, either: /(<\|channel>thought)|<channel\|>/gi },
  {
    opening: /^\s*(?:<\|start\|>assistant)?<\|channel\|>analysis(?:<\|message\|>)?/i,
    either: /(<\|channel\|>analysis)|<\|end\|>/gi,
  },
];

/** What the patterns above open with, to tell a mark that is not whole yet. */
const OPENINGS = [
  ...["<think>", "<thinking>", "<thought>", "<thoughts>", "<reasoning>", "<seed:think>"],
  ...["[think]", "◁think▷", "<|start_thinking|>", "<|channel>thought", "<|channel|>analysis"],
  "<|start|>assistant<|channel|>analysis",
];

/** The marks that a text begins with, and what stands after the opening one. Absent: it begins with none. */
export function openedThoughts(text: string): { marks: ThoughtMarks; inside: string } | undefined {
  const tag = TAG.exec(text);
  if (tag !== null) {
    const either = new RegExp(`(<${tag[1]}>)|</${tag[1]}>`, "gi");
    return { marks: { opening: TAG, either }, inside: text.slice(tag[0].length) };
  }
  for (const marks of MARKS) {
    const opened = marks.opening.exec(text)?.[0];
    if (opened !== undefined) return { marks, inside: text.slice(opened.length) };
  }
}

/** Whether a text may go on to be an opening mark. */
export function mayOpenThoughts(text: string): boolean {
  const start = text.toLowerCase();
  return OPENINGS.some((mark) => mark.length > start.length && mark.startsWith(start));
}

/** The block that a text begins with: up to the mark that closes it, blocks inside it included. */
function blockAtStart(text: string): SplitText | undefined {
  const { marks, inside } = openedThoughts(text) ?? {};
  if (marks === undefined || inside === undefined) return undefined;
  let depth = 1;
  let end = { before: inside.length, after: inside.length }; // where nothing closes it, all is inside
  for (const { 0: { length }, 1: again, index } of inside.matchAll(marks.either)) {
    depth += again === undefined ? -1 : 1;
    if (again === undefined) end = { before: index, after: index + length };
    if (depth === 0) break;
  }
  return { thoughts: inside.slice(0, end.before), text: inside.slice(end.after) };
}

/** The marks of which a template may write the opening one, so that the reply has the closing one alone. */
const OPEN_OR_CLOSE =
  /[`\n]|(<(?:think|thinking|thought|thoughts|reasoning|seed:think)>|\[THINK\]|◁think▷|<\|START_THINKING\|>)|(<\/(?:think|thinking|thought|thoughts|reasoning|seed:think)>|\[\/THINK\]|◁\/think▷|<\|END_THINKING\|>)/gi;

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
