import { assertEquals, assertRejects } from "@std/assert";
import { jsonlStore } from "../../../stores/jsonl.ts";
import { parsedLinesOf, RunConflictError } from "../../../types/mod.ts";
import { fuzzSample } from "../../tasks/fuzz_rounds.ts";
import { inTempFolder, namesIn, textOf, unwrittenLog } from "../drivers/temp_folder.ts";

const encoder = new TextEncoder();

function joined(...parts: readonly (string | Uint8Array)[]): Uint8Array {
  const bytes = parts.map((part) => typeof part === "string" ? encoder.encode(part) : part);
  return new Uint8Array(bytes.flatMap((part) => [...part]));
}

/** A log of two entries with a torn tail is read without it; the next write sets the tail aside and goes on. */
async function checkTornTail(tail: Uint8Array): Promise<void> {
  await inTempFolder(async (dir) => {
    const log = unwrittenLog("torn", 2);
    const path = `${dir}/torn.jsonl`;
    const whole = encoder.encode(textOf(log.lines));
    Deno.writeFileSync(path, joined(whole, tail));

    const store = jsonlStore({ dir });
    assertEquals(await store.readRun("torn"), log.lines);
    assertEquals(Deno.readFileSync(path), joined(whole, tail), "a read changed the file");
    assertEquals(await store.listRuns({ unfinished: true }), ["torn"]);

    await store.writeIntent("torn", log.next());
    await store.releaseRun("torn");
    assertEquals(Deno.readTextFileSync(path), textOf(log.lines));
    assertEquals(namesIn(dir), ["torn.jsonl", `torn.jsonl.torn-${whole.length}`]);
    assertEquals(Deno.readFileSync(`${path}.torn-${whole.length}`), tail);
    assertEquals(await store.readRun("torn"), log.lines);
    assertEquals(await store.listRuns(), ["torn"]);
  });
}

Deno.test("jsonlStore() keeps and cuts off a tail torn at any byte of its line", async () => {
  const log = unwrittenLog("torn", 2);
  const last = encoder.encode(log.next('"é🌊\u2028"').line);
  const insideCharacters = [...last.keys()].filter((at) => (last[at]! & 0xc0) === 0x80);
  const lengths = [
    1,
    ...fuzzSample([...last.keys()].slice(1)),
    ...insideCharacters,
    last.length - 1,
  ];
  for (const length of lengths) await checkTornTail(last.subarray(0, length));
});

Deno.test("jsonlStore() takes NULs at the end as a torn tail", async () => {
  await checkTornTail(new Uint8Array(1));
  await checkTornTail(new Uint8Array(70_000));
  const next = unwrittenLog("torn", 3).lines[2]!;
  await checkTornTail(joined(next.slice(0, 50), new Uint8Array(4_096)));
});

Deno.test("jsonlStore() takes bytes at the end that are not UTF-8 as a torn tail", async () => {
  await checkTornTail(new Uint8Array([0xff, 0xfe, 0xc3]));
});

Deno.test("jsonlStore() reads a whole last entry that lacks its line feed", async () => {
  await inTempFolder(async (dir) => {
    const log = unwrittenLog("bare", 3);
    Deno.writeTextFileSync(`${dir}/bare.jsonl`, textOf(log.lines).slice(0, -1));
    const store = jsonlStore({ dir });
    assertEquals(await store.readRun("bare"), log.lines);
    const late = store.writeIntent("bare", unwrittenLog("bare", 2).next());
    await assertRejects(() => late, RunConflictError, "another driver has written that entry");
    await store.readRun("bare");
    await store.writeIntent("bare", log.next());
    await store.releaseRun("bare");
    assertEquals(Deno.readTextFileSync(`${dir}/bare.jsonl`), textOf(log.lines));
    assertEquals(namesIn(dir), ["bare.jsonl"]);
  });
});

