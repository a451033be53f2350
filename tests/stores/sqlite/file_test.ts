import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { sqliteStore } from "../../../stores/sqlite.ts";
import { StoreFailedError } from "../../../types/mod.ts";
import { logBuilder } from "../../contract/_log_builder.ts";
import { mayMount, withSmallDisk } from "../drivers/sqlite_small_disk.ts";
import { expectFailure, startedAt, withPath } from "./sqlite_runs.ts";

Deno.test("sqliteStore() notices that its file was deleted", async () => {
  await withPath(async (path) => {
    const { faults, store, log } = await startedAt(path);
    await Deno.remove(path);
    const error = await expectFailure(store.writeIntent("run", log.next()), "none", path);
    assertStringIncludes(error.message, "deleted or replaced");
    assertEquals(faults.open, 0);
    await store.releaseRun("run");
  });
});

Deno.test("sqliteStore() notices that its journal was deleted", async () => {
  await withPath(async (path) => {
    const { store, log } = await startedAt(path);
    await Deno.remove(`${path}-wal`);
    const error = await expectFailure(store.writeIntent("run", log.next()), "none", path);
    assertStringIncludes(error.message, "deleted or replaced");
  });
});

Deno.test("sqliteStore() notices a deleted file at the release of an outcome", async () => {
  await withPath(async (path) => {
    const { faults, store, log } = await startedAt(path);
    await store.writeOutcome("run", log.next());
    await Deno.remove(path);
    await expectFailure(store.releaseRun("run"), "unknown", path, "release");
    assertEquals(faults.open, 0);
  });
});

Deno.test("sqliteStore() leaves the database alone that has taken its file's place", async () => {
  await withPath(async (path) => {
    const { store, log } = await startedAt(path);
    for (const end of ["", "-wal", "-shm"]) await Deno.rename(path + end, `${path}.old${end}`);
    const theirs = await startedAt(path, "theirs");
    await expectFailure(store.writeIntent("run", log.next()), "none", path);
    await theirs.store.writeIntent("theirs", theirs.log.next());
    assertEquals(await store.readRun("theirs"), theirs.log.lines);
    assertEquals(await store.readRun("run"), null);
    await theirs.store.finishRun("theirs", theirs.log.finish());
    await theirs.store.releaseRun("theirs");
    assertEquals(await store.readRun("theirs"), theirs.log.lines);
  });
});

Deno.test("sqliteStore() reports a file that was truncated", async () => {
  await withPath(async (path) => {
    const { store, log } = await startedAt(path);
    await store.releaseRun("run");
    await Deno.truncate(path, 5000);
    const error = await assertRejects(() => store.readRun("run"), StoreFailedError);
    assertEquals(error.runId, "run");
    assertStringIncludes(error.message, path);
    await expectFailure(store.writeIntent("run", log.next()), "none", path);
  });
});

Deno.test({
  name: "sqliteStore() reports a folder that it may not write to",
  permissions: { read: true, write: false },
  async fn() {
    const path = import.meta.resolve("./runs.db").slice("file://".length);
    const write = sqliteStore({ path }).startRun("run", logBuilder("run").start());
    await expectFailure(write, "none", path);
  },
});

Deno.test({
  name: "sqliteStore() meets a full disk with a typed error, and goes on when there is room",
  ignore: !mayMount,
  async fn() {
    await withSmallDisk(400, async (dir) => {
      const path = `${dir}/runs.db`;
      const { store, log } = await startedAt(path);
      await Deno.writeFile(`${dir}/ballast`, new Uint8Array(200_000));
      let full: StoreFailedError | undefined;
      while (full === undefined) {
        const entry = log.fork().next(JSON.stringify("x".repeat(20_000)));
        try {
          await store.writeIntent("run", entry);
          log.next(JSON.stringify("x".repeat(20_000)));
        } catch (error) {
          full = error as StoreFailedError;
        }
      }
      await expectFailure(Promise.reject(full), "none", path);
      assertEquals(await store.readRun("run"), log.lines);
      await Deno.remove(`${dir}/ballast`);
      await store.writeIntent("run", log.next());
      await store.releaseRun("run");
      assertEquals(await store.readRun("run"), log.lines);
    });
  },
});

Deno.test({
  name: "sqliteStore() meets a disk that is read-only with a typed error",
  ignore: !mayMount,
  async fn() {
    await withSmallDisk(400, async (dir, remount) => {
      const path = `${dir}/runs.db`;
      const { store, log } = await startedAt(path);
      await store.releaseRun("run");
      remount("ro");
      await expectFailure(store.writeIntent("run", log.fork().next()), "none", path);
      remount("rw");
      assertEquals(await store.readRun("run"), log.lines);
    });
  },
});

Deno.test("sqliteStore() refuses a URI, by whose name it could not notice that its file was deleted", async () => {
  await withPath(async (path) => {
    for (const uri of [`file:${path}`, `file://${path}?cache=shared`]) {
      const store = sqliteStore({ path: uri });
      await expectFailure(store.startRun("run", logBuilder("run").start()), "none", "not a URI");
      assertEquals(await store.readRun("run"), null);
    }
  });
});

Deno.test("sqliteStore() makes no file to read, list or remove what is not there", async () => {
  await withPath(async (path) => {
    const store = sqliteStore({ path });
    assertEquals(await store.readRun("run"), null);
    assertEquals(await store.listRuns(), []);
    assertEquals(await store.deleteRun("run"), false);
    await assertRejects(() => Deno.stat(path), Deno.errors.NotFound);
  });
});
