import { type ByteOutput, fitColumns, paint, type Style, writeText } from "../../types/mod.ts";

/** What can be shown on an output. */
export interface LiveScreenOptions {
  /** Where lines go. */
  readonly output: ByteOutput;
  /** Whether that is a terminal, which alone can have a live line. */
  readonly isTerminal: boolean;
  /** Whether there are colours. */
  readonly hasColor: boolean;
  /** How many columns a line may take right now. */
  columns(): number;
}

/** Lines that stay, and on a terminal a last one that lives. Lines must be harmless; they are cut to the columns. */
export interface LiveScreen {
  /** Writes a line that stays. */
  line(text: string, style?: Style): void;
  /** Puts a text in the place of the live line. */
  live(text: string): void;
}

/** A {@link LiveScreen} on an output. */
export function liveScreen(
  { output, isTerminal, hasColor, columns }: LiveScreenOptions,
): LiveScreen {
  let isLive = false;
  const clear = (): string => isLive ? "\r\x1b[2K" : "";
  return {
    line(text, style) {
      const cut = fitColumns(text, columns());
      const shown = style === undefined ? cut : paint({ hasColor }, style, cut);
      writeText(output, `${clear()}${shown}\n`);
      isLive = false;
    },
    live(text) {
      if (!isTerminal) return;
      const cut = fitColumns(text, columns() - 1);
      writeText(output, clear() + paint({ hasColor }, "faint", cut));
      isLive = true;
    },
  };
}
