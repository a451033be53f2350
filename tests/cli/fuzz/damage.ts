/** What a damaged medium, a hostile hand or another program can make of stored bytes, lines and values. */
import { digest, frameLogLine } from "../../../types/mod.ts";

/** Draws a whole number from 0, below a bound. */
export type Draw = (below: number) => number;

/** One of some values. */
export function oneOf<T>(draw: Draw, values: readonly [T, ...T[]]): T {
  return values[draw(values.length)] ?? values[0];
}

const PIECES: readonly [Uint8Array, ...Uint8Array[]] = [
  Uint8Array.of(0),
  Uint8Array.of(0x0a),
  Uint8Array.of(0x0d, 0x0a),
  Uint8Array.of(0xff),
  Uint8Array.of(0xef, 0xbb, 0xbf),
  Uint8Array.of(0xed, 0xa0, 0x80),
  new TextEncoder().encode("\u2028"),
  new TextEncoder().encode("\x1b[2J"),
  new Uint8Array(4_096),
  new Uint8Array(70_000).fill(0x78),
];

/** Bytes with one to four changes. */
export function damagedBytes(bytes: Uint8Array, draw: Draw): Uint8Array {
  let damaged = bytes;
  for (let left = 1 + draw(4); left > 0; left--) {
    const at = draw(damaged.length + 1);
    const to = Math.min(damaged.length, at + draw(oneOf(draw, [2, 40, 5_000])));
    damaged = oneOf<() => Uint8Array>(draw, [
      () => damaged.map((byte, i) => i === at ? byte ^ (1 << draw(8)) : byte),
      () => damaged.map((byte, i) => i >= at && i < to ? draw(256) : byte),
      () => damaged.subarray(0, at),
      () => spliced(damaged, at, to, []),
      () => spliced(damaged, at, at, damaged.subarray(draw(at + 1), to)),
      () => spliced(damaged, at, to, oneOf(draw, PIECES)),
    ])();
  }
  return damaged;
}

function spliced(
  bytes: Uint8Array,
  from: number,
  to: number,
  piece: Uint8Array | readonly number[],
): Uint8Array {
  const result = new Uint8Array(from + piece.length + bytes.length - to);
  result.set(bytes.subarray(0, from));
  result.set(piece, from);
  result.set(bytes.subarray(to), from + piece.length);
  return result;
}

const VALUES: readonly [string, ...string[]] = [
  "null",
  ...["true", "0", "-0", "1e999", "-1", "1.5", "9007199254740993", '""', '"\\ud800"', "x", ""],
  ...["[]", "{}", "[[]]", '{"__proto__":{"a":1}}', '"run_finished"', '"2026-99-01T00:00:00.000Z"'],
  ...["[".repeat(3_000) + "]".repeat(3_000), '{"a":'.repeat(900) + "1" + "}".repeat(900)],
  ...['"\\u001b[2J\\u2028"', `"${"x".repeat(40_000)}"`, '"../../etc/passwd"', '"=1+1"'],
];

/** A JSON text with one to three of its values, or of its keys, in the place of which something else stands. */
export function damagedJson(json: string, draw: Draw): string {
  let damaged = json;
  for (let left = 1 + draw(3); left > 0; left--) {
    const tokens = [...damaged.matchAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null/g)];
    const token = tokens[draw(tokens.length)];
    if (token === undefined) break;
    const end = token.index + token[0].length;
    const other = tokens[draw(tokens.length)]?.[0] ?? "0";
    damaged = damaged.slice(0, token.index) + oneOf(draw, [oneOf(draw, VALUES), other]) +
      damaged.slice(end);
  }
  return damaged;
}

/** A log with lines left out, doubled or swapped, or with other values in them; hashed anew, so that the values are read. */
export function damagedLog(runId: string, lines: readonly string[], draw: Draw): readonly string[] {
  const kept = lines.slice();
  const at = draw(kept.length);
  oneOf<() => unknown>(draw, [
    () => {},
    () => kept.splice(at, 1),
    () => kept.splice(at, 0, kept[at] ?? ""),
    () => kept.splice(at, 2, kept[at + 1] ?? "", kept[at] ?? ""),
    () => kept.splice(at),
  ])();
  const changed = draw(kept.length + 1);
  let prev = digest(oneOf(draw, [runId, runId, runId, "other"]));
  return kept.map((line, seq) => {
    const json = line.slice(line.indexOf('"records":[') + 11, line.lastIndexOf('],"hash":'));
    const entry = frameLogLine(seq, prev, seq === changed ? damagedJson(json, draw) : json);
    prev = entry.hash;
    return entry.line;
  });
}
