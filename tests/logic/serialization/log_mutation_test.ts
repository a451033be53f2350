import { assert, assertEquals } from "@std/assert";
import { decodeLog, encodeEntry } from "../../../logic/serialization/mod.ts";
import { digest, RunLogCorruptError, SchemaVersionError } from "../../../types/mod.ts";
import { RUN_ID } from "../_recovery/legal_calls.ts";
import { legalSteps, logOf } from "../_recovery/legal_logs.ts";

/** A finished log, one record a line. */
const LINES: readonly string[] = (() => {
  const steps = legalSteps();
  const lines: string[] = [];
  let prev = digest(RUN_ID);
  for (const { record } of logOf([steps.at(-1)!, steps[4]!], true)) {
    const entry = encodeEntry(lines.length, prev, [record]);
    lines.push(entry.line);
    prev = entry.hash;
  }
  return lines;
})();

/** The seq of the entry that a log is refused for; -1 if it reads. */
function faultOf(lines: readonly string[]): number {
  try {
    decodeLog(RUN_ID, lines);
    return -1;
  } catch (error) {
    assert(error instanceof RunLogCorruptError || error instanceof SchemaVersionError, `${error}`);
    assertEquals(error.runId, RUN_ID);
    return error.seq;
  }
}

Deno.test("decodeLog() reads the log that the mutations start from", () => {
  assertEquals(faultOf(LINES), -1);
  assert(LINES.length > 12);
});

Deno.test("decodeLog() refuses every log with a flipped bit, at its entry", () => {
  for (const [seq, line] of LINES.entries()) {
    const bytes = new TextEncoder().encode(line);
    for (let i = seq; i < bytes.length; i += 3) {
      const flipped = bytes.slice();
      flipped[i]! ^= 1 << (i % 8);
      const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(flipped);
      assertEquals(faultOf(LINES.with(seq, text)), seq, `byte ${i} of entry ${seq}`);
    }
  }
});

Deno.test("decodeLog() refuses every log that lost an entry inside, at its place", () => {
  for (let seq = 0; seq < LINES.length - 1; seq++) {
    assertEquals(faultOf(LINES.toSpliced(seq, 1)), seq);
  }
});

Deno.test("decodeLog() refuses every log in which an entry stands twice, at the second", () => {
  for (let seq = 0; seq < LINES.length; seq++) {
    for (let to = seq + 1; to <= LINES.length; to++) {
      assertEquals(faultOf(LINES.toSpliced(to, 0, LINES[seq]!)), to);
    }
  }
});

Deno.test("decodeLog() refuses every log in which two entries changed places, at the first", () => {
  for (let a = 0; a < LINES.length; a++) {
    for (let b = a + 1; b < LINES.length; b++) {
      assertEquals(faultOf(LINES.with(a, LINES[b]!).with(b, LINES[a]!)), a);
    }
  }
});

Deno.test("decodeLog() refuses every log that was cut inside an entry", () => {
  for (const [seq, line] of LINES.entries()) {
    for (const end of [0, 1, 20, line.length >> 1, line.length - 1]) {
      assertEquals(faultOf([...LINES.slice(0, seq), line.slice(0, end)]), seq);
    }
  }
});

Deno.test("decodeLog() refuses every log with a stray line or character", () => {
  for (const stray of ["", " ", "\0", "\ufeff", "\r", "\u2028", "null", "{}"]) {
    for (let seq = 0; seq <= LINES.length; seq++) {
      assertEquals(faultOf(LINES.toSpliced(seq, 0, stray)), seq);
      if (seq === LINES.length || stray === "") continue;
      for (const line of [stray + LINES[seq], LINES[seq] + stray]) {
        assertEquals(faultOf(LINES.with(seq, line)), seq);
      }
    }
  }
});

Deno.test("decodeLog() cannot see whole entries that were cut off the end: a shorter log reads", () => {
  for (let length = 0; length < LINES.length; length++) {
    assertEquals(faultOf(LINES.slice(0, length)), -1);
  }
});
