import { assertEquals, assertRejects } from "@std/assert";
import { jsonlStoreOver } from "../../../stores/_jsonl/store.ts";
import { RunConflictError, RunExistsError, StoreFailedError } from "../../../types/mod.ts";
import { type LogBuilder, logBuilder } from "../../contract/_log_builder.ts";
import { type Driven, driving, syncs, writes } from "../drivers/driven_run.ts";
import { type FaultyFiles, faultyFiles } from "../drivers/faulty_files.ts";
import { fuzzSample } from "../../tasks/fuzz_rounds.ts";
import { inTempFolder, textOf, unwrittenLog } from "../drivers/temp_folder.ts";

/** After a failure the run is refused until it is read; then it goes on, and the file is what the log says. */
async function checkGoesOnAfterRead(driven: Driven, known: LogBuilder): Promise<void> {
  const { store, disk, path } = driven;
  disk.onCall = () => {};
  disk.calls.length = 0;
  await assertRejects(
    () => store.writeIntent("run", known.fork().next()),
    StoreFailedError,
    "an earlier write failed and the run was not read since",
  );
  assertEquals(disk.calls, [], "the disk was touched before the run was read");
  assertEquals(await store.readRun("run"), known.lines);
  await store.writeIntent("run", known.next());
  assertEquals(Deno.readTextFileSync(path), textOf(known.lines));
}

Deno.test("jsonlStore() writes on after a short write", async () => {
  await driving(async (driven) => {
    const { disk, store, log, path } = driven;
    disk.onCall = ({ op, size }) => op === "write" ? Math.min(size, 7) : undefined;
    await store.writeIntent("run", log.next());
    assertEquals(Deno.readTextFileSync(path), textOf(log.lines));
    assertEquals(writes(driven), Math.ceil((log.lines[3]!.length + 1) / 7));
  });
});

Deno.test("jsonlStore() takes a write of nothing as a failure", async () => {
  await driving(async (driven) => {
    const { disk, store, log } = driven;
    disk.onCall = ({ op }) => op === "write" ? 0 : undefined;
    const write = () => store.writeIntent("run", log.fork().next());
    const error = await assertRejects(write, StoreFailedError, "the system wrote nothing");
    assertEquals(error.durability, "none");
    await checkGoesOnAfterRead(driven, log);
  });
});

Deno.test("jsonlStore() takes a write back when the disk is full after any byte", async () => {
  const length = unwrittenLog("run", 4).lines[3]!.length + 1;
  for (const room of [0, ...fuzzSample([...Array(length).keys()]), length - 1]) {
    await driving(async (driven) => {
      const { disk, store, log, path } = driven;
      fillAfter(disk, room);
      const write = () => store.writeIntent("run", log.fork().next());
      const error = await assertRejects(write, StoreFailedError, `"${path}"`);
      assertEquals([error.runId, error.durability], ["run", "none"]);
      assertEquals(Deno.readTextFileSync(path), textOf(log.lines), `after ${room} bytes`);
      assertEquals(syncs(driven), 1, "a write that is taken back may not come back");
      await checkGoesOnAfterRead(driven, log);
    });
  }
});

function fillAfter(disk: FaultyFiles, room: number): void {
  disk.onCall = ({ op, size }) => {
    if (op !== "write") return;
    if (room === 0) throw new Error("No space left on device (os error 28)");
    const written = Math.min(size, room);
    room -= written;
    return written;
  };
}

Deno.test("jsonlStore() does not know an entry whose failed write it cannot take back", async () => {
  for (const room of [0, 50, 1_000]) {
    await driving(async (driven) => {
      const { disk, store, log, path } = driven;
      const attempt = log.fork();
      const entry = attempt.next();
      fillAfter(disk, Math.min(room, entry.line.length));
      const { onCall } = disk;
      disk.onCall = (call) => {
        if (call.op === "truncate") throw new Error("Input/output error (os error 5)");
        return onCall(call);
      };
      const error = await assertRejects(() => store.writeIntent("run", entry), StoreFailedError);
      assertEquals(error.durability, "unknown");
      const wasWhole = room >= entry.line.length;
      const left = Deno.readTextFileSync(path);
      assertEquals(left, textOf(log.lines) + entry.line.slice(0, room), "what was left");
      await checkGoesOnAfterRead(driven, wasWhole ? attempt : log);
    });
  }
});

