import { assert, assertEquals, assertThrows } from "@std/assert";
import { decodeLog, encodeEntry } from "../../../logic/serialization/mod.ts";
import {
  digest,
  frameLogLine,
  type LogRecord,
  parsedLinesOf,
  parseLogLine,
  RunLogCorruptError,
  type RunStartedRecord,
  SchemaVersionError,
  SerializationError,
  textsOf,
} from "../../../types/mod.ts";
import { FULL_RECORDS } from "../../types/_shape/sample_records.ts";

const STARTED = FULL_RECORDS[0]!;

/** Two entries: the started record, and all the others. */
function linesOf(): readonly string[] {
  const first = encodeEntry(0, digest("r"), [STARTED]);
  const second = encodeEntry(1, first.hash, FULL_RECORDS.slice(1));
  return [first.line, second.line];
}

/** A line of this text, hashed anew. */
function hashed(line: string): string {
  const content = line.slice(0, line.lastIndexOf(',"hash":'));
  return `${content},"hash":"${digest(content)}"}`;
}

function ofSchema(schema: string, line: string): string {
  return hashed(line.replace('"schema":"1.0"', `"schema":"${schema}"`));
}

function frozen(value: unknown): boolean {
  return typeof value !== "object" || value === null ||
    (Object.isFrozen(value) && Object.values(value).every(frozen));
}

Deno.test("decodeLog() gives back what encodeEntry() took, deep-frozen, __proto__ and lone surrogates too", () => {
  const [first, second] = decodeLog("r", linesOf());
  assertEquals(JSON.stringify(first?.records), JSON.stringify([STARTED]));
  assertEquals(JSON.stringify(second?.records), JSON.stringify(FULL_RECORDS.slice(1)));
  assertEquals(
    { seq: first?.seq, prev: first?.prev, nextSeq: second?.seq, nextPrev: second?.prev },
    { seq: 0, prev: digest("r"), nextSeq: 1, nextPrev: first?.hash },
  );
  assertEquals([first?.schema, second?.schema], ["1.0", "1.0"]);
  assert(frozen(first) && frozen(second));
});

Deno.test("encodeEntry() takes an undefined field as absent", () => {
  const { inputs: _, ...bare } = STARTED as RunStartedRecord;
  const given = { ...bare, inputs: undefined } as object as LogRecord;
  const { line } = encodeEntry(0, digest("r"), [given]);
  assertEquals(decodeLog("r", [line])[0]?.records, [bare]);
});

Deno.test("encodeEntry() writes nothing that JSON would change, and names the path", () => {
  const answers: readonly (readonly [unknown, string])[] = [
    [NaN, "records[0].answer"],
    [{ a: [-0] }, "records[0].answer.a[0]"],
    [1n, "records[0].answer"],
    [[undefined], "records[0].answer[0]"],
    [() => 1, "records[0].answer"],
    [new Date(0), "records[0].answer"],
  ];
  for (const [answer, path] of answers) {
    const record = { ...FULL_RECORDS.at(-1), answer } as LogRecord;
    const error = assertThrows(() => encodeEntry(0, digest("r"), [record]), SerializationError);
    assertEquals(error.path, path);
  }
});

Deno.test("encodeEntry() writes no record of another shape, and no entry without records", () => {
  const records: readonly (readonly [object, string])[] = [
    [{ ...STARTED, at: 5 }, "records[1].at"],
    [{ ...STARTED, type: "brand_new" }, "records[1].type"],
    [{ ...STARTED, more: 1 }, "records[1].more"],
  ];
  for (const [record, path] of records) {
    const entry = [STARTED, record as LogRecord];
    const error = assertThrows(() => encodeEntry(0, digest("r"), entry), SerializationError);
    assertEquals(error.path, path);
  }
  assertThrows(() => encodeEntry(0, digest("r"), []), SerializationError, "at least one record");
});

/** A log of one line of this JSON, framed and hashed as it should be. */
function framed(recordsJson: string): readonly string[] {
  return [frameLogLine(0, digest("r"), recordsJson).line];
}

const STARTED_JSON = JSON.stringify(STARTED);
const DEEP = "[".repeat(5_000) + "]".repeat(5_000);
const withAnswer = (json: string) =>
  JSON.stringify(FULL_RECORDS.at(-1)).replace('{"a":[null]}', json);

