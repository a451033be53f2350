import { assertEquals, assertRejects } from "@std/assert";
import { jsonlStoreOver } from "../../../stores/_jsonl/store.ts";
import { jsonlStore } from "../../../stores/jsonl.ts";
import { RunConflictError, RunLockedError, StoreFailedError } from "../../../types/mod.ts";
import { logBuilder } from "../../contract/_log_builder.ts";
import { faultyFiles } from "../drivers/faulty_files.ts";
import { inTempFolder, namesIn, textOf, unwrittenLog } from "../drivers/temp_folder.ts";

Deno.test("jsonlStore() has nothing that bears on a run", () => {
  assertEquals(jsonlStore({ dir: "runs" }).parameters(), {});
});

Deno.test("jsonlStore() makes its folder at the first start and syncs the one above", async () => {
  await inTempFolder(async (above) => {
    const dir = `${above}/runs`;
    const disk = faultyFiles();
    const store = jsonlStoreOver(disk, dir);
    assertEquals([await store.readRun("a"), await store.listRuns()], [null, []]);
    assertEquals(await store.deleteRun("a"), false);
    assertEquals(namesIn(above), []);
    await store.startRun("a", logBuilder("a").start());
    await store.releaseRun("a");
    assertEquals(disk.calls.filter((call) => call === "sync ..").length, 1);
    assertEquals(await store.listRuns(), ["a"]);
  });
});

Deno.test("jsonlStore() takes its folder back when it cannot be synced", async () => {
  await inTempFolder(async (above) => {
    const disk = faultyFiles();
    disk.onCall = ({ op, path }) => {
      if (op === "sync" && path.endsWith("/..")) throw new Error("Input/output error (os error 5)");
    };
    const store = jsonlStoreOver(disk, `${above}/runs`);
    const start = () => store.startRun("a", logBuilder("a").start());
    await assertRejects(start, StoreFailedError, "Input/output error");
    assertEquals(namesIn(above), []);
  });
});

Deno.test("jsonlStore() names the run and the path where there can be no folder", async () => {
  await inTempFolder(async (above) => {
    Deno.writeTextFileSync(`${above}/file`, "");
    for (const dir of [`${above}/file`, `${above}/no/folder`, "/proc/runs"]) {
      const store = jsonlStore({ dir });
      const start = () => store.startRun("a", logBuilder("a").start());
      const error = await assertRejects(start, StoreFailedError, `"${dir}/a.jsonl"`);
      assertEquals([error.runId, error.durability], ["a", "none"]);
    }
    const list = () => jsonlStore({ dir: `${above}/file` }).listRuns();
    await assertRejects(list, StoreFailedError, `"${above}/file"`);
    assertEquals(namesIn(above), ["file"]);
  });
});

Deno.test("startRun() that is refused makes no file", async () => {
  await inTempFolder(async (dir) => {
    const start = () => jsonlStore({ dir }).startRun("a", logBuilder("b").start());
    await assertRejects(start, RunConflictError);
    assertEquals(namesIn(dir), []);
  });
});

Deno.test("listRuns() reads the tail of each file and nothing more", async () => {
  await inTempFolder(async (dir) => {
    for (const runId of ["a", "b"]) {
      const log = unwrittenLog(runId, 2);
      log.next(JSON.stringify("x".repeat(2_000_000)));
      for (let i = 0; i < 50; i++) log.next(JSON.stringify("y".repeat(2_000)));
      if (runId === "b") log.finish();
      Deno.writeTextFileSync(`${dir}/${runId}.jsonl`, textOf(log.lines));
    }
    const disk = faultyFiles();
    let bytes = 0;
    disk.onCall = ({ op, size }) => {
      if (op === "read") bytes += size;
    };
    assertEquals(await jsonlStoreOver(disk, dir).listRuns({ unfinished: true }), ["a"]);
    assertEquals(bytes, 2 * 65_536);
  });
});

Deno.test("listRuns() and deleteRun() see only what the store wrote", async () => {
  await inTempFolder(async (dir) => {
    const text = textOf(unwrittenLog("a", 2).lines);
    const names = ["A.jsonl", "a.json", "a.jsonl.torn-9", "notes.txt", ".b.jsonl", "é.jsonl"];
    for (const name of [...names, "a.jsonl"]) Deno.writeTextFileSync(`${dir}/${name}`, text);
    Deno.mkdirSync(`${dir}/c.jsonl`);
    assertEquals(await jsonlStore({ dir }).listRuns(), ["a"]);
    assertEquals(await jsonlStore({ dir }).deleteRun("b"), false);
    assertEquals(namesIn(dir).length, names.length + 2);
  });
});

