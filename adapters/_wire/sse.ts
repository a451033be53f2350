import { ModelCallError } from "../../types/mod.ts";

/** How long one line of an event stream may be, in UTF-16 units. */
export const MAX_LINE_LENGTH: number = 8 * 1024 * 1024;

/** One event of a stream. */
export interface SseEvent {
  /** Its data lines, joined by a line feed. */
  readonly data: string;
  /** Whether the stream ended before the blank line that ends an event: the data may have been cut off. */
  readonly unterminated: boolean;
}

/**
 * The events of a server-sent event stream, as the WHATWG text reads it: lines end in LF, CRLF or CR; lines that begin
 * with a colon are comments; one space after the colon is no part of the value. One leniency: an event that the end
 * of the stream left pending is given too. Event types, ids and retry times say nothing here and are skipped, and so
 * are events without data.
 *
 * @param chunks The text of the stream, cut anywhere but inside a character.
 * @throws {ModelCallError} `malformed_response`, for a line longer than {@link MAX_LINE_LENGTH}.
 */
export async function* sseEvents(chunks: AsyncIterable<string>): AsyncGenerator<SseEvent> {
  let data: string[] = [];
  for await (const line of lines(chunks)) {
    if (line === "" || line === END_OF_STREAM) {
      const text = data.join("\n");
      data = [];
      if (text !== "") yield { data: text, unterminated: line !== "" };
    } else if (line === "data") {
      data.push("");
    } else if (line.startsWith("data:")) {
      data.push(line.slice(line[5] === " " ? 6 : 5));
    }
  }
}

/** No line of a stream: it holds a line feed. */
const END_OF_STREAM = "\n";

async function* lines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let line = "";
  let afterReturn = false; // a line feed that follows a carriage return ends no second line
  for await (const chunk of chunks) {
    if (chunk === "") continue;
    const text = afterReturn && chunk.startsWith("\n") ? chunk.slice(1) : chunk;
    afterReturn = chunk.endsWith("\r");
    let start = 0;
    for (const end of text.matchAll(/\r\n|\r|\n/g)) {
      yield bounded(line + text.slice(start, end.index));
      line = "";
      start = end.index + end[0].length;
    }
    line = bounded(line + text.slice(start));
  }
  if (line !== "") yield line;
  yield END_OF_STREAM;
}

function bounded(line: string): string {
  if (line.length <= MAX_LINE_LENGTH) return line;
  throw new ModelCallError(`a line of the stream is longer than ${MAX_LINE_LENGTH} characters`, {
    kind: "malformed_response",
    retriable: false,
  });
}
