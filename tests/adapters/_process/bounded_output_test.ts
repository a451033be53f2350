import { assertEquals } from "@std/assert";
import { boundedOutput } from "../../../adapters/_process/bounded_output.ts";
import { cutMiddle } from "../../../types/mod.ts";

Deno.test("boundedOutput() reads the same text, whatever pieces it comes in", () => {
  const bytes = new Uint8Array([...new TextEncoder().encode("\ufeffé水🌊\0"), 0xff, 0xf0, 0x9f]);
  const whole = "\ufeffé水🌊\0\ufffd\ufffd";
  for (let limit = 0; limit <= 8; limit++) {
    const output = boundedOutput(limit);
    for (let i = 0; i <= bytes.length; i++) {
      for (let j = i; j <= bytes.length; j++) {
        for (const piece of [bytes.slice(0, i), bytes.slice(i, j), bytes.slice(j)]) {
          output.write(piece);
        }
        assertEquals(output.take(), cutMiddle(whole, limit));
      }
    }
  }
});

Deno.test("boundedOutput() holds no more than its limit, however much comes", () => {
  const output = boundedOutput(5);
  const chunk = new Uint8Array(1_000_000).fill(0x61);
  for (let i = 0; i < 10; i++) output.write(chunk);
  assertEquals(output.take(), { beginning: "aa", end: "aaa", truncatedChars: 9_999_995 });
  assertEquals(output.take(), { beginning: "", end: "", truncatedChars: 0 });
});
