/** Takes bytes, as `Deno.stderr` and `Deno.FsFile` do. */
export interface ByteOutput {
  /** Takes a beginning of the bytes, and says how many it took. */
  writeSync(bytes: Uint8Array): number;
}

const encoder = new TextEncoder();

/** Writes a text whole, as UTF-8. */
export function writeText(output: ByteOutput, text: string): void {
  let bytes = encoder.encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(output.writeSync(bytes));
}