Deno.test("startRun() is tried again once there is room, no read needed", async () => {
  await inTempFolder(async (dir) => {
    const disk = faultyFiles();
    const store = jsonlStoreOver(disk, dir);
    const log = logBuilder("run");
    const entry = log.start();
    fillAfter(disk, 30);
    const error = await assertRejects(() => store.startRun("run", entry), StoreFailedError);
    assertEquals({ durability: error.durability, openFiles: disk.open.size }, {
      durability: "none",
      openFiles: 0,
    });
    const next = () => store.writeIntent("run", log.fork().next());
    await assertRejects(next, StoreFailedError, "not read since");
    assertEquals(Deno.readTextFileSync(`${dir}/run.jsonl`), "");
    disk.onCall = () => {};
    await store.startRun("run", entry);
    await store.writeIntent("run", log.next());
    await store.releaseRun("run");
    assertEquals(await store.readRun("run"), log.lines);
  });
});

Deno.test("jsonlStore() never tries a failed sync again", async () => {
  for (const method of ["writeIntent", "finishRun", "releaseRun"] as const) {
    await driving(async (driven) => {
      const { disk, store, log } = driven;
      disk.onCall = failingOnce("sync");
      const call = () =>
        method === "releaseRun" ? store.releaseRun("run") : store[method]("run", log.next());
      const error = await assertRejects(call, StoreFailedError, "Input/output error");
      assertEquals([error.runId, error.durability], ["run", "unknown"]);
      assertEquals(syncs(driven), 1);
      await store.releaseRun("run");
      assertEquals(syncs(driven), 1, "the release tried the sync again");
      assertEquals(disk.open.size, 0, "the handle of a failed run was kept");
      await checkGoesOnAfterRead(driven, log);
    });
  }
});

Deno.test("startRun() does not know a run whose file or folder could not be synced", async () => {
  for (const failing of ["new.jsonl", "folder"]) {
    await inTempFolder(async (dir) => {
      const disk = faultyFiles();
      const store = jsonlStoreOver(disk, dir);
      const name = failing === "folder" ? dir : `${dir}/${failing}`;
      const fail = failingOnce("sync");
      disk.onCall = (call) => call.path === name ? fail(call) : undefined;
      const log = logBuilder("new");
      const entry = log.start();
      const error = await assertRejects(() => store.startRun("new", entry), StoreFailedError);
      assertEquals(error.durability, "unknown");
      await assertRejects(() => store.startRun("new", entry), RunExistsError);
      assertEquals(await store.readRun("new"), log.lines);
      await store.writeIntent("new", log.next());
      await store.releaseRun("new");
      assertEquals(
        disk.calls.filter((call) => call === `sync ${dir.slice(5)}`).length,
        failing === "folder" ? 2 : 1,
      );
    });
  }
});

function failingOnce(op: string): FaultyFiles["onCall"] {
  let failed = false;
  return (call) => {
    if (call.op !== op || failed) return;
    failed = true;
    throw new Error("Input/output error (os error 5)");
  };
}

