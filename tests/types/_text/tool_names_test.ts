import { assertEquals } from "@std/assert";
import { listedTools, quotedName, toolNotVisibleText } from "../../../types/mod.ts";

Deno.test("toolNotVisibleText() is there only for a tool that is named and not visible", () => {
  const text = "{tool} is not one of {visible}";
  assertEquals(toolNotVisibleText(text, "x", ["a", "b"]), '"x" is not one of a, b');
  assertEquals(toolNotVisibleText(text, "{visible}", []), '"{visible}" is not one of none');
  assertEquals(toolNotVisibleText(text, "a", ["a", "b"]), undefined);
  assertEquals(toolNotVisibleText(text, undefined, ["a"]), undefined);
  assertEquals(toolNotVisibleText(text, "x", undefined), undefined);
});

Deno.test("quotedName() is JSON of at most 80 code points", () => {
  assertEquals(quotedName('a"\n'), '"a\\"\\n"');
  assertEquals(quotedName("🌊".repeat(80)), `"${"🌊".repeat(80)}"`);
  assertEquals(quotedName("🌊".repeat(81)), `"${"🌊".repeat(80)}"…`);
});

Deno.test("listedTools() says so where there are none", () => {
  assertEquals([listedTools([]), listedTools(["a"]), listedTools(["a", "b"])], [
    "none",
    "a",
    "a, b",
  ]);
});
