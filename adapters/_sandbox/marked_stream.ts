import type { BoundedOutput } from "../_process/bounded_output.ts";

/**
 * Reads a stream to its end. Where the first mark stands in it, with one letter after it, the letter is heard, once all
 * bytes before it were written to the output; the bytes of neither are. From there on the next mark is looked for.
 *
 * @param markOf The marks, from number 0; all of one length, in ASCII.
 */
export async function readMarkedStream(
  stream: ReadableStream<Uint8Array>,
  markOf: (number: number) => string,
  output: BoundedOutput,
  hear: (letter: string) => void,
): Promise<void> {
  const encoder = new TextEncoder();
  let count = 0;
  let marker = encoder.encode(markOf(count));
  let held = new Uint8Array();
  for await (const chunk of stream) {
    const bytes = new Uint8Array(held.length + chunk.length);
    bytes.set(held);
    bytes.set(chunk, held.length);
    let start = 0;
    for (
      let found = nextMark(bytes, marker, 0);
      found !== undefined;
      found = nextMark(bytes, marker, start)
    ) {
      output.write(bytes.subarray(start, found.at));
      start = found.at + marker.length + 1;
      marker = encoder.encode(markOf(++count));
      hear(String.fromCharCode(found.letter));
    }
    const end = Math.max(start, bytes.length - marker.length); // the rest may be the beginning of a mark
    output.write(bytes.subarray(start, end));
    held = bytes.slice(end);
  }
  output.write(held);
}

/** The next mark with its letter. Absent: none has come whole. */
function nextMark(
  bytes: Uint8Array,
  marker: Uint8Array,
  from: number,
): { readonly at: number; readonly letter: number } | undefined {
  const [first = 0] = marker;
  for (let at = bytes.indexOf(first, from); at !== -1; at = bytes.indexOf(first, at + 1)) {
    if (!marker.every((byte, i) => bytes[at + i] === byte)) continue;
    const letter = bytes[at + marker.length];
    return letter === undefined ? undefined : { at, letter };
  }
  return undefined;
}
