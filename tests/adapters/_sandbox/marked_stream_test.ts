import { assertEquals } from "@std/assert";
import { boundedOutput } from "../../../adapters/_process/bounded_output.ts";
import { readMarkedStream } from "../../../adapters/_sandbox/marked_stream.ts";

/** What comes out of a stream of these pieces, letters in brackets. */
async function read(
  pieces: readonly Uint8Array[],
  markOf: (number: number) => string = () => "abab",
): Promise<string> {
  let heard = "";
  const output = boundedOutput(1_000);
  await readMarkedStream(ReadableStream.from(pieces), markOf, output, (letter) => {
    heard += `${output.take().beginning}[${letter}]`;
  });
  return heard + output.take().beginning;
}

Deno.test("readMarkedStream() finds every mark, wherever the stream is cut", async () => {
  const texts: [text: string, seen: string][] = [
    ["ababx", "[x]"],
    ["水ababx🌊ababy", "水[x]🌊[y]"],
    ["aabababxab", "a[a]bxab"],
    ["abab", "abab"],
    ["aba", "aba"],
    ["ababxababyaba", "[x][y]aba"],
    ["", ""],
  ];
  for (const [text, seen] of texts) {
    const bytes = new TextEncoder().encode(text);
    for (let i = 0; i <= bytes.length; i++) {
      for (let j = i; j <= bytes.length; j++) {
        const pieces = [bytes.slice(0, i), bytes.slice(i, j), bytes.slice(j)];
        assertEquals(await read(pieces), seen, `${text} ${i} ${j}`);
      }
    }
    assertEquals(await read([...bytes].map((byte) => new Uint8Array([byte]))), seen);
  }
});

Deno.test("readMarkedStream() hears each mark once, in its turn", async () => {
  const bytes = new TextEncoder().encode("m1xm0am0bm2m1cm1d");
  assertEquals(await read([bytes], (number) => `m${number}`), "m1x[a]m0bm2[c]m1d");
});
