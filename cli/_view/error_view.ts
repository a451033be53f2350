import type { ErrorInfo } from "../../types/mod.ts";
import { type Markup, markup } from "./markup.ts";
import type { ShownTexts } from "./shown_text.ts";

/** How an error is shown. */
export interface ErrorViewOptions {
  /** What leads to it. Default: nothing. */
  readonly words?: string;
  /** The class of its line. Default: `bad`. */
  readonly style?: string;
}

/** How long a message may be to stand in the error's line, in code units. */
const MAX_IN_LINE = 300;

/** An error, with its stack folded; a message that is long or has lines of its own stands apart. */
export function errorPart(
  error: ErrorInfo | undefined,
  texts: ShownTexts,
  { words = "", style = "bad" }: ErrorViewOptions = {},
): Markup | undefined {
  if (error === undefined) return undefined;
  const { name, message, stack } = error;
  const isApart = message.length > MAX_IN_LINE || message.includes("\n");
  return markup`<p class="${style}">${words}${name}${
    isApart ? "" : `: ${texts.line(message)}`
  }</p>${isApart ? texts.block(message) : undefined}${
    stack === undefined
      ? undefined
      : markup`<details><summary>stack</summary>${texts.block(stack)}</details>`
  }`;
}
