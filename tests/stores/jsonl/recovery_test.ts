import { assert, assertEquals, assertRejects } from "@std/assert";
import { jsonlStoreOver } from "../../../stores/_jsonl/store.ts";
import { RunLogCorruptError, StoreFailedError } from "../../../types/mod.ts";
import { faultyFiles } from "../drivers/faulty_files.ts";
import { inTempFolder, namesIn, textOf, unwrittenLog } from "../drivers/temp_folder.ts";

const TAIL = '{"schema":"1.0","seq":2,"prev":"sha';

/** What the first write after a torn tail does to the disk, in order. */
function recoveryCalls(dir: string, end: number): readonly string[] {
  const folder = dir.slice(dir.lastIndexOf("/") + 1);
  const torn = `run.jsonl.torn-${end}`;
  return [
    ...["lstat run.jsonl", "open run.jsonl", "lock run.jsonl", "lstat run.jsonl"],
    ...["open ..", "sync ..", "lstat run.jsonl", "read run.jsonl"],
    ...[`lstat ${torn}`, `open ${torn}`, `write ${torn}`, `sync ${torn}`],
    ...[`open ${folder}`, `sync ${folder}`, "truncate run.jsonl", "sync run.jsonl"],
    ...["write run.jsonl", "sync run.jsonl", `open ${folder}`, `sync ${folder}`],
  ];
}

Deno.test("jsonlStore() keeps the torn tail, synced, before it cuts it off, synced, before it writes", async () => {
  await inTempFolder(async (dir) => {
    const log = unwrittenLog("run", 2);
    Deno.writeTextFileSync(`${dir}/run.jsonl`, textOf(log.lines) + TAIL);
    const disk = faultyFiles();
    const store = jsonlStoreOver(disk, dir);
    await store.readRun("run");
    disk.calls.length = 0;
    await store.writeIntent("run", log.next());
    assertEquals(disk.calls, recoveryCalls(dir, textOf(log.lines.slice(0, 2)).length));
    await store.releaseRun("run");
  });
});

Deno.test("jsonlStore() recovers after a crash at any point of a recovery", async () => {
  for (let point = 0; point < recoveryCalls("/x", 0).length; point++) {
    await inTempFolder(async (dir) => {
      const log = unwrittenLog("run", 2);
      const path = `${dir}/run.jsonl`;
      const end = textOf(log.lines).length;
      Deno.writeTextFileSync(path, textOf(log.lines) + TAIL);

      const disk = faultyFiles();
      const crashing = jsonlStoreOver(disk, dir);
      await crashing.readRun("run");
      const last = disk.calls.length + point;
      disk.onCall = () => {
        if (disk.calls.length > last) throw new Error("the process is dead");
      };
      const attempt = log.fork();
      await assertRejects(() => crashing.writeIntent("run", attempt.next()), StoreFailedError);
      assertEquals(disk.open.size, 0, "a handle was left open");

      const store = jsonlStoreOver(Deno, dir);
      const lines = await store.readRun("run");
      const known = lines?.length === 3 ? attempt : log;
      assertEquals(lines, known.lines);
      await store.writeIntent("run", known.next());
      await store.releaseRun("run");
      assertEquals(Deno.readTextFileSync(path), textOf(known.lines));
      const kept = namesIn(dir).slice(1).map((name) => Deno.readTextFileSync(`${dir}/${name}`));
      assert(kept.includes(TAIL), `the evidence is lost after a crash at call ${point}`);
      assert(kept.every((text) => TAIL.startsWith(text)));
      assertEquals(namesIn(dir)[1], `run.jsonl.torn-${end}`);
    });
  }
});

Deno.test("jsonlStore() keeps no half of a torn tail when the disk is full", async () => {
  await inTempFolder(async (dir) => {
    const log = unwrittenLog("run", 2);
    const text = textOf(log.lines) + TAIL;
    Deno.writeTextFileSync(`${dir}/run.jsonl`, text);
    const disk = faultyFiles();
    const store = jsonlStoreOver(disk, dir);
    let room = 10;
    disk.onCall = ({ op, size }) => {
      if (op !== "write") return;
      if (room === 0) throw new Error("No space left on device (os error 28)");
      const written = Math.min(size, room);
      room -= written;
      return written;
    };
    const write = () => store.writeIntent("run", log.fork().next());
    const error = await assertRejects(write, StoreFailedError, "No space left");
    assertEquals(error.durability, "none");
    assertEquals(namesIn(dir), ["run.jsonl"]);
    assertEquals(Deno.readTextFileSync(`${dir}/run.jsonl`), text);
  });
});

Deno.test("readRun() believes damage only when it reads it twice", async () => {
  await inTempFolder(async (dir) => {
    const log = unwrittenLog("run", 3);
    const good = textOf(log.lines);
    Deno.writeTextFileSync(`${dir}/run.jsonl`, good);
    const bytes = [good.slice(5), good, good.slice(5), good.slice(6)];
    const disk = faultyFiles();
    disk.readFile = () => Promise.resolve(new TextEncoder().encode(bytes.shift()));
    const store = jsonlStoreOver(disk, dir);
    assertEquals(await store.readRun("run"), log.lines);
    await assertRejects(() => store.readRun("run"), RunLogCorruptError);
    assertEquals(bytes, []);
  });
});

Deno.test("jsonlStore() reads a file again for the first write only if it changed since", async () => {
  await inTempFolder(async (dir) => {
    const log = unwrittenLog("run", 3);
    const path = `${dir}/run.jsonl`;
    Deno.writeTextFileSync(path, textOf(log.lines));
    const disk = faultyFiles();
    const store = jsonlStoreOver(disk, dir);
    const reads = () => disk.calls.filter((call) => call === "read run.jsonl").length;

    await store.readRun("run");
    await store.writeIntent("run", log.next());
    await store.releaseRun("run");
    assertEquals(reads(), 1);

    await store.readRun("run");
    const entry = log.next();
    Deno.writeTextFileSync(path, textOf(log.lines));
    const late = log.next();
    const write = () => store.writeIntent("run", entry);
    await assertRejects(write, Error, "another driver has written that entry");
    await assertRejects(() => store.writeIntent("run", late), StoreFailedError, "not read since");
    await store.readRun("run");
    await store.writeIntent("run", late);
    await store.releaseRun("run");
    assertEquals(reads(), 4);
    assertEquals(Deno.readTextFileSync(path), textOf(log.lines));
  });
});

Deno.test("jsonlStore() forgets old reads, not entries", async () => {
  await inTempFolder(async (dir) => {
    const disk = faultyFiles();
    const store = jsonlStoreOver(disk, dir);
    const logs = Array.from({ length: 300 }, (_, i) => unwrittenLog(`run-${i}`, 2));
    for (const log of logs) {
      Deno.writeTextFileSync(`${dir}/${log.runId}.jsonl`, textOf(log.lines));
      await store.readRun(log.runId);
    }
    for (const [log, reads] of [[logs[0]!, 2], [logs[299]!, 1]] as const) {
      await store.writeOutcome(log.runId, log.next());
      await store.releaseRun(log.runId);
      const read = disk.calls.filter((call) => call === `read ${log.runId}.jsonl`).length;
      assertEquals(read, reads);
      assertEquals(await store.readRun(log.runId), log.lines);
    }
  });
});
