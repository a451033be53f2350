import { assertEquals, assertThrows } from "@std/assert";
import { writeBytes, writeText } from "../../../types/mod.ts";

/** An output that takes so many bytes at once. */
function output(most: number): { readonly taken: number[]; writeSync(bytes: Uint8Array): number } {
  const taken: number[] = [];
  return {
    taken,
    writeSync(bytes) {
      for (const byte of bytes.subarray(0, most)) taken.push(byte);
      return Math.min(most, bytes.length);
    },
  };
}

Deno.test("writeText() writes a text whole, however little is taken at once", () => {
  const text = "a 🌊 and é";
  for (const most of [1, 2, 3, 100]) {
    const out = output(most);
    writeText(out, text);
    assertEquals(new TextDecoder().decode(new Uint8Array(out.taken)), text);
  }
});

Deno.test("writeBytes() ends where an output takes nothing, and asks nothing for no bytes", () => {
  assertThrows(() => writeBytes(output(0), new Uint8Array(3)), Error, "wrote nothing");
  assertThrows(() => writeText(output(0), "x"), Error, "wrote nothing");
  writeBytes(output(0), new Uint8Array(0));
});
