import { assertEquals, assertThrows } from "@std/assert";
import { jsonlEvents } from "../../adapters/jsonl_events.ts";
import type { RunEvent } from "../../ports/mod.ts";

function delta(sequence: number, text: string): RunEvent {
  return {
    type: "model_delta",
    runId: "r",
    sequence,
    at: "2026-01-01T00:00:00.000Z",
    stepIndex: 0,
    callId: "r/s0",
    kind: "text",
    text,
  };
}

async function inFile(test: (path: string) => void | Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await test(`${folder}/events.jsonl`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function lines(path: string): Promise<string[]> {
  return (await Deno.readTextFile(path)).split("\n");
}

Deno.test("jsonlEvents() writes each event as one line, whatever its texts hold", async () => {
  await inFile(async (path) => {
    const texts = ["a\nb\r\n", "\u2028\u2029\0", "\ud83c alone", "🌊".repeat(100_000), '"\\'];
    const events = texts.map((text, i) => delta(i, text));
    using sink = jsonlEvents(path);
    for (const event of events) await sink.emit(event);
    const written = await lines(path);
    assertEquals(written.pop(), "");
    assertEquals(written.map((line) => JSON.parse(line)), events);
    assertEquals(sink.parameters(), {});
  });
});

Deno.test("jsonlEvents() appends, and glues nothing to a torn line", async () => {
  await inFile(async (path) => {
    const first = JSON.stringify(delta(0, "a"));
    for (
      const [before, left] of [["", []], [`${first}\n`, [first]], ['{"type":', [
        '{"type":',
      ]]] as const
    ) {
      await Deno.writeTextFile(path, before);
      using sink = jsonlEvents(path);
      await sink.emit(delta(1, "b"));
      await sink.emit(delta(2, "c"));
      const expected = [...left, JSON.stringify(delta(1, "b")), JSON.stringify(delta(2, "c")), ""];
      assertEquals(await lines(path), expected);
    }
  });
});

Deno.test("jsonlEvents() touches no file before the first event, nor after close()", async () => {
  await inFile((path) => {
    const sink = jsonlEvents(new URL(`file://${path}`));
    sink.close();
    sink.close();
    assertThrows(() => sink.emit(delta(0, "a")), Error, "closed");
    assertThrows(() => Deno.statSync(path), Deno.errors.NotFound);
  });
});

Deno.test("jsonlEvents() throws where it cannot write, and goes on when it can", async () => {
  await inFile(async (path) => {
    using sink = jsonlEvents(`${path}/inside`);
    assertThrows(() => sink.emit(delta(0, "a")), Error, "ENOENT");
    await Deno.mkdir(path);
    await sink.emit(delta(1, "b"));
    assertEquals(await lines(`${path}/inside`), [JSON.stringify(delta(1, "b")), ""]);
  });
});
