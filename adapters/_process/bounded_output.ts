import { cutMiddle, type MiddleCut } from "../../types/mod.ts";

/** Collects the bytes of a stream as text up to a limit, and counts what does not fit. */
export interface BoundedOutput {
  /** Takes the next bytes; a character may be split between two calls. */
  write(bytes: Uint8Array): void;
  /** Gives the beginning and the end of what was collected since the last call, and starts anew. */
  take(): MiddleCut;
}

const NOTHING: MiddleCut = { beginning: "", end: "", truncatedChars: 0 };

/**
 * A {@link BoundedOutput}: bytes are read as UTF-8, U+FFFD for what is not; about `limit` code points are held, however
 * much arrives.
 */
export function boundedOutput(limit: number): BoundedOutput {
  let decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let held = NOTHING;
  let arrived = "";
  const cut = (): void => {
    held = cutMiddle({ ...held, end: held.end + arrived }, limit);
    arrived = "";
  };
  return {
    write(bytes) {
      arrived += decoder.decode(bytes, { stream: true });
      if (arrived.length > limit) cut(); // not at each piece: a cut goes through all that is held
    },
    take() {
      arrived += decoder.decode();
      cut();
      const taken = held;
      decoder = new TextDecoder("utf-8", { ignoreBOM: true });
      held = NOTHING;
      return taken;
    },
  };
}
