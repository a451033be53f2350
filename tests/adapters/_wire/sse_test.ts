import { assertEquals, assertRejects } from "@std/assert";
import { MAX_LINE_LENGTH, type SseEvent, sseEvents } from "../../../adapters/_wire/sse.ts";
import { ModelCallError } from "../../../types/mod.ts";

async function* from(pieces: readonly string[]): AsyncGenerator<string> {
  yield* pieces;
}

async function events(...pieces: readonly string[]): Promise<SseEvent[]> {
  return await Array.fromAsync(sseEvents(from(pieces)));
}

async function data(...pieces: readonly string[]): Promise<string[]> {
  return (await events(...pieces)).map((event) => event.data);
}

Deno.test("sseEvents() ends lines at LF, CRLF and CR", async () => {
  for (const end of ["\n", "\r\n", "\r"]) {
    assertEquals(await data(`data: a${end}data: b${end}${end}data: c${end}${end}`), ["a\nb", "c"]);
  }
  assertEquals(await data("data: a\r\rdata: b\n\r\ndata: c\r\n\n"), ["a", "b", "c"]);
});

Deno.test("sseEvents() reads fields as the WHATWG text says", async () => {
  const cases: [string, string[]][] = [
    ["data:a\n\n", ["a"]],
    ["data: a\n\n", ["a"]],
    ["data:  a \n\n", [" a "]],
    ["data:\ta\n\n", ["\ta"]],
    ["data\ndata\n\n", ["\n"]],
    ["data: a\ndata\ndata: b\n\n", ["a\n\nb"]],
    [": data: a\n:\ndata: b\n\n", ["b"]],
    ["event: x\nid: 1\nretry: 5\ndata: a\n\n", ["a"]],
    ["Data: a\n data: b\ndatax: c\n\n", []],
    ["event: only\n\n\n\n", []],
    ["data:\n\ndata: a\n\n", ["a"]],
    ["data: a\u2028b\u0085c\n\n", ["a\u2028b\u0085c"]],
    ["", []],
  ];
  for (const [stream, expected] of cases) assertEquals(await data(stream), expected, stream);
});

Deno.test("sseEvents() gives what the end left pending, and says so", async () => {
  assertEquals(await events("data: a\n\ndata: b\ndata: c"), [
    { data: "a", unterminated: false },
    { data: "b\nc", unterminated: true },
  ]);
  assertEquals(await events("data: a\n"), [{ data: "a", unterminated: true }]);
  assertEquals(await events("data: a\n\r"), [{ data: "a", unterminated: false }]);
});

Deno.test("sseEvents() gives the same wherever the stream is cut", async () => {
  const stream = ": c\r\ndata: a\r\ndata:b\r\n\r\nevent: x\rdata: c\r\rdata: 水🌊\n\ndata: end\r\n";
  const whole = await events(stream);
  assertEquals(whole.map((event) => event.data), ["a\nb", "c", "水🌊", "end"]);
  for (let i = 0; i <= stream.length; i++) {
    for (let j = i; j <= stream.length; j++) {
      const pieces = [stream.slice(0, i), stream.slice(i, j), stream.slice(j)];
      assertEquals(await events(...pieces), whole, JSON.stringify(pieces));
    }
  }
});

Deno.test("sseEvents() takes a line of the greatest length, and no longer one", async () => {
  const longest = `data:${"x".repeat(MAX_LINE_LENGTH - 5)}`;
  assertEquals((await data(longest, "\n\n"))[0]?.length, MAX_LINE_LENGTH - 5);
  for (const pieces of [[`${longest}x\n\n`], [longest, "x"]]) {
    await assertRejects(() => events(...pieces), ModelCallError, "longer than");
  }
});
