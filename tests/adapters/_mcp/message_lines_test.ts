import { assertEquals, assertRejects } from "@std/assert";
import { MAX_MESSAGE_BYTES } from "../../../adapters/_mcp/link.ts";
import { messageLines } from "../../../adapters/_mcp/transports/message_lines.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

async function* from(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

async function lines(...pieces: readonly Uint8Array[]): Promise<string[]> {
  return await Array.fromAsync(messageLines(from(pieces)));
}

Deno.test("messageLines() gives the same wherever the bytes are cut, and not what the end cut off", async () => {
  const stream = bytes('{"a":"水🌊"}\r\n\n{"b":1}\nrest');
  const whole = ['{"a":"水🌊"}\r', "", '{"b":1}'];
  for (let i = 0; i <= stream.length; i++) {
    for (let j = i; j <= stream.length; j++) {
      const pieces = [stream.subarray(0, i), stream.subarray(i, j), stream.subarray(j)];
      assertEquals(await lines(...pieces), whole, `${i} ${j}`);
    }
  }
});

Deno.test("messageLines() takes a line of the greatest length, and no longer one, with or without an end", async () => {
  const longest = new Uint8Array(MAX_MESSAGE_BYTES).fill(65);
  assertEquals((await lines(longest, bytes("\n")))[0]?.length, MAX_MESSAGE_BYTES);
  for (const more of ["A", "A\n"]) {
    await assertRejects(() => lines(longest, bytes(more)), RangeError, "more than 8388608 bytes");
  }
});
