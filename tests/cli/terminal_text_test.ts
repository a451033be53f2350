import { assertEquals } from "@std/assert";
import { bar, table } from "../../cli/_terminal_text.ts";

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
