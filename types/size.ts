import { countCodePoints } from "./_text/code_points.ts";
import { canonicalJson } from "./json.ts";
import type { ContentBlock, Message } from "./message.ts";

/**
 * The size of a block in Unicode code points, which every language can count: of a text or tool result its text, of a
 * tool call its name and the canonical JSON of its arguments.
 *
 * @throws {TypeError} For a block of an unknown type: to count it as 0 would let an over-large prompt pass.
 */
export function blockSize(block: ContentBlock): number {
  switch (block.type) {
    case "text":
    case "tool_result":
      return countCodePoints(block.text);
    case "tool_call":
      return countCodePoints(block.name) + countCodePoints(canonicalJson(block.arguments));
    default: {
      const { type }: { readonly type: unknown } = block;
      throw new TypeError(`Cannot measure a block as its type is unknown: "${type}"`);
    }
  }
}

/**
 * The size of a message: that of its blocks. Its role, ids, `providerData` and provenance count 0.
 *
 * @example
 * ```ts
 * import { messageSize } from "@polyloop/polyloop/types";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(messageSize({ role: "user", content: [{ type: "text", text: "🌊 ok" }] }), 4);
 * ```
 *
 * @throws {TypeError} For a block of an unknown type.
 */
export function messageSize(message: Message): number {
  let size = 0;
  for (const block of message.content) size += blockSize(block);
  return size;
}
