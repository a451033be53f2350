import { assert, assertEquals } from "@std/assert";
import {
  bar,
  columnsOf,
  fitColumns,
  harmless,
  harmlessJson,
  harmlessLine,
  paint,
  table,
} from "../../cli/_terminal_text.ts";

/** Every code point once, and lone surrogates. */
function everything(): string {
  let text = "";
  for (let point = 0; point <= 0x10ffff; point++) text += String.fromCodePoint(point);
  return `${text}\ud800 \udc00`;
}

const OBEYED = /(?!\u200d)[\p{Cc}\p{Cf}\p{Cs}]/u;

Deno.test("harmless() leaves nothing that a terminal obeys but lines and tabs", () => {
  assert(!OBEYED.test(harmless(everything()).replace(/[\n\t]/g, "")));
  assertEquals(
    harmless("a\n\tb\r\x1b[2J\u009b1m\u202e"),
    "a\n\tb\\u{d}\\u{1b}[2J\\u{9b}1m\\u{202e}",
  );
  assertEquals(harmless("été 🌊 👩‍🚀 漢字"), "été 🌊 👩‍🚀 漢字");
});

Deno.test("harmlessLine() makes one line of a text", () => {
  assertEquals(harmlessLine(" a\r\n\t b\u2028c\x07 "), "a b c\\u{7}");
  assert(!/\n/.test(harmlessLine(everything())));
});

Deno.test("harmlessJson() is the same value, and nothing in it is obeyed", () => {
  const value = { [`key\x1b\u009b`]: everything(), other: [null, "🌊", "\ud800", '"\\'] };
  const json = harmlessJson(value);
  assert(!OBEYED.test(json));
  assertEquals(JSON.parse(json), value);
});

Deno.test("fitColumns() cuts at columns, wide characters counting two", () => {
  assertEquals(columnsOf("a漢🌊e\u0301"), 6);
  assertEquals(fitColumns("abc", 3), "abc");
  assertEquals(fitColumns("abcd", 3), "ab…");
  assertEquals(fitColumns("漢字漢字", 8), "漢字漢字");
  assertEquals(fitColumns("漢字漢字", 7), "漢字漢…");
  assertEquals(fitColumns("漢字漢字", 6), "漢字…");
});

Deno.test("bar() shows any amount at all, and never more than its columns", () => {
  assertEquals(bar(0, 10, 4), "    ");
  assertEquals(bar(1, 1e9, 4), "▏   ");
  assertEquals(bar(5, 10, 4), "██  ");
  assertEquals(bar(10, 10, 4), "████");
  assertEquals(bar(99, 10, 4), "████");
  assertEquals(bar(1, 0, 4), "    ");
  for (let amount = 0; amount <= 64; amount++) assertEquals(bar(amount, 64, 8).length, 8);
});

Deno.test("table() aligns columns, numbers to the right", () => {
  assertEquals(table([["漢", "1", "x"], ["a", "10", ""]], [1]), ["漢   1  x", "a   10"]);
  assertEquals(table([]), []);
});

Deno.test("paint() adds nothing where there are no colours", () => {
  assertEquals(paint({ hasColor: false }, "bad", "no"), "no");
  assertEquals(paint({ hasColor: true }, "bad", "no"), "\x1b[31mno\x1b[0m");
});
