/** What a line of a stream may be. */
export interface LineLimit {
  /** How long it may be, in UTF-16 units. */
  readonly maxLength: number;
  /** The error for one that is longer. */
  tooLong(): Error;
}

/** One event of a stream. */
export interface SseEvent {
  /** Its data lines, joined by a line feed. */
  readonly data: string;
  /** Whether the stream ended before the blank line that ends an event: the data may have been cut off. */
  readonly unterminated: boolean;
  /** Its id. Absent: it has none. */
  readonly id?: string;
  /** How long to wait before the stream is asked for again, in milliseconds. Absent: it does not say. */
  readonly retryMs?: number;
}

/**
 * The events of a server-sent event stream, as the WHATWG text reads it: lines end in LF, CRLF or CR; lines that begin
 * with a colon are comments; one space after the colon is no part of the value. One leniency: an event that the end
 * of the stream left pending is given too. Event types say nothing here and are skipped, and so are events without
 * data, an id and a retry time.
 *
 * @param chunks The text of the stream, cut anywhere but inside a character.
 * @throws What the limit gives, for a line that is too long.
 */
export async function* sseEvents(
  chunks: AsyncIterable<string>,
  limit: LineLimit,
): AsyncGenerator<SseEvent> {
  let data: string[] = [];
  let marks: Pick<SseEvent, "id" | "retryMs"> = {};
  for await (const line of lines(chunks, limit)) {
    if (line === "" || line === END_OF_STREAM) {
      const event = { data: data.join("\n"), unterminated: line !== "", ...marks };
      const says = event.data !== "" || Object.keys(marks).length > 0;
      data = [];
      marks = {};
      if (says) yield event;
      continue;
    }
    const [, name, value = ""] = FIELD.exec(line) ?? [];
    if (name === "data") data.push(value);
    if (name === "id" && !value.includes("\0")) marks = { ...marks, id: value };
    if (name === "retry" && /^\d+$/.test(value)) marks = { ...marks, retryMs: Number(value) };
  }
}

const FIELD = /^([a-z]+)(?:: ?(.*))?$/s;

/** No line of a stream: it holds a line feed. */
const END_OF_STREAM = "\n";

async function* lines(
  chunks: AsyncIterable<string>,
  limit: LineLimit,
): AsyncGenerator<string> {
  const bounded = (line: string): string => {
    if (line.length <= limit.maxLength) return line;
    throw limit.tooLong();
  };
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
