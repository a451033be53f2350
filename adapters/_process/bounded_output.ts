import { countCodePoints, cutEnd } from "../../types/mod.ts";

/** Collects the bytes of a stream as text up to a limit, and counts what does not fit. */
export interface BoundedOutput {
  /** Takes the next bytes; a character may be split between two calls. */
  write(bytes: Uint8Array): void;
  /** Gives what was collected since the last call, and starts anew. */
  take(): { readonly text: string; readonly truncatedChars: number };
}

/**
 * A {@link BoundedOutput}: bytes are read as UTF-8, U+FFFD for what is not; at most `limit` code points are held,
 * however much arrives.
 */
export function boundedOutput(limit: number): BoundedOutput {
  let decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let text = "";
  let room = limit;
  let truncatedChars = 0;
  const add = (piece: string): void => {
    const kept = cutEnd(piece, room);
    text += kept.text;
    room -= countCodePoints(kept.text);
    truncatedChars += kept.truncatedChars;
  };
  return {
    write(bytes) {
      add(decoder.decode(bytes, { stream: true }));
    },
    take() {
      add(decoder.decode());
      const taken = { text, truncatedChars };
      decoder = new TextDecoder("utf-8", { ignoreBOM: true });
      text = "";
      room = limit;
      truncatedChars = 0;
      return taken;
    },
  };
}
