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
import { writeText } from "../types/mod.ts";
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
  let file: Deno.FsFile | undefined;
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

function openAtLineStart(path: string | URL): Deno.FsFile {
  const file = Deno.openSync(path, { read: true, append: true, create: true });
  try {
    if (file.statSync().size > 0) {
      const last = new Uint8Array(1);
      file.seekSync(-1, Deno.SeekMode.End);
      file.readSync(last);
      if (last[0] !== 0x0a) writeText(file, "\n");
    }
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}
