import type { ErrorInfo } from "../../types/mod.ts";
import { type Markup, markup } from "./markup.ts";
import type { ShownTexts } from "./shown_text.ts";

/** An error, with its stack folded. */
export function errorPart(error: ErrorInfo | undefined, texts: ShownTexts): Markup | undefined {
  if (error === undefined) return undefined;
  const { stack } = error;
  return markup`<p class="bad">${errorText(error, texts)}</p>${
    stack === undefined
      ? undefined
      : markup`<details><summary>stack</summary>${texts.block(stack)}</details>`
  }`;
}

/** An error within a line. */
export function errorText({ name, message }: ErrorInfo, texts: ShownTexts): string {
  return `${name}: ${texts.line(message)}`;
}
