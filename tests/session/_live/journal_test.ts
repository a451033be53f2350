import { assertEquals, assertInstanceOf, assertThrows } from "@std/assert";
import { startPosition } from "../../../logic/_recovery/mod.ts";
import { decodeLog } from "../../../logic/serialization/mod.ts";
import { Interrupt } from "../../../session/_live/interrupt.ts";
import { Journal } from "../../../session/_live/journal.ts";
import { KernelFaultError } from "../../../session/_live/kernel_fault.ts";
import { memoryStore } from "../../../stores/memory.ts";
import { digest, type LogRecord, RunLogCorruptError } from "../../../types/mod.ts";
import { RUN_ID } from "../../logic/_recovery/legal_calls.ts";
import { legalLogs } from "../../logic/_recovery/legal_logs.ts";
import { tellingStore } from "../world.ts";

/** The records behind which nothing happens before they are durable, and the method that says so. */
const BARRIERS: { readonly [K in LogRecord["type"]]?: string } = {
  run_started: "startRun",
  model_call_intent: "writeIntent",
  action_intent: "writeIntent",
  run_finished: "finishRun",
};

const LOGS: readonly (readonly LogRecord[])[] = [...legalLogs()].slice(0, 300)
  .map((log) => log.map(({ record }) => record));

function journalOf(store = tellingStore()) {
  const { asked } = store;
  const interrupt = new Interrupt(undefined, 0);
  const journal = new Journal(store, interrupt, startPosition(RUN_ID), 0, digest(RUN_ID));
  return { journal, store, asked };
}

Deno.test("flush() writes every record as its kind asks for, and has no way to be told otherwise", async () => {
  const none: Parameters<Journal["flush"]>["length"] = 0;
  assertEquals(Journal.prototype.flush.length, none);
  for (const log of LOGS) {
    const { journal, asked } = journalOf();
    for (const record of log) {
      journal.record(record);
      await journal.flush();
    }
    assertEquals(asked, log.map(({ type }) => BARRIERS[type] ?? "writeOutcome"));
  }
});

Deno.test("flush() writes what has gathered as one entry, by the method of its last record", async () => {
  for (const log of LOGS) {
    const { journal, store, asked } = journalOf();
    for (const record of log) {
      journal.record(record);
      if (BARRIERS[record.type] !== undefined) await journal.flush();
    }
    await journal.flush();
    await journal.flush();
    const written = decodeLog(RUN_ID, (await store.readRun(RUN_ID))!).map(({ records }) => records);
    assertEquals(written.flat(), log);
    const ends = written.map((records) => records.at(-1)!.type);
    assertEquals(asked.slice(0, -1), ends.map((type) => BARRIERS[type] ?? "writeOutcome"));
  }
});

Deno.test("record() takes nothing behind a record that waits for its barrier", async () => {
  for (const log of LOGS) {
    const { journal, asked } = journalOf();
    for (const [at, record] of log.entries()) {
      journal.record(record);
      const next = log[at + 1];
      if (BARRIERS[record.type] === undefined || next === undefined) continue;
      const before = { position: journal.position, asked: asked.length };
      assertThrows(() => journal.record(next), KernelFaultError, `"${next.type}"`);
      assertEquals({ position: journal.position, asked: asked.length }, before);
      await journal.flush();
    }
  }
});

Deno.test("record() takes nothing that no log has at its place, and stays where it was", () => {
  const log = LOGS.find((log) => log.length > 4)!;
  for (const [at, record] of log.entries()) {
    if (at === 0) continue;
    const { journal } = journalOf();
    const before = journal.position;
    const error = assertThrows(() => journal.record(record), KernelFaultError, record.type);
    assertInstanceOf(error.cause, RunLogCorruptError);
    assertEquals(journal.position, before);
  }
});

Deno.test("flush() does not try again what a write failed for", async () => {
  const inner = memoryStore();
  const store = tellingStore({ ...inner, startRun: () => Promise.reject(new Error("full")) });
  const { journal, asked } = journalOf(store);
  journal.record(LOGS[0]![0]!);
  let failures = 0;
  await journal.flush().catch(() => failures++);
  await journal.flush();
  await journal.release();
  assertEquals([failures, asked.join()], [1, "startRun"]);
});
