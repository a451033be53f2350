import { assert, assertEquals } from "@std/assert";
import { digest, frameLogLine, LOG_SCHEMA, parseLogLine } from "../../types/mod.ts";

const PREV = digest("r");
const RECORDS = '{"type":"step","text":"\\ud83c é 🌊 ,\\"hash\\":\\"sha256:00\\"}"},{"n":1}';

function reasonOf(line: string): string {
  const parsed = parseLogLine(line);
  assert(!parsed.ok, `it was read: ${line}`);
  return parsed.reason;
}

Deno.test("frameLogLine() frames records, chains them, and hashes all that stands before the hash", () => {
  const { seq, prev, hash, line } = frameLogLine(3, PREV, RECORDS);
  const hashed = `{"schema":"${LOG_SCHEMA}","seq":3,"prev":"${PREV}","records":[${RECORDS}]`;
  assertEquals({ seq, prev, hash }, { seq: 3, prev: PREV, hash: digest(hashed) });
  assertEquals(line, `${hashed},"hash":"${hash}"}`);
  assertEquals(JSON.parse(line).records.length, 2);
});

Deno.test("parseLogLine() reads what frameLogLine() wrote, also where a text looks like a hash", () => {
  for (const seq of [0, 1, 10, Number.MAX_SAFE_INTEGER]) {
    const entry = frameLogLine(seq, PREV, RECORDS);
    assertEquals(parseLogLine(entry.line), { ok: true, schema: LOG_SCHEMA, entry });
  }
});

Deno.test("parseLogLine() refuses every change of one byte", () => {
  const bytes = new TextEncoder().encode(frameLogLine(12, PREV, RECORDS).line);
  for (let i = 0; i < bytes.length; i++) {
    for (const mask of [1, 2, 4, 8, 16, 32, 64, 128, 255]) {
      const changed = bytes.slice();
      changed[i]! ^= mask;
      reasonOf(new TextDecoder("utf-8", { ignoreBOM: true }).decode(changed));
    }
  }
});

Deno.test("parseLogLine() refuses every line that lost or gained a character", () => {
  const { line } = frameLogLine(12, PREV, RECORDS);
  for (let i = 0; i <= line.length; i++) {
    reasonOf(line.slice(0, i) + line.slice(i + 1) + (i === line.length ? "x" : ""));
    reasonOf(`${line.slice(0, i)} ${line.slice(i)}`);
    if (i < line.length) reasonOf(line.slice(0, i));
  }
});

Deno.test("parseLogLine() tells a lone surrogate from U+FFFD, which its digest cannot", () => {
  const { line } = frameLogLine(0, PREV, '{"text":"\ufffd"}');
  assert(parseLogLine(line).ok);
  const other = line.replace("\ufffd", "\ud83c");
  assertEquals(digest(other), digest(line), "the digest is blind to it");
  assertEquals(reasonOf(other), "it is not well-formed Unicode");
});

const HASH = "0".repeat(64);
const REFUSED: readonly (readonly [string, string])[] = [
  ["", "it does not start as a log entry does"],
  ["not a log", "it does not start as a log entry does"],
  [`\ufeff${frameLogLine(0, PREV, "").line}`, "it does not start as a log entry does"],
  [`{"schema":"1","seq":0,"prev":"${PREV}","records":[]}`, "it does not start as a log entry does"],
  [
    frameLogLine(0, PREV, "").line.replace('"seq":0', '"seq":00'),
    "it does not start as a log entry does",
  ],
  [`{"schema":"1.0","seq":0,"prev":"${PREV}","records":[]}`, "it does not end with a hash"],
  [frameLogLine(0, PREV, "").line.toUpperCase(), "it does not start as a log entry does"],
  [
    `{"schema":"1.0","seq":0,"prev":"${PREV}","records":[],"hash":"sha256:${HASH}"}`,
    "its hash does not match its content",
  ],
];

Deno.test("parseLogLine() says what is wrong, and never throws", () => {
  for (const [line, reason] of REFUSED) assertEquals(reasonOf(line), reason, line);
});

Deno.test("parseLogLine() leaves the schema to whoever knows it", () => {
  const { line } = frameLogLine(0, PREV, "");
  const hashed = line.slice(0, line.lastIndexOf(',"hash":')).replace("1.0", "27.13");
  const parsed = parseLogLine(`${hashed},"hash":"${digest(hashed)}"}`);
  assertEquals(parsed.ok && parsed.schema, "27.13");
});
