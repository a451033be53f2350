import { InvalidRequestError } from "./_errors/request_errors.ts";
import { countCodePoints } from "./_text/code_points.ts";
import { canonicalJson } from "./json.ts";
import type { ContentBlock, Message } from "./message.ts";

/**
 * The size of a block in Unicode code points, which every language can count: of a text or tool result its text, of a
 * tool call its name and the canonical JSON of its arguments.
 *
 * @throws {InvalidRequestError} For a block of an unknown type, since to count it as 0 would let an over-large prompt
 * pass; and for one whose text is none.
 */
export function blockSize(block: ContentBlock): number {
  switch (block?.type) {
    case "text":
    case "tool_result":
      return countCodePoints(block.text);
    case "tool_call":
      return countCodePoints(block.name) + countCodePoints(canonicalJson(block.arguments));
    default:
      throw new InvalidRequestError(
        "block",
        Object(block).type,
        "there is no content block of that type",
      );
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
 * @throws {InvalidRequestError} If it has no array of blocks, or {@link blockSize} refuses one.
 */
export function messageSize(message: Message): number {
  if (!Array.isArray(message?.content)) {
    throw new InvalidRequestError("message", message, "it must have its content as an array");
  }
  let size = 0;
  for (const block of message.content) size += blockSize(block);
  return size;
}
