import { assert, assertEquals } from "@std/assert";
import { columnsOf, fitColumns } from "../../../types/mod.ts";

Deno.test("fitColumns() cuts at columns, wide characters counting two", () => {
  assertEquals(columnsOf("a漢🌊e\u0301"), 6);
  assertEquals(fitColumns("abc", 3), "abc");
  assertEquals(fitColumns("abcd", 3), "ab…");
  assertEquals(fitColumns("漢字漢字", 8), "漢字漢字");
  assertEquals(fitColumns("漢字漢字", 7), "漢字漢…");
  assertEquals(fitColumns("漢字漢字", 6), "漢字…");
});

Deno.test("fitColumns() is the longest beginning that leaves a column for the sign that it was cut", () => {
  const lines = ["abc", "漢字漢字", "a漢🌊e\u0301z", "e\u0301\u0301\u0301", "🌊🌊🌊🌊"];
  for (const line of lines) {
    for (let columns = 1; columns <= columnsOf(line) + 1; columns++) {
      const fitted = fitColumns(line, columns);
      assert(columnsOf(fitted) <= columns, `${line} in ${columns}`);
      if (columnsOf(line) <= columns) assertEquals(fitted, line);
      else assertEquals(fitted, `${longestBeginning(line, columns - 1)}…`);
    }
  }
});

function longestBeginning(line: string, columns: number): string {
  const characters = [...line];
  while (columnsOf(characters.join("")) > columns) characters.pop();
  return characters.join("");
}
