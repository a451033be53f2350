import { assert, assertEquals, assertRejects } from "@std/assert";
import { jsonlStoreOver } from "../../../stores/_jsonl/store.ts";
import { jsonlStore } from "../../../stores/jsonl.ts";
import { RunLogCorruptError } from "../../../types/mod.ts";
import { faultyFiles } from "../drivers/faulty_files.ts";
import { inTempFolder, textOf, unwrittenLog } from "../drivers/temp_folder.ts";

const WINDOW = 1024 * 1024;

/** What a read of all and a read line by line make of a file, each the lines or the error. */
async function bothReads(dir: string, bytes: Uint8Array): Promise<readonly unknown[]> {
  Deno.writeFileSync(`${dir}/read.jsonl`, bytes);
  const store = jsonlStore({ dir });
  const outcome = (read: Promise<readonly string[] | null>) =>
    read.then((lines) => lines ?? [], (error) => `${error.code}: ${error.message}`);
  return [
    await outcome(store.readRun("read")),
    await outcome(Array.fromAsync(store.readLines("read")).then((parts) => parts.flat())),
  ];
}

Deno.test("readLines() says of a file what readRun() says, whatever is at its end or inside", async () => {
  await inTempFolder(async (dir) => {
    const text = textOf(unwrittenLog("read", 4).lines);
    const whole = new TextEncoder().encode(text);
    const feeds = [...whole.keys()].filter((i) => whole[i] === 0x0a);
    const places = [0, 1, ...feeds.flatMap((at) => [at - 1, at, at + 1]), whole.length - 2];
    for (const at of places) {
      for (const put of [[], [0], [0x0a], [0x0d], [0xff], [0x20], [0xef, 0xbb, 0xbf]]) {
        const files = [
          Uint8Array.from([...whole.subarray(0, at), ...put]),
          Uint8Array.from([...whole.subarray(0, at), ...put, ...whole.subarray(at)]),
          Uint8Array.from([...whole.subarray(0, at), ...put, ...whole.subarray(at + 1)]),
        ];
        for (const bytes of files) {
          const [all, streamed] = await bothReads(dir, bytes);
          assertEquals(streamed, all, `${put} at ${at}`);
        }
      }
    }
  });
});

Deno.test("readLines() puts together a line that lies in several windows, and reads no more than one at a time", async () => {
  await inTempFolder(async (dir) => {
    const log = unwrittenLog("read", 2);
    for (const chars of [WINDOW - 400, 3 * WINDOW, 10, WINDOW / 4]) {
      log.next(JSON.stringify("🌊".repeat(chars / 4)));
    }
    Deno.writeTextFileSync(`${dir}/read.jsonl`, textOf(log.lines));
    const disk = faultyFiles();
    const largest = { bytes: 0 };
    const watched = {
      ...disk,
      openSync(path: string, options: Deno.OpenOptions) {
        const file = disk.openSync(path, options);
        const read = file.readSync.bind(file);
        file.readSync = (bytes) => {
          largest.bytes = Math.max(largest.bytes, bytes.length);
          return read(bytes);
        };
        return file;
      },
    };
    const parts = await Array.fromAsync(jsonlStoreOver(watched, dir).readLines("read"));
    assertEquals(parts.flat(), log.lines);
    assertEquals(largest.bytes, WINDOW);
  });
});

Deno.test("readLines() gives the lines before a fault, then the fault, and closes the file", async () => {
  await inTempFolder(async (dir) => {
    const log = unwrittenLog("read", 5);
    Deno.writeTextFileSync(`${dir}/read.jsonl`, textOf(log.lines).replace('"seq":3', '"seq":4'));
    const given: string[] = [];
    const error = await assertRejects(async () => {
      for await (const lines of jsonlStore({ dir }).readLines("read")) given.push(...lines);
    }, RunLogCorruptError);
    assertEquals([given, error.seq], [log.lines.slice(0, 3), 3]);
  });
});

Deno.test("readRuns() gives a file that is no run no lines, and goes on after one that cannot be read", async () => {
  await inTempFolder(async (dir) => {
    Deno.writeTextFileSync(`${dir}/b.jsonl`, "{");
    Deno.writeTextFileSync(`${dir}/c.jsonl`, "junk\n");
    Deno.mkdirSync(`${dir}/d.jsonl`);
    Deno.writeTextFileSync(`${dir}/e.jsonl`, textOf(unwrittenLog("e", 2).lines));
    Deno.symlinkSync("e.jsonl", `${dir}/f.jsonl`);
    Deno.writeTextFileSync(`${dir}/NO.jsonl`, "");
    const found: unknown[] = [];
    for await (const { runId, lines } of jsonlStore({ dir }).readRuns()) {
      const count = await Array.fromAsync(lines).then(
        (all) => all.flat().length,
        ({ code }) => code,
      );
      found.push([runId, count]);
    }
    assertEquals(found, [["b", 0], ["c", "run_log_corrupt"], ["e", 2]]);
    assert((await Array.fromAsync(jsonlStore({ dir: `${dir}/none` }).readRuns())).length === 0);
  });
});
