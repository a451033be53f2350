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

/** A message as any provider takes it. */
export interface SentMessage {
  readonly role: Role;
  readonly blocks: readonly ContentBlock[];
  /** What the adapter left in the message for the model that is asked. Absent: nothing. */
  readonly providerData: JsonObject | undefined;
}

/** For whom a prompt is written. */
export interface PromptReader {
  /** The adapter, as it marks its `providerData`. */
  readonly adapter: string;
  /** The model. */
  readonly model: string;
  /** What stands for a turn of the user, or a tool's result, that says nothing. */
  readonly emptyText: string;
}

/**
 * The messages of a prompt without what no provider takes: empty texts, turns and results that say nothing (a text
 * stands for them), and white space at the end of a last turn that is the assistant's.
 *
 * @throws {ModelCallError} `bad_request`, for a block that no provider takes from that role.
 */
export function messagesToSend(
  messages: readonly Message[],
  reader: PromptReader,
): readonly SentMessage[] {
  return messages.map((message, i) => {
    const { role } = message;
    const blocks = allowedBlocks(message).flatMap((block) =>
      block.type === "tool_result" && isBlank(block.text)
        ? [{ ...block, text: reader.emptyText }]
        : block.type === "text" && block.text === ""
        ? []
        : [block]
    );
    const providerData = ownProviderData(message, reader);
    if (role === "user" && blocks.every((block) => block.type === "text" && isBlank(block.text))) {
      return { role, blocks: [{ type: "text", text: reader.emptyText }], providerData };
    }
    const isLast = i === messages.length - 1;
    return {
      role,
      blocks: role === "assistant" && isLast ? withoutSpaceAtEnd(blocks) : blocks,
      providerData,
    };
  });
}

function allowedBlocks({ role, content }: Message): readonly ContentBlock[] {
  const foreign = content.find(({ type }) => !ALLOWED[role].includes(type));
  if (foreign === undefined) return content;
  throw new ModelCallError(
    `a message of role "${role}" cannot hold a block of type "${foreign.type}"`,
    { kind: "bad_request", retriable: false },
  );
}

function withoutSpaceAtEnd(blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  const last = blocks.at(-1);
  if (last?.type !== "text") return blocks;
  const others = blocks.slice(0, -1);
  const text = last.text.trimEnd();
  return text === "" ? withoutSpaceAtEnd(others) : [...others, { ...last, text }];
}

/** Whether a text is nothing but white space. */
export function isBlank(text: string): boolean {
  return text.trim() === "";
}

/** The provider data that an adapter left in a message for a model; it is not for another adapter, nor another model. */
function ownProviderData(
  message: Message,
  { adapter, model }: PromptReader,
): JsonObject | undefined {
  const data = asObject(message.providerData);
  return data?.adapter === adapter && data.model === model ? data : undefined;
}

/** The texts of two messages that become one: a blank line stands between them. */
export function joinTexts(before: readonly string[], after: readonly string[]): readonly string[] {
  const [last, first] = [before.at(-1), after[0]];
  if (last === undefined || first === undefined) return [...before, ...after];
  return [...before.slice(0, -1), `${last}\n\n${first}`, ...after.slice(1)];
}
