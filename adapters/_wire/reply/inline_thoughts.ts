import { fences } from "../../_reading/fence.ts";

/** A text and the thoughts that stood before it. */
export interface SplitText {
  /** What the model thought, without the marks and the white space next to them. */
  readonly thoughts: string;
  /** What it says, without the white space before it. */
  readonly text: string;
}

/** What frames the text after thoughts that had a part of their own. */
const FRAME_START =
  /^(?:(?:<\|start\|>assistant)?<\|channel\|>final(?: *<\|constrain\|>\w+)?(?:<\|message\|>)?|<\|begin_of_solution\|>)/;
const FRAME_END = /(?:<\|return\|>|<\|end\|>|<\|end_of_solution\|>)\s*$/;

/**
 * Parts a text from the thoughts that it begins with, for models behind a server that does not. They are in marks, of
 * which the opening one may be missing where the template wrote it; several such blocks in a row all are thoughts, and
 * so is one that is never closed. Marks in the middle of a text, or in code, are text. Absent: there are no thoughts.
 */
export function splitThoughts(whole: string): SplitText | undefined {
  const thoughts: string[] = [];
  let rest = whole;
  for (;;) {
    const block = blockAtStart(rest) ??
      (thoughts.length === 0 ? lonelyEnd(rest) ?? unmarkedChannel(rest) : undefined);
    if (block === undefined) break;
    thoughts.push(block.thoughts.trim());
    rest = block.text.trimStart();
  }
  const isFramed = FRAME_START.test(rest);
  if (thoughts.length === 0 && !isFramed) return undefined;
  const text = isFramed ? rest.replace(FRAME_START, "").replace(FRAME_END, "") : rest;
  return { thoughts: thoughts.filter((thought) => thought !== "").join("\n\n"), text };
}

/** The marks that a model, or its template, puts around thoughts; case plays no part. */
export interface ThoughtMarks {
  readonly opening: RegExp;
  /** Its group tells what opens from what closes. */
  readonly either: RegExp;
}

/** The names of the tags that thoughts stand in. */
const NAME = "(?:[a-z]{1,20}:)?(?:ant)?" +
  "(?:think(?:ing)?(?:_process)?|thoughts?|reasoning|scratch_?pad|inner_(?:thoughts?|monologue))";
const ATTRIBUTES = "(?:\\s[^<>\\n]{0,100})?";

const TAG = new RegExp(`^\\s*<(${NAME})${ATTRIBUTES}(?<!/)>`, "i");

/** A tag that says that nothing was thought. */
const EMPTY_TAG = new RegExp(`^\\s*<${NAME}\\s*/>`, "i");

/** A tag of which the end has not come. */
const BEGUN_TAG = new RegExp(
  `^<(?:[a-z_]{0,20}(?::[a-z_]{0,20})?|${NAME}\\s[^<>\\n]{0,100})$`,
  "i",
);

const MARKS: readonly ThoughtMarks[] = [
  { opening: /^\s*\[THINK\]/i, either: /(\[THINK\])|\[\/THINK\]/gi },
  { opening: /^\s*\[THINKING\]/i, either: /(\[THINKING\])|\[\/THINKING\]/gi },
  { opening: /^\s*\[REASONING\]/i, either: /(\[REASONING\])|\[\/REASONING\]/gi },
  { opening: /^\s*◁think▷/i, either: /(◁think▷)|◁\/think▷/gi },
  { opening: /^\s*<\|START_THINKING\|>/i, either: /(<\|START_THINKING\|>)|<\|END_THINKING\|>/gi },
  {
    opening: /^\s*<\|begin_of_thought\|>/i,
    either: /(<\|begin_of_thought\|>)|<\|end_of_thought\|>/gi,
  },
  { opening: /^\s*<\|think\|>/i, either: /(<\|think\|>)|<\|\/think\|>/gi },
  { opening: /^\s*<\|thinking\|>/i, either: /(<\|thinking\|>)|<\|\/thinking\|>/gi },
  { opening: /^\s*<\|inner_prefix\|>/i, either: /(<\|inner_prefix\|>)|<\|inner_suffix\|>/gi },
  { opening: /^\s*<unused94>/i, either: /(<unused94>)|<unused95>/gi },
  { opening: /^\s*<\|channel>thought/i, either: /(<\|channel>thought)|<channel\|>/gi },
  {
    // What is said on its way to a call is no answer either; what is addressed to a tool is a call.
    opening:
      /^\s*(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)(?! *to=)(?:<\|message\|>)?/i,
    either: /(?!)()|<\|end\|>|(?=<\|start\|>|<\|channel\|>)/gi,
  },
];

/** What those open with, to tell a mark that is not whole yet. */
const OPENINGS = [
  ...["[think]", "[thinking]", "[reasoning]", "◁think▷", "<|start_thinking|>", "<|think|>"],
  ...["<|thinking|>", "<|begin_of_thought|>", "<|inner_prefix|>", "<unused94>"],
  ...["<|channel>thought", "<|channel|>analysis", "<|start|>assistant<|channel|>analysis"],
  ...["<|channel|>commentary", "<|start|>assistant<|channel|>commentary"],
];

/** The marks that a text begins with, and what stands after the opening one. Absent: it begins with none. */
export function openedThoughts(text: string): { marks: ThoughtMarks; inside: string } | undefined {
  const tag = TAG.exec(text);
  if (tag !== null) {
    const either = new RegExp(`(<${tag[1]}${ATTRIBUTES}>)|</${tag[1]}\\s*>`, "gi");
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
  return BEGUN_TAG.test(start) ||
    OPENINGS.some((mark) => mark.length > start.length && mark.startsWith(start));
}

/** The block that a text begins with: up to the mark that closes it, blocks inside it included. */
function blockAtStart(text: string): SplitText | undefined {
  const empty = EMPTY_TAG.exec(text)?.[0];
  if (empty !== undefined) return { thoughts: "", text: text.slice(empty.length) };
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

/** Marks of which a template may write the opening one, so that the reply has the closing one alone. */
const TEMPLATE_OPENING =
  `<${NAME}${ATTRIBUTES}>|\\[(?:THINK|THINKING|REASONING)\\]|◁think▷|<unused94>|` +
  "<\\|(?:START_THINKING|begin_of_thought|think|thinking|inner_prefix)\\|>";
const TEMPLATE_CLOSING = `</${NAME}\\s*>|\\[/(?:THINK|THINKING|REASONING)\\]|◁/think▷|<unused95>|` +
  "<\\|(?:END_THINKING|end_of_thought|/think|/thinking|inner_suffix)\\|>";
const OPEN_OR_CLOSE = new RegExp(`[\`\\n]|(${TEMPLATE_OPENING})|(${TEMPLATE_CLOSING})`, "gi");

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

/** What stands in channels of which a server took out the marks, and left their names alone. */
function unmarkedChannel(text: string): SplitText | undefined {
  const found = /^\s*analysis(?=\S)([^]*?\S)(?:assistantfinal|(?=assistantcommentary\s*to=))/.exec(
    text,
  );
  const [whole, thoughts] = found ?? [];
  if (whole === undefined || thoughts === undefined) return undefined;
  return { thoughts, text: text.slice(whole.length) };
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
