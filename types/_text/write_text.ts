/** Takes bytes, as `Deno.stderr` and `Deno.FsFile` do. */
export interface ByteOutput {
  /** Takes a beginning of the bytes, and says how many it took. */
  writeSync(bytes: Uint8Array): number;
}

const encoder = new TextEncoder();

/**
 * Writes a text whole, as UTF-8: see {@link writeBytes}.
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
  writeBytes(output, encoder.encode(text));
}

/**
 * Writes all bytes, in as many writes as it takes. What the output throws, it throws; an output that takes nothing, and
 * does not say why, is an error too.
 */
export function writeBytes(output: ByteOutput, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length;) {
    const count = output.writeSync(bytes.subarray(written));
    if (count === 0) throw new Error("the system wrote nothing and gave no reason");
    written += count;
  }
}
