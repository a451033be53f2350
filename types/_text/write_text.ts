/** Takes bytes, as `Deno.stderr` and `Deno.FsFile` do. */
export interface ByteOutput {
  /** Takes a beginning of the bytes, and says how many it took. */
  writeSync(bytes: Uint8Array): number;
}

const encoder = new TextEncoder();

/**
 * Writes a text whole, as UTF-8, however little the output takes at once. What the output throws, it throws.
 *
 * @example
 * ```ts
 * import { writeText } from "../mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const taken: number[] = [];
 * const output = { writeSync: ([first = 0]: Uint8Array) => taken.push(first) && 1 };
 * writeText(output, "é\n");
 * assertEquals(taken, [0xc3, 0xa9, 0x0a]);
 * ```
 */
export function writeText(output: ByteOutput, text: string): void {
  let bytes = encoder.encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(output.writeSync(bytes));
}