/** Logs whose hashes are right and whose content is not. */
const CORRUPT: readonly (readonly [string, readonly string[], string])[] = [
  ["no JSON", framed("{"), "not JSON"],
  ["JSON and more", framed(`${STARTED_JSON}],"x":[}`), "not JSON"],
  ["no records", framed(""), "records is wrong: it must have at least 1 item"],
  ["a record that is none", framed("5"), "records[0] is wrong: it must be an object"],
  ["an unknown kind", framed('{"type":"brand_new"}'), "records[0].type is wrong"],
  ["an unknown field", framed(`${STARTED_JSON.slice(0, -1)},"more":1}`), "records[0].more"],
  ["a missing field", framed('{"type":"run_started"}'), "records[0].runId is wrong: it is missing"],
  ["a field of the entry", [hashed(framed(STARTED_JSON)[0]!.replace("],", '],"more":1,'))], "more"],
  [
    "records twice",
    [hashed(framed(STARTED_JSON)[0]!.replace(/],"hash/, '],"records":5,"hash'))],
    "",
  ],
  ["a number too large", framed(withAnswer("1e999")), "not JSON that a log may hold"],
  ["-0", framed(withAnswer("-0")), "not JSON that a log may hold"],
  ["hostile nesting", framed(withAnswer(DEEP)), "not JSON that a log may hold"],
];

for (const [what, lines, reason] of CORRUPT) {
  Deno.test(`decodeLog() refuses ${what}`, () => {
    const error = assertThrows(() => decodeLog("r", lines), RunLogCorruptError, reason);
    assertEquals([error.runId, error.seq], ["r", 0]);
  });
}

Deno.test("decodeLog() refuses another major of the schema, naming it", () => {
  const [first, second] = linesOf();
  for (const schema of ["0.9", "2.0", "2.7", "10.0"]) {
    const other = ofSchema(schema, second!);
    const error = assertThrows(() => decodeLog("r", [first!, other]), SchemaVersionError, schema);
    assertEquals([error.runId, error.seq, error.found], ["r", 1, schema]);
  }
});

Deno.test("decodeLog() reads fields that a later minor added, and keeps them", () => {
  for (const schema of ["1.1", "1.27"]) {
    const entry = framed(`${STARTED_JSON.slice(0, -1)},"more":{"deep":[1]}}`)[0]!
      .replace(',"hash":', ',"alsoNew":true,"hash":');
    const [decoded] = decodeLog("r", [ofSchema(schema, entry)]);
    assertEquals(decoded?.schema, schema);
    assertEquals(Object.entries(decoded!.records[0]!).at(-1), ["more", { deep: [1] }]);
    assert(frozen(decoded));
  }
});

Deno.test("decodeLog() says that it is too old for a kind or member that a later minor added", () => {
  const later: readonly (readonly [string, string])[] = [
    ['{"type":"brand_new"}', "records[0].type"],
    [STARTED_JSON.replace('"role":"system"', '"role":"critic"'), "runLevel[0].role"],
    [STARTED_JSON.replace('"type":"text"', '"type":"image"'), "content[0].type"],
  ];
  for (const [json, path] of later) {
    const lines = [ofSchema("1.1", framed(json)[0]!)];
    const error = assertThrows(() => decodeLog("r", lines), SchemaVersionError, path);
    assertEquals([error.seq, error.found], [0, "1.1"]);
  }
  const wrong = [ofSchema("1.1", framed('{"type":"run_started"}')[0]!)];
  assertThrows(() => decodeLog("r", wrong), RunLogCorruptError, "it is missing");
});

Deno.test("decodeLog() reads a log whose minor grows", () => {
  const [first, second] = linesOf();
  const decoded = decodeLog("r", [first!, ofSchema("1.3", second!)]);
  assertEquals(decoded.map(({ schema }) => schema), ["1.0", "1.3"]);
});

Deno.test("decodeLog() refuses another run's log", () => {
  const error = assertThrows(() => decodeLog("other", linesOf()), RunLogCorruptError);
  assertEquals([error.seq, error.reason], [0, "it does not continue the entry before it"]);
  assertEquals(decodeLog("r", []), []);
});

/** The log as `linesOf` gives it, as a store hands it on that has read each line. */
function readLines(lines: readonly string[]): readonly string[] {
  return textsOf(lines.map((line) => {
    const parsed = parseLogLine(line);
    assert(parsed.ok);
    return parsed;
  }));
}

Deno.test("decodeLog() gives the same for lines that were read, and takes their hash as it was read", () => {
  assertEquals(decodeLog("r", readLines(linesOf())), decodeLog("r", linesOf()));

  const { entry } = parsedLinesOf(readLines(linesOf()))![0]!;
  const other = { ok: true, schema: "1.0", entry: { ...entry, hash: digest("other") } } as const;
  assertEquals(decodeLog("r", textsOf([other]))[0]?.hash, digest("other"));
});

Deno.test("decodeLog() holds lines that were read against their place and their records all the same", () => {
  const [first, second] = linesOf();
  for (const lines of [[second!], [first!, first!], [ofSchema("2.0", first!)]]) {
    const [whole, again] = [lines, readLines(lines)].map((log) =>
      assertThrows(() => decodeLog("r", log))
    );
    assertEquals(again, whole);
  }
});

Deno.test("parsedLinesOf() knows the array alone that a reader gave, which nobody can change", () => {
  const lines = readLines(linesOf());
  assert(Object.isFrozen(lines));
  assertEquals(parsedLinesOf(lines)?.map(({ entry }) => entry.line), lines);
  assertEquals(parsedLinesOf([...lines]), undefined);
});
