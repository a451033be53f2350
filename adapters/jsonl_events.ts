/**
 * A sink that keeps events in a file, one JSON line each.
 *
 * @example
 * ```ts
 * import { jsonlEvents } from "@polyloop/polyloop/adapters/jsonl-events";
 *
 * using events = jsonlEvents("events.jsonl"); // for defineAgent({ …, events })
 * ```
 *
 * @module
 */
import { closeSync, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { type ByteOutput, writeText } from "../types/mod.ts";
import type { EventSink, RunEvent } from "../ports/mod.ts";

/** A sink that holds a file open: close it when the last run is over. */
export interface JsonlEvents extends EventSink, Disposable {
  /** Closes the file. Later events are refused. */
  close(): void;
}

/**
 * Appends each event to a file as one line of JSON, of all runs in the order in which they come. The file is opened
 * with the first event, and made if it is not there; a torn last line of an earlier process is ended, so that no event
 * is glued to it. Lines are written at once but not synced: the log of a run is in its store, this is a view of it.
 *
 * @param path Where the file is. Nothing is done with it before the first event.
 */
export function jsonlEvents(path: string | URL): JsonlEvents {
  let file: OpenFile | undefined;
  let isClosed = false;
  const close = (): void => {
    isClosed = true;
    file?.close();
    file = undefined;
  };
  return {
    emit(event: RunEvent): void {
      if (isClosed) throw new Error("Cannot write the event as the sink is closed");
      file ??= openAtLineStart(path);
      writeText(file, `${JSON.stringify(event)}\n`);
    },
    parameters: () => ({}),
    close,
    [Symbol.dispose]: close,
  };
}

interface OpenFile extends ByteOutput {
  close(): void;
}

function openAtLineStart(path: string | URL): OpenFile {
  const descriptor = openSync(path, "a+");
  const file: OpenFile = {
    writeSync: (bytes) => writeSync(descriptor, bytes),
    close: () => closeSync(descriptor),
  };
  try {
    const { size } = fstatSync(descriptor);
    const last = new Uint8Array(1);
    if (size > 0) readSync(descriptor, last, 0, 1, size - 1);
    if (size > 0 && last[0] !== 0x0a) writeText(file, "\n");
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}
