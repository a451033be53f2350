import type { BoundedOutput } from "../_process/bounded_output.ts";

/**
 * Reads a stream to its end. Wherever the mark stands in it, with one letter behind it, the letter is heard, once all
 * bytes before it were written to the output; the bytes of neither are.
 */
export async function readMarkedStream(
  stream: ReadableStream<Uint8Array>,
  mark: string,
  output: BoundedOutput,
  hear: (letter: string) => void,
): Promise<void> {
  const marker = new TextEncoder().encode(mark);
  let held = new Uint8Array();
  for await (const chunk of stream) {
    const bytes = new Uint8Array(held.length + chunk.length);
    bytes.set(held);
    bytes.set(chunk, held.length);
    let start = 0;
    for (
      let at = indexOf(bytes, marker, 0);
      at !== -1 && at + marker.length < bytes.length;
      at = indexOf(bytes, marker, start)
    ) {
      output.write(bytes.subarray(start, at));
      start = at + marker.length + 1;
      hear(String.fromCharCode(bytes[start - 1]!));
    }
    const end = Math.max(start, bytes.length - marker.length); // the rest may be the beginning of a mark
    output.write(bytes.subarray(start, end));
    held = bytes.slice(end);
  }
  output.write(held);
}

function indexOf(bytes: Uint8Array, marker: Uint8Array, from: number): number {
  for (
    let at = bytes.indexOf(marker[0]!, from);
    at !== -1;
    at = bytes.indexOf(marker[0]!, at + 1)
  ) {
    if (marker.every((byte, i) => bytes[at + i] === byte)) return at;
  }
  return -1;
}
