import { assertEquals, assertThrows } from "@std/assert";
import { jsonlStore, type JsonlStoreOptions } from "../../stores/jsonl.ts";
import { sqliteStore, type SqliteStoreOptions } from "../../stores/sqlite.ts";
import { InvalidRequestError } from "../../types/mod.ts";

/** What callers without types pass for options. */
const SLIPS: readonly unknown[] = ["a/folder", undefined, null, {}, { dir: 5, path: 5 }, {
  dir: "",
  path: "",
}];

Deno.test("jsonlStore() and sqliteStore() refuse options that name no place", () => {
  for (const options of SLIPS) {
    const jsonl = assertThrows(() => jsonlStore(options as JsonlStoreOptions), InvalidRequestError);
    const sqlite = assertThrows(
      () => sqliteStore(options as SqliteStoreOptions),
      InvalidRequestError,
    );
    assertEquals([jsonl.field, sqlite.field], ["jsonlStore.dir", "sqliteStore.path"]);
  }
});
