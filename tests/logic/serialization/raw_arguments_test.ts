import { assertEquals } from "@std/assert";
import { rawGives } from "../../../logic/serialization/raw_arguments.ts";
import { parseFaithfulJson } from "../../../logic/tools/mod.ts";
import type { JsonValue } from "../../../types/mod.ts";
import { drawing, jsonValues } from "../../types/json_values.ts";
import { fuzzRounds } from "../../tasks/fuzz_rounds.ts";
import { spelled } from "./generated_replies.ts";

/** Raw texts that give what `JSON.parse` makes of them. */
const GIVING = [
  "null",
  '{"a":1}',
  ' {\t"a" :\r\n[ 1 , 2.50 ,-3.0, 100, 0, 0.0000001 ] } ',
  '{"b":1,"a":2}',
  '"\\u00e9 \\/ \\ud83c\\udf0a \\ud83c"',
  '{"__proto__":{"a":1}}',
  '"1.0 : \\" 2.0"',
  "123456789012345",
  "900719925474099.1",
  "12345678901234567000",
  "1e+21",
];

/** Raw texts that JSON readers may take for different values, or that are spelled in a way of their own. */
const NOT_GIVING = [
  '{"a":1,"a":1}',
  '{"a":1,"\\u0061":2}',
  "12345678901234567890",
  "9007199254740993",
  "0.1000000000000000055",
  "1e400",
  "-1e400",
  "-0",
  "[-0.0]",
  "0.0",
  "1e2",
  "1E+21",
  '{"10":1,"9":2}',
  '"\ud83c"',
];

/** Texts that are no JSON, each with what stands in it when gaps are ignored. */
const NO_JSON: readonly (readonly [string, JsonValue])[] = [
  ["", ""],
  ["1 2", 12],
  ["tr ue", true],
  ['{"a":1', { a: 1 }],
  ['"a', "a"],
  ['"\\x"', "x"],
  ['"a\tb"', "a\tb"],
  ["[1,]", [1]],
  ["'a'", "a"],
  ["NaN", null],
];

Deno.test("rawGives() takes what JSON.parse reads, in every spelling that no reader takes otherwise", () => {
  for (const raw of GIVING) assertEquals(rawGives(raw, JSON.parse(raw)), true, raw);
});

Deno.test("rawGives() refuses what a reader could take otherwise, whatever was read", () => {
  for (const raw of NOT_GIVING) assertEquals(rawGives(raw, JSON.parse(raw)), false, raw);
});

Deno.test("rawGives() refuses what is no JSON", () => {
  for (const [raw, args] of NO_JSON) assertEquals(rawGives(raw, args), false, raw);
});

Deno.test("rawGives() refuses other arguments than those of the text, also in another order", () => {
  assertEquals(rawGives('{"a":1}', { a: 2 }), false);
  assertEquals(rawGives('{"a":1}', null), false);
  assertEquals(rawGives('{"a":1,"b":2}', { b: 2, a: 1 }), false);
  assertEquals(rawGives("{}", []), false);
});

Deno.test("rawGives() takes texts of a megabyte, and of many escapes", () => {
  for (const piece of ["y", '\\"', "\\\\", "\\u00e9", " "]) {
    const raw = `{ "a": "${piece.repeat(300_000)}" }`;
    assertEquals(rawGives(raw, JSON.parse(raw)), true);
  }
});

Deno.test("rawGives() takes only what parseFaithfulJson() reads as the same value", () => {
  const draw = drawing(3);
  const rounds = fuzzRounds(100_000);
  let given = 0;
  for (const value of jsonValues(rounds)) {
    const raw = spelled(draw, value);
    const read: JsonValue = JSON.parse(raw);
    if (!rawGives(raw, read)) continue;
    given++;
    assertEquals(parseFaithfulJson(raw).ok, true, raw);
  }
  assertEquals(given > 0.4 * rounds, true);
});
