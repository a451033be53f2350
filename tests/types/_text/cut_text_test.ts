import { assertEquals } from "@std/assert";
import { cutMiddle, excerpt } from "../../../types/mod.ts";

const TEXTS = ["", "a", "plain text", "🌊a🌊b🌊", "\udf0a\ud83c\ud83c\udf0a", "漢字".repeat(9)];

Deno.test("cutMiddle() keeps two parts of the beginning and three of the end", () => {
  for (const text of TEXTS) {
    const points = [...text];
    for (const limit of [0, 1, 2, 3, 5, 100, Infinity]) {
      const { beginning, end, truncatedChars } = cutMiddle(text, limit);
      const whole = points.length <= limit;
      assertEquals(truncatedChars, whole ? 0 : points.length - limit);
      const firstChars = whole ? points.length : Math.floor(limit * 2 / 5);
      assertEquals(beginning, points.slice(0, firstChars).join(""));
      assertEquals(end, whole ? "" : points.slice(points.length - limit + firstChars).join(""));
    }
  }
});

Deno.test("cutMiddle() cuts what it has cut before, with more since, as if it had come whole", () => {
  for (const text of TEXTS) {
    for (const more of TEXTS) {
      for (const [first, second] of [[0, 0], [2, 1], [5, 5], [7, 4], [100, 3]] as const) {
        const cut = cutMiddle(text, first);
        const again = cutMiddle({ ...cut, end: cut.end + more }, second);
        assertEquals(again, cutMiddle(text + more, second), `${text} ${more} ${first} ${second}`);
      }
    }
  }
});

Deno.test("excerpt() tells that something is missing exactly where something is", () => {
  for (const text of TEXTS) {
    const points = [...text];
    for (const limit of [0, 1, 2, 5, 100]) {
      const kept = points.slice(0, limit).join("");
      assertEquals(excerpt(text, limit), kept === text ? text : `${kept}…`);
    }
  }
});
