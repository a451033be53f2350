import type { JsonValue } from "./json.ts";

/** Who speaks in a message. The library itself never writes a `system` message. */
export type Role = "system" | "user" | "assistant" | "tool";

/** Every {@link Role}. */
export const ROLES = ["system", "user", "assistant", "tool"] as const;

/** A piece of text. */
export interface TextBlock {
  /** Tells the block's kind. */
  readonly type: "text";
  /** The text, sent as it is. */
  readonly text: string;
}

/** A tool call that the assistant made, as history shows it. */
export interface ToolCallBlock {
  /** Tells the block's kind. */
  readonly type: "tool_call";
  /** The call's id in this prompt; the result that belongs to it has the same. Never a provider's id. */
  readonly toolCallId: string;
  /** The tool's name. */
  readonly name: string;
  /** The arguments of the call. */
  readonly arguments: JsonValue;
}

/** What a tool call led to. */
export interface ToolResultBlock {
  /** Tells the block's kind. */
  readonly type: "tool_result";
  /** The id of the {@link ToolCallBlock} that this answers. */
  readonly toolCallId: string;
  /** The observation, untouched by the observation template. */
  readonly text: string;
  /** Whether the action failed or was not executed. */
  readonly isError: boolean;
}

/** One block of a message's content. */
export type ContentBlock = TextBlock | ToolCallBlock | ToolResultBlock;

/** The `type` of every {@link ContentBlock}. */
export const CONTENT_BLOCK_TYPES = ["text", "tool_call", "tool_result"] as const;

/** Where a text comes from. Reported in receipts, never sent to a model. */
export interface Provenance {
  /** What the text was read from: a path, an address, a name. */
  readonly source: string;
  /** Which version of it. */
  readonly version: string;
  /** How far it is trusted. Absent: nobody said. */
  readonly trust?: string;
}

/** One message of a prompt. */
export interface Message {
  /** Who speaks. */
  readonly role: Role;
  /** What is said: at least one block. */
  readonly content: readonly ContentBlock[];
  /**
   * Opaque data of the model adapter that made the message (signed reasoning blocks, say): recorded, and handed back
   * to the adapter as it was. Absent: there is none.
   */
  readonly providerData?: JsonValue;
  /** Where the text comes from; not part of the prompt. Absent: nobody said. */
  readonly provenance?: Provenance;
}

/** A text that a run pastes into its prompt between the run level and the goal level. */
export interface Injection {
  /**
   * Its name. It enters the parameter snapshot, once, in the started record; the steps do not repeat it. It
   * must not be empty nor hold a comma, since a comma separates the names of a channel in the snapshot.
   */
  readonly entryId: string;
  /** The text: it becomes one `user` message, with nothing added before or after. */
  readonly content: string;
  /** Where the text comes from; not part of the prompt. Absent: nobody said. */
  readonly provenance?: Provenance;
}

/**
 * The messages that a run starts from, by how often they change across runs: what changes least comes first, since a
 * provider's prompt cache ends at the first text that changed.
 */
export interface RunContext {
  /** What stays the same across runs (who the agent is, demonstrations); sent first. */
  readonly runLevel: readonly Message[];
  /** What belongs to this run's goal; sent after the injections. */
  readonly goalLevel: readonly Message[];
}

/** A tool as a model may see it. */
export interface ToolSchema {
  /** The tool's name. */
  readonly name: string;
  /** What it does, for the model. */
  readonly description: string;
  /** The JSON Schema (draft 2020-12) of its arguments. */
  readonly parameters: JsonValue;
}

/**
 * A message of one text.
 *
 * @example
 * ```ts
 * import { textMessage } from "@polyloop/polyloop/types";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(textMessage("user", "hi").content, [{ type: "text", text: "hi" }]);
 * ```
 */
export function textMessage(role: Role, text: string): Message {
  return { role, content: [{ type: "text", text }] };
}
