/**
 * How large a line may be, in bytes: a reader has to hold one whole, and the text of one must be smaller than the
 * largest that the engine can make.
 */
export const MAX_LINE_BYTES: number = 256 * 1024 * 1024;

/** Whether a line is larger than a reader takes. */
export function isTooLong(line: string): boolean {
  // A UTF-16 unit takes three bytes at most: most lines need not be measured.
  return line.length * 3 > MAX_LINE_BYTES &&
    new TextEncoder().encode(line).length > MAX_LINE_BYTES;
}

/** The error for a line that is. */
export function lineTooLong(seq: number): Error {
  return new Error(`the line of entry ${seq} has more than ${MAX_LINE_BYTES} bytes`);
}