Deno.test("deleteRun() refuses a run that is driven by this store or another", async () => {
  await inTempFolder(async (dir) => {
    const [store, other] = [jsonlStore({ dir }), jsonlStore({ dir })];
    const log = logBuilder("a");
    await store.startRun("a", log.start());
    await assertRejects(() => store.deleteRun("a"), RunLockedError, "this store holds it");
    await assertRejects(() => other.deleteRun("a"), RunLockedError, `"${dir}/a.jsonl"`);
    await store.writeIntent("a", log.next());
    await store.releaseRun("a");
    assertEquals([await other.deleteRun("a"), namesIn(dir)], [true, []]);
  });
});

Deno.test("deleteRun() leaves a run alone that was started anew while it was removed", async () => {
  await inTempFolder(async (dir) => {
    const old = jsonlStore({ dir });
    await old.startRun("a", logBuilder("a").start());
    await old.releaseRun("a");
    const [disk, other, anew] = [faultyFiles(), jsonlStore({ dir }), logBuilder("a")];
    let started: Promise<void> | undefined;
    disk.onCall = ({ op }) => {
      if (op !== "lock" || started !== undefined) return;
      Deno.removeSync(`${dir}/a.jsonl`);
      started = other.startRun("a", anew.start());
    };
    const removal = jsonlStoreOver(disk, dir).deleteRun("a");
    await assertRejects(() => removal, StoreFailedError, "deleted or replaced");
    await started;
    await other.writeIntent("a", anew.next());
    assertEquals(await other.readRun("a"), anew.lines);
    await other.releaseRun("a");
  });
});

Deno.test("listRuns() leaves out a run that is removed while it is looked at", async () => {
  await inTempFolder(async (dir) => {
    for (const runId of ["a", "b", "c"]) {
      Deno.writeTextFileSync(`${dir}/${runId}.jsonl`, textOf(unwrittenLog(runId, 2).lines));
    }
    const disk = faultyFiles();
    let removed: string | undefined;
    disk.onCall = ({ op, path }) => {
      if (op === "open" && removed === undefined) Deno.removeSync(removed = path);
    };
    const left = await jsonlStoreOver(disk, dir).listRuns();
    assertEquals([...left, removed?.at(-"a.jsonl".length)].sort(), ["a", "b", "c"]);
  });
});

Deno.test("jsonlStore() gives each lock back itself: closing leaves it with a program about to start", async () => {
  await inTempFolder(async (above) => {
    const disk = faultyFiles();
    const locks = () =>
      disk.calls.filter((call) => /^(un)?lock /.test(call)).map((c) => c.split(" ")[0]);
    const store = jsonlStoreOver(disk, `${above}/runs`);
    const log = logBuilder("a");
    await store.startRun("a", log.start());
    await store.releaseRun("a");
    assertEquals(locks(), ["lock", "unlock"]);
    disk.onCall = ({ op }) => {
      if (op === "write") throw new Error("Input/output error (os error 5)");
    };
    await assertRejects(() => store.startRun("b", logBuilder("b").start()), StoreFailedError);
    assertEquals(locks(), ["lock", "unlock", "lock", "unlock"]);
    await store.deleteRun("a");
    assertEquals(locks(), ["lock", "unlock", "lock", "unlock", "lock", "unlock"]);
  });
});

Deno.test("jsonlStore() waits for who only asks whether a run is idle, and not for who drives it", async () => {
  await inTempFolder(async (dir) => {
    const log = unwrittenLog("run", 2);
    Deno.writeTextFileSync(`${dir}/run.jsonl`, textOf(log.lines));
    const disk = faultyFiles();
    const store = jsonlStoreOver(disk, dir);
    const asker = Deno.openSync(`${dir}/run.jsonl`);
    asker.lockSync(false);
    let tries = 0;
    disk.onCall = ({ op }) => {
      if (op === "lock" && ++tries === 5) asker.unlockSync();
    };
    await store.writeIntent("run", log.next());
    await store.releaseRun("run");

    asker.lockSync(true);
    tries = 10;
    await assertRejects(() => store.claimRun!("run", log.head), RunLockedError);
    assertEquals(tries, 12, "an exclusive lock and a shared one are tried once");
    asker.close();
  });
});
