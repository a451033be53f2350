import { assertEquals } from "@std/assert";
import { WholeObjectScan } from "../../../../adapters/_wire/reply/whole_object_scan.ts";

function isObject(text: string): boolean {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

Deno.test("WholeObjectScan.isWhole() says after every character what parsing would say", () => {
  const texts = [
    String.raw` {"a":"} \" \\","b":[{},[]],"c":{"d":"\\"}} ` + "\n {",
    '{"a":"{[","b":"]}"}x ',
    "{x} {} ",
    "[{}] ",
    "}{{}} {}",
    '"{}" {}',
    "7{}",
    "null",
    "{}\u00a0",
    "",
  ];
  for (const text of texts) {
    const scan = new WholeObjectScan();
    for (let i = 0; i < text.length; i++) {
      scan.push(text[i]!);
      const soFar = text.slice(0, i + 1);
      assertEquals(scan.isWhole(), isObject(soFar), soFar);
      assertEquals(scan.isWhole(), isObject(soFar), "asked again");
    }
    const atOnce = new WholeObjectScan();
    atOnce.push(text);
    assertEquals(atOnce.isWhole(), isObject(text), text);
  }
});
