import { assertEquals } from "@std/assert";
import { digest, frameLogLine, parsedLinesOf, parseLogLine, textsOf } from "../../types/mod.ts";

const read = [parseLogLine(frameLogLine(0, digest("run"), "").line)].filter((line) => line.ok);

const fail = (): never => {
  throw new Error("nothing of it may be asked for");
};

Deno.test("parsedLinesOf() gives what was read of the very array that textsOf() made, and of no other", () => {
  const texts = textsOf(read);
  assertEquals(texts, read.map(({ entry }) => entry.line));
  assertEquals(parsedLinesOf(texts), read);
  const others = [
    [...texts],
    texts.slice(),
    new Proxy(texts, { get: fail, getPrototypeOf: fail, has: fail }),
    Object.create(texts),
  ];
  for (const other of others) assertEquals(parsedLinesOf(other), undefined);
});
