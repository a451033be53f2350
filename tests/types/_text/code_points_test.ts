import { assert, assertEquals } from "@std/assert";
import {
  compareCodePoints,
  countCodePoints,
  hasSurrogates,
  takeCodePoints,
} from "../../../types/mod.ts";

const FAMILY = "👨‍👩‍👧‍👦";

/** Each text with what Python 3.11 says of it: `len(text)`. */
const LENGTHS: readonly (readonly [string, number])[] = [
  ["", 0],
  ["plain", 5],
  ["é", 1],
  ["e\u0301", 2],
  ["漢字", 2],
  ["🌊", 1],
  [FAMILY, 7],
  ["\ud83c", 1],
  ["\udf0a", 1],
  ["\udf0a\ud83c", 2],
  ["a\ud83c\udf0a\ud83c", 3],
  ["\ud83c\ud83c\udf0a", 2],
  ["\ufffd\uffff", 2],
  ["\uffffa🌊\uffff🌊", 5],
];

Deno.test("countCodePoints() counts what Python's len counts", () => {
  for (const [text, length] of LENGTHS) {
    assertEquals(countCodePoints(text), length, JSON.stringify(text));
    assertEquals([...text].length, length, JSON.stringify(text));
    assertEquals(hasSurrogates(text), /[\ud800-\udfff]/.test(text));
  }
});

Deno.test("takeCodePoints() is Python's text[:limit], and cuts no pair", () => {
  for (const [text] of LENGTHS) {
    for (let limit = 0; limit <= text.length + 1; limit++) {
      const taken = takeCodePoints(text, limit);
      assertEquals(taken, [...text].slice(0, limit).join(""), `${JSON.stringify(text)}[:${limit}]`);
    }
  }
});

/** As Python 3.11 sorts them. */
// deno-fmt-ignore
const SORTED = [
  "", "0", "10", "2", "Z", "a", "ab", "a\ud83c", "a\uffff", "a🌊", "b", "e\u0301", "~", "é",
  "\ud7ff", "\ud800", "\ud83c", "\ud83cx", "\udbff", "\udc00", "\udf0a", "\udfff", "\ue000",
  "\uffff", "\uffffa", "\uffffb", "\u{10000}", "🌊", "🌊a", "🌊🌊", "\u{10ffff}",
];

Deno.test("compareCodePoints() orders every pair as Python does, lone surrogates too", () => {
  for (const [i, a] of SORTED.entries()) {
    for (const [j, b] of SORTED.entries()) {
      assertEquals(
        Math.sign(compareCodePoints(a, b)),
        Math.sign(i - j),
        `${JSON.stringify(a)} and ${JSON.stringify(b)}`,
      );
    }
  }
  assertEquals(SORTED.toReversed().sort(compareCodePoints), SORTED);
  assert(SORTED.toSorted().join() !== SORTED.join(), "JavaScript's own order is another");
});
