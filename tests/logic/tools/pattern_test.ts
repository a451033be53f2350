import { assert, assertEquals } from "@std/assert";
import { fits } from "./schema_fit.ts";

Deno.test("a pattern that was written without the flag u means the same, and keeps what u means", () => {
  const cases: [pattern: string, matching: string[], others: string[]][] = [
    ["\\@", ["a@b"], ["ab", "\\"]],
    ["^\\d{4}\\-\\d{2}$", ["2026-11"], ["2026\\-11", "2026_11"]],
    ["^a\\_b\\:c\\ d\\#\\%\\'\\\"\\<\\>\\=\\!\\&\\,\\;\\~\\`$", ["a_b:c d#%'\"<>=!&,;~`"], ["a_b"]],
    ["^\\p{L}+\\@$", ["é@"], ["1@", "@"]],
    ["^.\\@$", ["🌊@", "a@"], ["ab@"]],
    ["^\\u{1F30A}\\-$", ["🌊-"], ["u{1F30A}-"]],
    ["^[\\w-.]+$", ["a-b.c"], ["a b"]],
    ["^[\\w-\\.]+\\@([\\w-]+\\.)+[\\w-]{2,4}$", ["a-b.c@d-e.org"], ["a b@c.org", "a@b"]],
    ["^[.-\\w]+$", ["a-b.c"], ["a b"]],
    ["^[\\@\\-a]+$", ["@-a"], ["\\", "b"]],
    ["^[\\^\\]\\@]+$", ["^]@"], ["a"]],
    ["^{.*}$", ["{a}", "{}"], ["a", "{a"]],
    ["^\\{{2}a\\}{2}\\@$", ["{{a}}@"], ["{a}@"]],
    ["^a]\\-$", ["a]-"], ["a-"]],
    ["^(?<y>\\d)\\-\\k<y>$", ["1-1"], ["1-2"]],
    ["^\\\\\\@$", ["\\@"], ["@"]],
    ["^é\\–$", ["é–"], ["é"]],
  ];
  for (const [pattern, matching, others] of cases) {
    assertEquals(matching.filter((text) => !fits({ pattern }, text)), [], pattern);
    assertEquals(others.filter((text) => fits({ pattern }, text)), [], pattern);
  }
});

Deno.test("a pattern that is one under u is read under it", () => {
  assert(fits({ pattern: "^\\p{L}+$" }, "é"));
  assert(fits({ pattern: "^.$" }, "🌊"));
  assert(!fits({ pattern: "^[^a]$" }, "🌊🌊"));
});
