import {
  type ContentBlock,
  type JsonObject,
  type Message,
  ModelCallError,
  type Role,
} from "../../../types/mod.ts";
import { asObject } from "../unknown_json.ts";

/** What the messages of each role can say to any provider. */
const ALLOWED: Readonly<Record<Role, readonly ContentBlock["type"][]>> = {
  system: ["text"],
  user: ["text", "tool_result"],
  assistant: ["text", "tool_call"],
  tool: ["tool_result"],
};

/**
 * The blocks of a message that have something to say: an empty text has not, and some providers refuse it.
 *
 * @throws {ModelCallError} `bad_request`, for a block that no provider takes from that role.
 */
export function blocksToSend(message: Message): readonly ContentBlock[] {
  const blocks = message.content.filter((block) => block.type !== "text" || block.text !== "");
  const foreign = blocks.find((block) => !ALLOWED[message.role].includes(block.type));
  if (foreign === undefined) return blocks;
  throw new ModelCallError(
    `a message of role "${message.role}" cannot hold a block of type "${foreign.type}"`,
    { kind: "bad_request", retriable: false },
  );
}

/** The provider data that an adapter left in a message for a model; it is not for another adapter, nor another model. */
export function ownProviderData(
  message: Message,
  adapter: string,
  model: string,
): JsonObject | undefined {
  const data = asObject(message.providerData);
  return data?.adapter === adapter && data.model === model ? data : undefined;
}
