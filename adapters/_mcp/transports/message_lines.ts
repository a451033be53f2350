import { MAX_MESSAGE_BYTES } from "../link.ts";

/**
 * The lines of a stream of bytes, as UTF-8: one message each, as stdio carries them. What the end cut off is none. No
 * more is held than one line may have.
 *
 * @throws {RangeError} If a line is longer than {@link MAX_MESSAGE_BYTES}.
 */
export async function* messageLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const line = new LineBytes();
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
      line.add(chunk.subarray(start, end));
      yield line.take();
      start = end + 1;
    }
    line.add(chunk.subarray(start));
  }
}

const LF = 10;

/** The bytes of a line that has not ended, in one place, however small the pieces are that it comes in. */
class LineBytes {
  #bytes = new Uint8Array(FIRST_SIZE);
  #size = 0;

  add(piece: Uint8Array): void {
    const size = this.#size + piece.length;
    if (size > MAX_MESSAGE_BYTES) {
      throw new RangeError(`it wrote a line of more than ${MAX_MESSAGE_BYTES} bytes`);
    }
    if (size > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(size, 2 * this.#bytes.length));
      grown.set(this.#bytes.subarray(0, this.#size));
      this.#bytes = grown;
    }
    this.#bytes.set(piece, this.#size);
    this.#size = size;
  }

  take(): string {
    const text = new TextDecoder().decode(this.#bytes.subarray(0, this.#size));
    this.#bytes = new Uint8Array(FIRST_SIZE);
    this.#size = 0;
    return text;
  }
}

const FIRST_SIZE = 4_096;
