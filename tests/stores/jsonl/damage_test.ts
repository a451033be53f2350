import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { readLog } from "../../../stores/_jsonl/read_log.ts";
import { jsonlStore } from "../../../stores/jsonl.ts";
import { frameLogLine, RunLogCorruptError, StoreFailedError } from "../../../types/mod.ts";
import { inTempFolder, namesIn, textOf, unwrittenLog } from "../drivers/temp_folder.ts";

const encoder = new TextEncoder();
const lines = unwrittenLog("hurt", 4).lines;
const offsets = lines.map((_, i) => encoder.encode(textOf(lines.slice(0, i))).length);

/** A damaged log, the entry at fault, the byte where its line starts, and the reason. */
const DAMAGES: readonly [name: string, text: string, seq: number, byte: number, reason: string][] =
  [
    [
      "NULs in the middle",
      `${textOf(lines.slice(0, 2))}${"\0".repeat(512)}\n${textOf(lines.slice(3))}`,
      2,
      offsets[2]!,
      "does not start",
    ],
    [
      "NULs before a good entry",
      `${textOf(lines.slice(0, 3))}${"\0".repeat(512)}${textOf(lines.slice(3))}`,
      3,
      offsets[3]!,
      "does not start",
    ],
    [
      "an entry after a torn one",
      `${textOf(lines.slice(0, 3))}${lines[3]!.slice(0, 140)}${lines[3]}\n`,
      3,
      offsets[3]!,
      "hash does not match",
    ],
    [
      "a torn line between entries",
      `${textOf(lines.slice(0, 2))}${lines[2]!.slice(0, 140)}\n${lines[3]}\n`,
      2,
      offsets[2]!,
      "does not end with a hash",
    ],
    [
      "a bad last line with its line feed",
      `${textOf(lines.slice(0, 3))}${lines[3]!.slice(0, 140)}\n`,
      3,
      offsets[3]!,
      "does not end with a hash",
    ],
    [
      "a changed payload",
      textOf(lines).replace("entry 2", "entry 9"),
      2,
      offsets[2]!,
      "hash does not match",
    ],
    [
      "a line left out",
      textOf([lines[0]!, lines[2]!, lines[3]!]),
      1,
      offsets[1]!,
      "the seq 2 is in its place",
    ],
    [
      "a line twice",
      textOf([lines[0]!, lines[1]!, lines[1]!, lines[2]!]),
      2,
      offsets[2]!,
      "the seq 1 is in its place",
    ],
    [
      "two lines swapped",
      textOf([lines[0]!, lines[2]!, lines[1]!, lines[3]!]),
      1,
      offsets[1]!,
      "the seq 2 is in its place",
    ],
    [
      "a line of another history",
      textOf([...lines.slice(0, 3), stranger(3)]),
      3,
      offsets[3]!,
      'it goes on from "sha256:',
    ],
    ["no first line", textOf(lines.slice(1)), 0, 0, "the seq 1 is in its place"],
    ["another run's log", textOf(unwrittenLog("other", 2).lines), 0, 0, 'another run than "hurt"'],
    ["a byte order mark", `\ufeff${textOf(lines)}`, 0, 0, "a byte order mark is before it"],
    [
      "a blank line",
      `${lines[0]}\n\n${textOf(lines.slice(1))}`,
      1,
      offsets[1]!,
      "its line is blank",
    ],
    [
      "a blank line at the end",
      `${textOf(lines)}\n`,
      4,
      encoder.encode(textOf(lines)).length,
      "its line is blank",
    ],
    ["a blank first line", `\n${textOf(lines)}`, 0, 0, "its line is blank"],
    ["CR LF", textOf(lines).replaceAll("\n", "\r\n"), 0, 0, "its line ends in CR LF"],
    [
      "CR LF on the last line",
      `${textOf(lines).slice(0, -1)}\r\n`,
      3,
      offsets[3]!,
      "its line ends in CR LF",
    ],
    [
      "a raw U+2028 between entries",
      `${lines[0]}\u2028${textOf(lines.slice(1))}`,
      0,
      0,
      "hash does not match",
    ],
  ];

function stranger(seq: number): string {
  return frameLogLine(seq, `sha256:${"0".repeat(64)}`, '{"type":"step"}').line;
}

async function checkDamage(
  bytes: Uint8Array,
  seq: number,
  byte: number,
  reason: string,
): Promise<void> {
  await inTempFolder(async (dir) => {
    Deno.writeFileSync(`${dir}/hurt.jsonl`, bytes);
    const store = jsonlStore({ dir });
    const calls = [
      () => store.readRun("hurt"),
      () => store.writeIntent("hurt", unwrittenLog("hurt", 4).next()),
      () => store.readRun("hurt"),
    ];
    for (const call of calls) {
      const error = await assertRejects(call, RunLogCorruptError, reason);
      assertEquals([error.runId, error.seq], ["hurt", seq]);
      assert(error.reason.endsWith(`, at byte ${byte}`), error.reason);
    }
    assertEquals(Deno.readFileSync(`${dir}/hurt.jsonl`), bytes, "damage was altered");
    assertEquals(namesIn(dir), ["hurt.jsonl"]);
    assertEquals(await store.listRuns({ unfinished: true }), ["hurt"]);
  });
}

