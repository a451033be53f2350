import { assertEquals } from "@std/assert";
import type { RunStore } from "../../../ports/mod.ts";
import { jsonlStoreOver } from "../../../stores/_jsonl/store.ts";
import { type LogBuilder, logBuilder } from "../../contract/_log_builder.ts";
import { type FaultyFiles, faultyFiles } from "./faulty_files.ts";
import { inTempFolder } from "./temp_folder.ts";

/** A run that a store over a faulty disk holds. */
export interface Driven {
  readonly disk: FaultyFiles;
  readonly store: RunStore;
  readonly log: LogBuilder;
  readonly path: string;
}

/** A run of three entries that the store holds; every file is closed at the end, whatever the test did. */
export async function driving(body: (driven: Driven) => Promise<void>): Promise<void> {
  await inTempFolder(async (dir) => {
    const disk = faultyFiles();
    const store = jsonlStoreOver(disk, dir);
    const log = logBuilder("run");
    await store.startRun("run", log.start());
    await store.writeIntent("run", log.next());
    await store.writeOutcome("run", log.next());
    disk.calls.length = 0;
    await body({ disk, store, log, path: `${dir}/run.jsonl` });
    disk.onCall = () => {};
    await store.releaseRun("run");
    assertEquals(disk.open.size, 0, "a handle was left open");
  });
}

/** How many writes to the run's file there were. */
export function writes({ disk }: Driven): number {
  return disk.calls.filter((call) => call === "write run.jsonl").length;
}

/** How many syncs of the run's file there were. */
export function syncs({ disk }: Driven): number {
  return disk.calls.filter((call) => call === "sync run.jsonl").length;
}
