import { writeSync } from "node:fs";
import process from "node:process";
import { type ByteOutput, isDeno } from "../../types/mod.ts";

/** The standard error of this process, and what is known of the terminal behind it. */
interface StandardError extends ByteOutput {
  isTerminal(): boolean;
  /** Whether the user wants no colours. */
  noColor(): boolean;
  /** How wide the terminal is; 0 where it does not tell. */
  columns(): number;
}

/**
 * Deno tells the terminal's facts without a permission, Node and Bun by their `process`. Written is at once: a stream's
 * own error would come later and end the program.
 */
export const standardError: StandardError = {
  writeSync: (bytes) => isDeno() ? Deno.stderr.writeSync(bytes) : writeSync(2, bytes),
  isTerminal: () => isDeno() ? Deno.stderr.isTerminal() : process.stderr.isTTY === true,
  noColor: () => isDeno() ? Deno.noColor : Boolean(process.env.NO_COLOR),
  columns: () => isDeno() ? Deno.consoleSize().columns : process.stderr.columns ?? 0,
};
