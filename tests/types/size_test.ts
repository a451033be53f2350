import { assertEquals, assertThrows } from "@std/assert";
import {
  blockSize,
  type ContentBlock,
  InvalidRequestError,
  messageSize,
  textMessage,
  toolsSize,
} from "../../types/mod.ts";

/** Each block with its size: Python's `len` of its text, or of name and canonical JSON. */
const SIZES: readonly (readonly [ContentBlock, number])[] = [
  [{ type: "text", text: "" }, 0],
  [{ type: "text", text: "🌊 ok" }, 4],
  [{ type: "text", text: "\ud83c" }, 1],
  [{ type: "tool_result", toolCallId: "s0_a0", text: "漢🌊", isError: true }, 2],
  [{ type: "tool_call", toolCallId: "s0_a0", name: "look", arguments: {} }, 4 + 2],
  [{ type: "tool_call", toolCallId: "s0_a0", name: "🌊", arguments: { b: "🌊", a: [1] } }, 1 + 17],
  [{ type: "tool_call", toolCallId: "s0_a0", name: "", arguments: null }, 4],
  [{ type: "tool_call", toolCallId: "s0_a0", name: "n", arguments: "\ud83c" }, 1 + 8],
];

Deno.test("blockSize() counts texts, names and arguments by code point", () => {
  for (const [block, size] of SIZES) assertEquals(blockSize(block), size, JSON.stringify(block));
});

Deno.test("messageSize() adds the blocks and the provider data up, and counts nothing else", () => {
  const content = SIZES.map(([block]) => block);
  const total = SIZES.reduce((sum, [, size]) => sum + size, 0);
  const provenance = { source: "a long source", version: "1" };
  const message = {
    role: "assistant",
    content,
    providerData: { long: "text" },
    provenance,
  } as const;
  assertEquals(messageSize(message), total + '{"long":"text"}'.length);
  assertEquals(messageSize({ ...message, providerData: "🌊" }), total + 3);
  assertEquals(messageSize(textMessage("user", "é")), 1);
});

Deno.test("toolsSize() is that of the tools' canonical JSON, by code point, and 0 of none", () => {
  const tool = { parameters: { type: "object" }, name: "go", description: "🌊" };
  const json = '[{"description":"🌊","name":"go","parameters":{"type":"object"}}]';
  assertEquals(toolsSize([tool]), [...json].length);
  assertEquals(toolsSize([tool, tool]), 2 * [...json].length - 1);
  assertEquals(toolsSize([]), 0);
});

Deno.test("blockSize() refuses a block of an unknown type rather than count it as 0", () => {
  const block = { type: "image", text: "x" } as unknown;
  assertThrows(() => blockSize(block as ContentBlock), InvalidRequestError, '"image"');
  const message = { role: "user", content: [block as ContentBlock] } as const;
  assertThrows(() => messageSize(message), InvalidRequestError, '"image"');
});
