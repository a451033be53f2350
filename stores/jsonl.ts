/**
 * A store that keeps each run in a file of its own, one line of JSON for each entry: data that any tool can read.
 *
 * @example
 * ```ts
 * import { jsonlStore } from "@polyloop/polyloop/stores/jsonl";
 * import { assertEquals } from "@std/assert";
 *
 * const dir = await Deno.makeTempDir();
 * const store = jsonlStore({ dir });
 * assertEquals(await store.readRun("demo-1"), null);
 * assertEquals(await store.listRuns({ unfinished: true }), []);
 * await Deno.remove(dir);
 * ```
 *
 * @module
 */
import type { RunStore } from "../ports/mod.ts";
import { refuseUnknownFields, requireDeno, type RunCatalog } from "../types/mod.ts";
import { jsonlStoreOver } from "./_jsonl/store.ts";
import { placeOption } from "./_place_option.ts";

/** The options of {@link jsonlStore}. */
export interface JsonlStoreOptions {
  /**
   * The folder that the files are in. It is made at the first start of a run if it is not there; the folder above it
   * must be there.
   */
  readonly dir: string;
}

/**
 * Makes a store over a folder: the run `demo-1` is the file `demo-1.jsonl`. It needs Deno 2.7 and the permission to
 * read and write the folder (and to read the one above it where the folder has to be made).
 *
 * - A barrier is a write and an fdatasync; the folder is synced when a file is taken up, and once for each store, where
 *   it may be read, the folder above it. An outcome is a write alone. While the store drives one run, it waits for the
 *   fdatasync in place: nothing else in this thread goes on meanwhile. While it drives more, the others go on.
 * - A run that is driven holds an advisory lock on its file, which ends with {@link RunStore.releaseRun} or with the
 *   process: a second process, or a second store in this one, gets a {@link RunLockedError} at once. The lock does not
 *   cover network file systems that have none. It cannot be taken from a process that lives.
 * - The line feed is the mark of a commit. What follows the last one and is no whole entry is the torn tail of a write
 *   that a crash cut off: reading leaves it out, and the first write after it puts it into `<file>.torn-<offset>`
 *   before it cuts it off. A file with no more than a torn first line is a run that was never started.
 * - Anything else that is not the next entry of the log is a {@link RunLogCorruptError} with its entry and the byte at
 *   which its line starts: a bad line that has its line feed, a blank line, CR LF, a byte order mark, text that is not
 *   UTF-8, another run's log under this name. Such a file is left as it is.
 * - A file that is deleted, replaced, cut short or written to by something else while its run is driven, a full disk
 *   and a failed sync end in an error before anything else is done. A failed sync is not tried again.
 *
 * @throws {InvalidRequestError} If `dir` is not a string, or this is not Deno, or one that cannot try a lock.
 */
export function jsonlStore(options: JsonlStoreOptions): RunStore & RunCatalog {
  const dir = placeOption("jsonlStore", options, "dir");
  refuseUnknownFields<JsonlStoreOptions>(options, { dir: true }, { prefix: "jsonlStore." });
  requireDeno("jsonlStore", "use ./stores/sqlite here", "2.7");
  return jsonlStoreOver(Deno, dir);
}
