import type { RunStore } from "../../../ports/mod.ts";
import { expect, expectEqual, expectRejection } from "../_expect.ts";
import { type LogBuilder, logBuilder } from "../_log_builder.ts";
import { expectLog, startedRun, storeCase, type StoreContractOptions } from "./bench.ts";
import type { ContractCase } from "../contract_case.ts";

const MEGABYTE = 1_048_576;

/** Sizes around the limits that stores have: pages, values of a key-value store, one atomic commit. */
const PAYLOAD_BYTES = [0, 1, 4_096, 60_000, 65_536, 819_200, MEGABYTE, 2 * MEGABYTE] as const;

/** Text that has broken line splitting, C strings, UTF-8 and object keys before; each as JSON writes it. */
const NASTY_TEXTS: readonly string[] = [
  "line\u2028and\u2029separators\u0085",
  "NUL \u0000, LF \n, CR LF \r\n, tab \t, DEL \u007f, backspace \b",
  "quotes \" ' ` and \\ and \\u0000 and \\\\n",
  "lone surrogates \ud800 and \udfff and reversed \udc00\ud800",
  "astral 🌊 𝒳 \u{10ffff}, joined 👩‍👩‍👧, combining e\u0301, right to left \u202e abc",
  "\ufeff a byte order mark, and a noncharacter \uffff \ufffe, and \ufffd",
  '],"hash":"sha256:0000000000000000000000000000000000000000000000000000000000000000"}',
  '{"schema":"1.0","seq":0,"prev":"","records":[]}',
  "'; DROP TABLE runs; -- %s %00 ${x} $& ../../etc",
];

/** JSON that reads as the same value and is not the same text when it is read and written again. */
const UNTIDY_JSON: readonly string[] = [
  '{"b":1,"a":2,"10":3,"9":4}',
  '{ "a" : 1 ,\t"a" : 2 }',
  "[1.0,1e3,1E-7,0.10,12345678901234567890,-0]",
  '"\\u0041\\/\\u00e9\\ud83c\\udf0a"',
];

/** Every form that a run id may take, the ones that a file system or a key could mistake among them. */
const RUN_IDS: readonly string[] = [
  ..."0 a z9 con nul aux prn com1 lpt1 a. a.. a..b a- a_ a.lock a.jsonl a.jsonl.torn-5 a.db a-wal a-shm"
    .split(" "),
  ..."__proto__ constructor".split(" ").map((name) => `x${name}`),
  "constructor",
  "tostring",
  "1e3",
  "00",
  "x".repeat(128),
  `${"x".repeat(126)}.y`,
];

const NOT_RUN_IDS: readonly string[] = [
  ...["", ".", "..", ".a", "-a", "_a", "A", "aB", "a/b", "a\\b", "../a", "a\0", "a\n", "a b", " a"],
  ...["a%2f", "a:b", "é", "ａ", "a\u0301", "x".repeat(129), "__proto__"],
];

/** What a log may hold, and under which names. */
export function contentCases<S extends RunStore>(
  options: StoreContractOptions<S>,
): readonly ContractCase[] {
  return [
    ...PAYLOAD_BYTES.map((bytes) =>
      storeCase(options, `an entry with a payload of ${bytes} B is kept whole`, async (b) => {
        const log = await startedRun(b.store, "sized");
        await b.store.writeOutcome("sized", log.next(JSON.stringify("x".repeat(bytes))));
        await b.store.writeIntent("sized", log.next(JSON.stringify("é".repeat(bytes / 2))));
        await b.store.finishRun("sized", log.finish());
        await b.store.releaseRun("sized");
        await expectLog(b.store, log, `with payloads of ${bytes} B`);
      })
    ),
    storeCase(options, "a first entry of 1 MB is kept whole", async (b) => {
      const first = logBuilder("big-start").next(JSON.stringify("x".repeat(MEGABYTE)));
      await b.store.startRun("big-start", first);
      expectEqual(await b.store.readRun("big-start"), [first.line], "the log");
    }),
    storeCase(options, "text of every kind is kept byte for byte", async (b) => {
      const log = await startedRun(b.store, "text");
      for (const text of NASTY_TEXTS) {
        await b.store.writeOutcome("text", log.next(JSON.stringify(text)));
        await b.store.writeIntent(
          "text",
          log.next(`{"__proto__":{"a":1},${JSON.stringify(text)}:2}`),
        );
      }
      await expectLog(b.store, log, "with text of every kind");
    }),
    storeCase(options, "JSON is kept as the text that it is", async (b) => {
      const log = await startedRun(b.store, "untidy");
      for (const json of UNTIDY_JSON) await b.store.writeOutcome("untidy", log.next(json));
      await expectLog(b.store, log, "with JSON as no program writes it");
    }),
    storeCase(options, "every run id names a run of its own", async (b) => {
      const logs: LogBuilder[] = [];
      for (const runId of RUN_IDS) logs.push(await startedRun(b.store, runId));
      for (const log of logs) await b.store.writeOutcome(log.runId, log.next());
      for (const log of logs) {
        await expectLog(b.store, log, "among runs with names like it");
        await b.store.releaseRun(log.runId);
      }
    }),
    storeCase(options, "what is not a run id is refused by every method", async (b) => {
      for (const runId of NOT_RUN_IDS) {
        const entry = logBuilder(runId).start();
        const calls = [
          () => b.store.readRun(runId),
          () => b.store.startRun(runId, entry),
          () => b.store.writeIntent(runId, entry),
          () => b.store.writeOutcome(runId, entry),
          () => b.store.finishRun(runId, entry),
        ];
        for (const call of calls) {
          await expectRejection(call(), ["invalid_request"], `the run id ${JSON.stringify(runId)}`);
        }
      }
    }),
    storeCase(options, "runs that are driven at once do not touch each other", async (b) => {
      const logs = Array.from({ length: 24 }, (_, i) => logBuilder(`at-once-${i}`));
      await Promise.all(logs.map(async (log, i) => {
        await b.store.startRun(log.runId, log.start());
        for (let k = 0; k < 4 + i % 3; k++) {
          await b.store.writeIntent(log.runId, log.next());
          await b.store.writeOutcome(log.runId, log.next(JSON.stringify("x".repeat(i * 700))));
        }
        if (i % 2 === 0) await b.store.finishRun(log.runId, log.finish());
        await b.store.releaseRun(log.runId);
      }));
      for (const log of logs) await expectLog(b.store, log, "driven beside others");
    }),
    storeCase(
      options,
      "readRun() during writes gives a whole beginning and blocks none",
      async (b) => {
        const log = await startedRun(b.store, "watched");
        for (let i = 0; i < 40; i++) {
          const [acknowledged, entry] = [
            log.lines.length,
            log.next(JSON.stringify("y".repeat(i * 997))),
          ];
          const [lines] = await Promise.all([
            b.store.readRun("watched"),
            i % 2 === 0
              ? b.store.writeIntent("watched", entry)
              : b.store.writeOutcome("watched", entry),
          ]);
          expect(lines !== null, "a run that is being written was read as absent");
          expect(lines.length >= acknowledged, "an acknowledged entry was not read");
          expectEqual(lines, log.lines.slice(0, lines.length), "what was read during a write");
        }
      },
    ),
  ];
}
