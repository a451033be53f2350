import { assertEquals } from "@std/assert";
import { estimatedTokens } from "../../../logic/_stopping/mod.ts";

/** Two replies: 25 tokens for 100 characters, then 60 for 200. */
const REPORTED = { last: 60, lastChars: 200, sum: 85, sumChars: 300 };

Deno.test("estimatedTokens() adds to the last report what was added since, as all reports together have it, not rounded", () => {
  assertEquals(estimatedTokens(REPORTED, 200), 60);
  assertEquals(estimatedTokens(REPORTED, 201), 60 + 85 / 300);
  assertEquals(estimatedTokens(REPORTED, 500), 145);
});

Deno.test("estimatedTokens() takes away what an edit took away", () => {
  assertEquals(estimatedTokens(REPORTED, 80), 60 - 120 * 85 / 300);
});

Deno.test("estimatedTokens() knows nothing before a report, and the last one alone of empty prompts", () => {
  assertEquals(estimatedTokens(undefined, 500), undefined);
  assertEquals(estimatedTokens({ last: 7, lastChars: 0, sum: 7, sumChars: 0 }, 500), 7);
});
