/** Whether the type of an event says that it is an error, with data or without. */
export function isErrorType(type: string): boolean {
  return /(?:^|[_.-])(?:error|exception)$/i.test(type);
}

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

/** A part of a stream: what the standard knows, and what it ignores but servers say why they stopped in. */
export type SsePart =
  | (SseEvent & {
    readonly kind: "event";
    /** Its type; empty where it says none. */
    readonly type: string;
  })
  /** What lines with an `error` field say. */
  | { readonly kind: "error"; readonly data: string }
  /** Lines that are no fields, as far as they stand together. */
  | { readonly kind: "stray"; readonly data: string };

const FIELD = /^(data|event|[Ee]rror|ERROR|id|retry)(?:: ?(.*))?$|^:/s;
const NAMES = ["data", "event", "error", "id", "retry"];

/** Whether a text begins like an event stream. */
export function beginsEventStream(text: string): boolean {
  const [line = ""] = text.split(/[\r\n]/, 1);
  return FIELD.test(line);
}

/** Whether a line of a text is an event's. */
export function hasEvents(text: string): boolean {
  return /^(?:data|event|error):/m.test(text);
}

/** Whether a line may be a field that was cut in its name; or it is empty. */
export function isCutField(line: string): boolean {
  return NAMES.some((name) => name.startsWith(line));
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
  for await (const part of sseParts(chunks, limit)) {
    if (part.kind !== "event") continue;
    const { kind: _, type: __, ...event } = part;
    yield event;
  }
}

/**
 * The same events, each with its type, and what stands between them and is no event.
 *
 * @throws What the limit gives, for a line that is too long.
 */
export async function* sseParts(
  chunks: AsyncIterable<string>,
  limit: LineLimit,
): AsyncGenerator<SsePart> {
  const pending = new PendingEvent();
  const splitter = new LineSplitter(limit);
  for await (const chunk of chunks) {
    for (const line of splitter.take(chunk)) yield* partsAfter(pending, line);
  }
  if (splitter.rest !== "") yield* partsAfter(pending, splitter.rest);
  yield* pending.stray();
  yield* pending.parts(true);
}

const NOTHING: readonly SsePart[] = [];

/** What a line ends. A stream can be all blank lines: those after the first cost next to nothing. */
function partsAfter(pending: PendingEvent, line: string): Iterable<SsePart> {
  if (line === "") return pending.isEmpty ? NOTHING : pending.parts(false);
  if (!FIELD.test(line)) {
    pending.takeStray(line);
    return NOTHING;
  }
  const stray = pending.isStray ? [...pending.stray()] : NOTHING;
  pending.take(line);
  return stray;
}

/** How long lines in a row that are no fields may become before no further one is kept, in UTF-16 units. */
export const MAX_STRAY_LENGTH = 65_536;

/** What has come of an event that is not over. */
class PendingEvent {
  #type = "";
  #data: string[] = [];
  #marks: Pick<SseEvent, "id" | "retryMs"> = {};
  #errors: string[] = [];
  #errorIsFirst = false;
  #stray: string[] = [];
  #strayLength = 0;

  /** Whether no field of an event has come. */
  get isEmpty(): boolean {
    return this.#data.length === 0 && this.#errors.length === 0 && this.#type === "" &&
      Object.keys(this.#marks).length === 0;
  }

  /** Whether lines have come that are no fields. */
  get isStray(): boolean {
    return this.#stray.length > 0;
  }

  /** Takes a field, or a comment. */
  take(line: string): void {
    const [, name, value = ""] = FIELD.exec(line) ?? [];
    if (name === "data") this.#data.push(value);
    if (name?.toLowerCase() === "error") {
      this.#errorIsFirst ||= this.#data.length === 0;
      this.#errors.push(value);
    }
    if (name === "event") this.#type = value;
    if (name === "id" && !value.includes("\0")) this.#marks = { ...this.#marks, id: value };
    if (name === "retry" && /^\d+$/.test(value)) {
      this.#marks = { ...this.#marks, retryMs: Number(value) };
    }
  }

  /** Takes a line that is no field. Of a long row the first lines are kept: they tell an error, or a page. */
  takeStray(line: string): void {
    if (this.#strayLength > MAX_STRAY_LENGTH) return;
    this.#stray.push(line);
    this.#strayLength += line.length + 1;
  }

  /** Ends the event. */
  *parts(unterminated: boolean): Generator<SsePart> {
    const event = { data: this.#data.join("\n"), unterminated, ...this.#marks };
    const type = this.#type.trim();
    const says = event.data !== "" || Object.keys(this.#marks).length > 0 || isErrorType(type);
    const error = this.#errors.join("\n");
    const errorIsFirst = this.#errorIsFirst;
    this.#errorIsFirst = false;
    this.#type = "";
    this.#data = [];
    this.#marks = {};
    this.#errors = [];
    if (error !== "" && errorIsFirst) yield { kind: "error", data: error };
    if (says) yield { kind: "event", type, ...event };
    if (error !== "" && !errorIsFirst) yield { kind: "error", data: error };
  }

  /** Ends a row of lines that are no fields. */
  *stray(): Generator<SsePart> {
    if (this.#stray.length === 0) return;
    const data = this.#stray.join("\n");
    this.#stray = [];
    this.#strayLength = 0;
    yield { kind: "stray", data };
  }
}

/** Cuts the text of a stream into lines. */
class LineSplitter {
  readonly #limit: LineLimit;
  #rest = "";
  /** A line feed that follows a carriage return ends no second line. */
  #afterReturn = false;

  constructor(limit: LineLimit) {
    this.#limit = limit;
  }

  /** What follows the last line. */
  get rest(): string {
    return this.#rest;
  }

  /** Takes the next text, and gives the lines that it ends. */
  *take(chunk: string): Generator<string> {
    if (chunk === "") return;
    let start = this.#afterReturn && chunk.startsWith("\n") ? 1 : 0;
    this.#afterReturn = chunk.endsWith("\r");
    const ends = /\r\n?|\n/g;
    ends.lastIndex = start;
    while (ends.test(chunk)) {
      const end = ends.lastIndex;
      const length = chunk.startsWith("\r\n", end - 2) && end - 2 >= start ? 2 : 1;
      yield this.#bounded(this.#rest + chunk.slice(start, end - length));
      this.#rest = "";
      start = end;
    }
    this.#rest = this.#bounded(this.#rest + chunk.slice(start));
  }

  #bounded(line: string): string {
    if (line.length <= this.#limit.maxLength) return line;
    throw this.#limit.tooLong();
  }
}