Deno.test("jsonlStore() takes a bare last entry that ends its run as its end", async () => {
  await inTempFolder(async (dir) => {
    const log = unwrittenLog("bare", 2);
    log.finish();
    Deno.writeTextFileSync(`${dir}/bare.jsonl`, textOf(log.lines).slice(0, -1));
    assertEquals(await jsonlStore({ dir }).listRuns({ unfinished: true }), []);
  });
});

Deno.test("jsonlStore() takes an empty file or a torn first line as a run never started", async () => {
  const first = encoder.encode(unwrittenLog("never", 1).lines[0]!);
  for (const bytes of [new Uint8Array(), first.subarray(0, 90), new Uint8Array(100)]) {
    await inTempFolder(async (dir) => {
      const path = `${dir}/never.jsonl`;
      Deno.writeFileSync(path, bytes);
      const store = jsonlStore({ dir });
      assertEquals(await store.readRun("never"), null);
      assertEquals(await store.listRuns(), []);
      const log = unwrittenLog("never", 1);
      await assertRejects(
        () => store.writeIntent("never", log.fork().next()),
        RunConflictError,
        "the store holds no such run",
      );
      assertEquals(Deno.readFileSync(path), bytes, "a refused write changed the file");
      await store.readRun("never");
      await store.startRun("never", unwrittenLogStart());
      await store.writeOutcome("never", log.next());
      await store.releaseRun("never");
      assertEquals(Deno.readTextFileSync(path), textOf(log.lines));
      if (bytes.length === 0) assertEquals(namesIn(dir), ["never.jsonl"]);
      else assertEquals(Deno.readFileSync(`${path}.torn-0`), bytes);
    });
  }
});

Deno.test("jsonlStore() keeps every torn tail, also two of one offset", async () => {
  await inTempFolder(async (dir) => {
    const log = unwrittenLog("again", 2);
    const path = `${dir}/again.jsonl`;
    const end = encoder.encode(textOf(log.lines)).length;
    const tails = ["first", "second", "second", "third"];
    for (const tail of tails) {
      Deno.writeTextFileSync(path, textOf(log.lines) + tail);
      const store = jsonlStore({ dir });
      await store.readRun("again");
      await store.writeIntent("again", log.fork().next());
      await store.releaseRun("again");
    }
    const kept = namesIn(dir).slice(1);
    assertEquals(kept, [
      `again.jsonl.torn-${end}`,
      ...[2, 3].map((n) => `again.jsonl.torn-${end}-${n}`),
    ]);
    assertEquals(kept.map((name) => Deno.readTextFileSync(`${dir}/${name}`)), [...new Set(tails)]);
  });
});

Deno.test("deleteRun() removes the torn tails of its run and no other file", async () => {
  await inTempFolder(async (dir) => {
    const text = textOf(unwrittenLog("a", 2).lines);
    Deno.writeTextFileSync(`${dir}/a.jsonl`, text);
    const others = [
      "a.jsonl.torn-5.jsonl",
      "a.jsonl.torn-x",
      "a.jsonl.txt",
      "ab.jsonl",
      "notes.md",
    ];
    for (const name of [...others, "a.jsonl.torn-5", "a.jsonl.torn-5-2"]) {
      Deno.writeTextFileSync(`${dir}/${name}`, "kept");
    }
    assertEquals(await jsonlStore({ dir }).deleteRun("a"), true);
    assertEquals(namesIn(dir), others);
  });
});

function unwrittenLogStart() {
  const [line] = unwrittenLog("never", 1).lines;
  const { seq, prev, hash } = JSON.parse(line!);
  return { seq, prev, hash, line: line! };
}

Deno.test("readRun() of a file hands on what it read of each line, so that nobody reads it again", async () => {
  await inTempFolder(async (dir) => {
    const log = unwrittenLog("read", 3);
    Deno.writeTextFileSync(`${dir}/read.jsonl`, textOf(log.lines));
    const lines = await jsonlStore({ dir }).readRun("read");
    assertEquals(parsedLinesOf(lines!)?.map(({ entry }) => entry.seq), [0, 1, 2]);
  });
});
