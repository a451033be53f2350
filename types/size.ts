import { InvalidRequestError } from "./_errors/request_errors.ts";
import { arrayShape } from "./_shape/collection_shapes.ts";
import { requireShape } from "./_shape/copy_shaped.ts";
import { toolSchemaShape } from "./_shape/message_shapes.ts";
import { countCodePoints } from "./_text/code_points.ts";
import { canonicalJson } from "./json.ts";
import type { ContentBlock, Message, ToolSchema } from "./message.ts";

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
 * The size of a message: that of its blocks, and of the canonical JSON of its `providerData`, which goes to the provider
 * with them. Its role, ids and provenance count 0.
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
  const { providerData } = message;
  let size = providerData === undefined ? 0 : countCodePoints(canonicalJson(providerData));
  for (const block of message.content) size += blockSize(block);
  return size;
}

/**
 * The size of the tools that go along with a prompt by the native protocol: of their canonical JSON; 0 of none, since
 * then nothing is sent.
 *
 * @example
 * ```ts
 * import { toolsSize } from "@polyloop/polyloop/types";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(toolsSize([]), 0);
 * assertEquals(toolsSize([{ name: "now", description: "", parameters: {} }]), 49);
 * ```
 *
 * @throws {InvalidRequestError} If it is no array of tools.
 */
export function toolsSize(tools: readonly ToolSchema[]): number {
  requireShape("tools", tools, arrayShape(toolSchemaShape));
  if (tools.length === 0) return 0;
  const schemas = tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parameters,
  }));
  return countCodePoints(canonicalJson(schemas));
}