Deno.test("jsonlStore() syncs once for a barrier, never for an outcome, each folder once", async () => {
  await inTempFolder(async (dir) => {
    const disk = faultyFiles();
    const store = jsonlStoreOver(disk, dir);
    const log = logBuilder("run");
    const synced = async (work: () => Promise<void>) => {
      disk.calls.length = 0;
      await work();
      return disk.calls.filter((call) => call.startsWith("sync")).map((call) => call.slice(5));
    };
    const folder = dir.slice(dir.lastIndexOf("/") + 1);
    const start = await synced(() => store.startRun("run", log.start()));
    assertEquals(start, ["..", "run.jsonl", folder]);
    for (let step = 0; step < 3; step++) {
      assertEquals(await synced(() => store.writeIntent("run", log.next())), ["run.jsonl"]);
      assertEquals(await synced(() => store.writeIntent("run", log.next())), ["run.jsonl"]);
      assertEquals(await synced(() => store.writeOutcome("run", log.next())), []);
    }
    assertEquals(await synced(() => store.releaseRun("run")), ["run.jsonl"]);
    assertEquals(await synced(() => store.writeOutcome("run", log.next())), []);
    assertEquals(await synced(() => store.finishRun("run", log.finish())), ["run.jsonl", folder]);
    assertEquals(await synced(() => store.releaseRun("run")), []);
  });
});

/** A run as {@link driving} gives it, beside which the store holds another: its syncs are not made in place. */
async function drivingTwo(body: (driven: Driven) => Promise<void>): Promise<void> {
  await driving(async (driven) => {
    const { store, disk } = driven;
    await store.startRun("other", logBuilder("other").start());
    disk.calls.length = 0;
    await body(driven);
    await store.releaseRun("other");
  });
}

Deno.test("jsonlStore() syncs in place while it holds one run, and lets others go on when it holds more", async () => {
  for (const [held, inPlace] of [[driving, true], [drivingTwo, false]] as const) {
    await held(async ({ disk, store, log }) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      disk.gate = promise;
      let written = false;
      const writing = store.writeIntent("run", log.next()).then(() => written = true);
      for (let turn = 0; turn < 100; turn++) await null;
      assertEquals(written, inPlace);
      resolve();
      await writing;
    });
  }
});

Deno.test("jsonlStore() refuses a second driver while a sync is under way, a release waits", async () => {
  await drivingTwo(async (driven) => {
    const { disk, store, log } = driven;
    const { promise, resolve } = Promise.withResolvers<void>();
    disk.gate = promise;
    const order: string[] = [];
    const second = log.fork();
    const first = store.writeIntent("run", log.next()).then(() => order.push("written"));
    second.next();
    const late = () => store.writeOutcome("run", second.next());
    await assertRejects(late, RunConflictError, "another driver's write is under way");
    const releases = ["released", "released again"].map((done) =>
      store.releaseRun("run").then(() => order.push(done))
    );
    assertEquals({ order, openFiles: disk.open.size }, { order: [], openFiles: 2 });
    resolve();
    await Promise.all([first, ...releases]);
    assertEquals({ done: order.length, openFiles: disk.open.size }, { done: 3, openFiles: 1 });
    await store.writeIntent("run", log.next());
  });
});

Deno.test("releaseRun() that waits for a sync does not try it again when it fails", async () => {
  await drivingTwo(async (driven) => {
    const { disk, store, log } = driven;
    const { promise, reject } = Promise.withResolvers<void>();
    disk.gate = promise;
    const attempt = store.writeIntent("run", log.next());
    const release = store.releaseRun("run");
    reject(new Error("Input/output error (os error 5)"));
    const error = await assertRejects(() => attempt, StoreFailedError);
    await release;
    assertEquals(
      { durability: error.durability, syncs: syncs(driven), openFiles: disk.open.size },
      { durability: "unknown", syncs: 1, openFiles: 1 },
    );
    disk.gate = Promise.resolve();
    await checkGoesOnAfterRead(driven, log);
  });
});

Deno.test("readRun() names the run and the file that cannot be read", async () => {
  await driving(async ({ disk, store, log, path }) => {
    disk.onCall = failingOnce("read");
    const error = await assertRejects(() => store.readRun("run"), StoreFailedError, `"${path}"`);
    assertEquals([error.runId, error.durability], ["run", "none"]);
    assertEquals(await store.readRun("run"), log.lines);
  });
});
