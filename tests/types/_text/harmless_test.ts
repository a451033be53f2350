import { assert, assertEquals } from "@std/assert";
import { harmless, harmlessJson, harmlessLine } from "../../../types/mod.ts";
import { IS_WHOLE } from "../../tasks/fuzz_rounds.ts";

/** The planes that hold a character to obey; the others are tried in `deno task fuzz`. */
const PLANES = IS_WHOLE ? Array.from({ length: 17 }, (_, i) => i) : [0, 1, 14];
/** Every code point of them once, and lone surrogates. */
const EVERYTHING =
  PLANES.map((plane) =>
    Array.from({ length: 0x10000 }, (_, at) => String.fromCodePoint(plane * 0x10000 + at)).join("")
  ).join("") + "\ud800 \udc00";

const OBEYED = /(?!\u200d)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

Deno.test("harmless() leaves nothing that a terminal obeys but lines and tabs", () => {
  assert(!OBEYED.test(harmless(EVERYTHING).replace(/[\n\t]/g, "")));
  assertEquals(
    harmless("a\n\tb\r\x1b[2J\u009b1m\u202e\u2028\u2029"),
    "a\n\tb\\u{d}\\u{1b}[2J\\u{9b}1m\\u{202e}\\u{2028}\\u{2029}",
  );
  assertEquals(harmless("été 🌊 👩‍🚀 ❤️ 漢字"), "été 🌊 👩‍🚀 ❤️ 漢字");
  assertEquals(
    harmless("a\u3164\u200b\u{e0041}\u{e0100}"),
    "a\\u{3164}\\u{200b}\\u{e0041}\\u{e0100}",
  );
});

Deno.test("harmlessLine() makes one line of a text", () => {
  assertEquals(harmlessLine(" a\r\n\t b\u2028c\x07 "), "a b c\\u{7}");
  assert(!/\n/.test(harmlessLine(EVERYTHING)));
});

Deno.test("harmlessJson() is the same value, and nothing in it is obeyed", () => {
  const value = { [`key\x1b\u009b`]: EVERYTHING, other: [null, "🌊", "\ud800", '"\\'] };
  const json = harmlessJson(value);
  assert(!OBEYED.test(json));
  assertEquals(JSON.parse(json), value);
});
