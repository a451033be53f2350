import { assertEquals, assertRejects } from "@std/assert";
import {
  MAX_STRAY_LENGTH,
  type SseEvent,
  sseEvents,
  type SsePart,
  sseParts,
} from "../../../adapters/_wire/sse.ts";

const LIMIT = { maxLength: 1_000, tooLong: () => new RangeError("a line is too long") };

async function* from(pieces: readonly string[]): AsyncGenerator<string> {
  yield* pieces;
}

async function events(...pieces: readonly string[]): Promise<SseEvent[]> {
  return await Array.fromAsync(sseEvents(from(pieces), LIMIT));
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
    ["id\nretry\ndata: a\n\n", ["a"]],
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

Deno.test("sseParts() gives errors apart, and lines that are no fields", async () => {
  const [event, error, stray] = ["event", "error", "stray"] as const;
  const cases: [string, [SsePart["kind"], string][]][] = [
    ["data: a\n\nevent: error\ndata: b\n\n", [[event, "a"], [event, "b"]]],
    ['data: a\n\nerror: {"x":1}\n\ndata: b\n\n', [[event, "a"], [error, '{"x":1}'], [event, "b"]]],
    ["data: a\nerror: b\n", [[event, "a"], [error, "b"]]],
    ["error: b\ndata: a\n", [[error, "b"], [event, "a"]]],
    ['{\n "error": 1\n}\n\ndata: b\n\n', [[stray, '{\n "error": 1\n}'], [event, "b"]]],
    ["data: a\n\n<html>\n\n<p>", [[event, "a"], [stray, "<html>\n<p>"]]],
    ["errors: a\n\n", [[stray, "errors: a"]]],
    ["Data: a\n data: b\n", [[stray, "Data: a\n data: b"]]],
  ];
  for (const [stream, expected] of cases) {
    const parts = await Array.fromAsync(sseParts(from([stream]), LIMIT));
    assertEquals(parts.map(({ kind, data }) => [kind, data]), expected, stream);
  }
  const types = await Array.fromAsync(
    sseParts(from(["event: error\ndata: b\n\ndata: c\n\n"]), LIMIT),
  );
  assertEquals(types.map((part) => part.kind === "event" && part.type), ["error", ""]);
});

Deno.test("sseParts() keeps the first of many lines that are no fields, and no more", async () => {
  const line = "x".repeat(99) + "\n";
  const parts = await Array.fromAsync(
    sseParts(from([line.repeat(10_000), "data: a\n\n", "y\n"]), { ...LIMIT, maxLength: 100 }),
  );
  assertEquals(parts.map(({ kind, data }) => [kind, data.length]), [
    ["stray", Math.ceil((MAX_STRAY_LENGTH + 1) / 100) * 100 - 1],
    ["event", 1],
    ["stray", 1],
  ]);
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

Deno.test("sseEvents() gives the ids and the retry times, also of an event without data", async () => {
  assertEquals(await events("id: a\nretry: 500\ndata:\n\ndata: b\n\nid:\ndata: c\n\n"), [
    { data: "", unterminated: false, id: "a", retryMs: 500 },
    { data: "b", unterminated: false },
    { data: "c", unterminated: false, id: "" },
  ]);
  assertEquals(await events("id: a\0b\nretry: 5s\ndata: x\n\nretry:7\n\n"), [
    { data: "x", unterminated: false },
    { data: "", unterminated: false, retryMs: 7 },
  ]);
});

Deno.test("sseEvents() takes a line of the greatest length, and no longer one", async () => {
  const longest = `data:${"x".repeat(LIMIT.maxLength - 5)}`;
  assertEquals((await data(longest, "\n\n"))[0]?.length, LIMIT.maxLength - 5);
  for (const pieces of [[`${longest}x\n\n`], [longest, "x"]]) {
    await assertRejects(() => events(...pieces), RangeError, "too long");
  }
});
