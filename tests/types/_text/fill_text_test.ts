import { assertEquals } from "@std/assert";
import { fillText } from "../../../types/mod.ts";

Deno.test("fillText() puts values in literally, and leaves other braces", () => {
  assertEquals(
    fillText("{a} {b} {c} {a} {} {a b} { a }", { a: "$& {b}", b: 2 }),
    "$& {b} 2 {c} $& {b} {} {a b} { a }",
  );
  assertEquals(fillText("{toString} {__proto__}", {}), "{toString} {__proto__}");
});