for (const [name, text, seq, byte, reason] of DAMAGES) {
  Deno.test(`readRun() refuses ${name} with its entry and byte`, async () => {
    await checkDamage(encoder.encode(text), seq, byte, reason);
  });
}

Deno.test("readRun() refuses a committed line that is not UTF-8", async () => {
  const bytes = encoder.encode(textOf(lines));
  bytes[offsets[2]! + 170] = 0xff;
  await checkDamage(bytes, 2, offsets[2]!, "its line is not UTF-8");
});

Deno.test("readLog() gives no other history for any flipped bit", () => {
  const bytes = encoder.encode(textOf(lines));
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = bytes.slice();
    flipped[bit >> 3]! ^= 1 << (bit & 7);
    const seq = offsets.findLastIndex((offset) => offset <= bit >> 3);
    const error = assertThrows(() => readLog("hurt", flipped), RunLogCorruptError);
    assertEquals([error.seq, error.reason.endsWith(`byte ${offsets[seq]}`)], [seq, true]);
  }
});

Deno.test("readLog() gives a beginning of the log, or damage, for any cut and any byte put in", () => {
  const bytes = encoder.encode(textOf(lines));
  for (let at = 0; at <= bytes.length; at++) {
    const cut = readLog("hurt", bytes.subarray(0, at));
    assertEquals(cut.lines, lines.slice(0, cut.lines.length));
    const bare = offsets.findLastIndex((offset) => offset <= at + 1);
    assertEquals(cut.lines.length, at + 1 >= bytes.length ? 4 : bare, `cut at ${at}`);
    for (const byte of [0x00, 0x0a, 0x0d, 0x20, 0xef]) {
      const longer = new Uint8Array([...bytes.subarray(0, at), byte, ...bytes.subarray(at)]);
      if (at === bytes.length && byte !== 0x0a && byte !== 0x0d) {
        assertEquals(readLog("hurt", longer).lines, lines);
      } else assertThrows(() => readLog("hurt", longer), RunLogCorruptError);
    }
  }
});

Deno.test("jsonlStore() refuses a hard link to another run's file", async () => {
  await inTempFolder(async (dir) => {
    const log = unwrittenLog("a", 2);
    Deno.writeTextFileSync(`${dir}/a.jsonl`, textOf(log.lines));
    Deno.linkSync(`${dir}/a.jsonl`, `${dir}/b.jsonl`);
    const store = jsonlStore({ dir });
    assertEquals(await store.readRun("a"), log.lines);
    await assertRejects(() => store.readRun("b"), RunLogCorruptError, 'another run than "b"');
    const write = store.writeIntent("b", log.fork().next());
    await assertRejects(() => write, RunLogCorruptError, 'another run than "b"');
    assertEquals(Deno.readTextFileSync(`${dir}/b.jsonl`), textOf(log.lines));
  });
});

Deno.test("jsonlStore() refuses a symbolic link and a folder in place of a file", async () => {
  await inTempFolder(async (dir) => {
    const log = unwrittenLog("link", 2);
    Deno.writeTextFileSync(`${dir}/target`, textOf(log.lines));
    Deno.symlinkSync(`${dir}/target`, `${dir}/link.jsonl`);
    Deno.symlinkSync(`${dir}/nowhere`, `${dir}/dangling.jsonl`);
    Deno.mkdirSync(`${dir}/folder.jsonl`);
    for (const runId of ["link", "dangling", "folder"]) {
      const store = jsonlStore({ dir });
      const what = runId === "folder" ? "it is not a regular file" : "it is a symbolic link";
      const calls = [
        () => store.readRun(runId),
        () => store.startRun(runId, startOf(runId)),
        () => store.deleteRun(runId),
      ];
      for (const call of calls) {
        const error = await assertRejects(call, StoreFailedError, `"${dir}/${runId}.jsonl"`);
        assert(error.message.includes(what), error.message);
        assertEquals(error.runId, runId);
      }
      const write = () => store.writeIntent(runId, unwrittenLog(runId, 2).next());
      await assertRejects(write, StoreFailedError);
    }
    assertEquals(await jsonlStore({ dir }).listRuns(), []);
    assertEquals(Deno.readTextFileSync(`${dir}/target`), textOf(log.lines));
    assertEquals(namesIn(dir), ["dangling.jsonl", "folder.jsonl", "link.jsonl", "target"]);
  });
});

function startOf(runId: string) {
  const [line] = unwrittenLog(runId, 1).lines;
  const { seq, prev, hash } = JSON.parse(line!);
  return { seq, prev, hash, line: line! };
}
