import type { Message } from "../../../types/mod.ts";
import type { Survivor } from "../_drafts/dedupe.ts";
import type { GroupCounts } from "../build_report.ts";

/** A message as it is in the prompt. */
export interface TrimmedMessage {
  readonly message: Message;
  readonly size: number;
  /** How many code points of its text are left out. */
  readonly cutChars: number;
}

/** A section after trimming. */
export interface TrimmedSection {
  readonly survivor: Survivor;
  readonly outcome: "included" | "trimmed" | "compressed" | "dropped";
  /** The messages that it has in the prompt, none if it is not in it. */
  readonly messages: readonly TrimmedMessage[];
  /** What the message of a section of text says. Absent: it is a conversation or not in the prompt. */
  readonly text?: string;
  readonly size: number;
  readonly reason?: string;
  readonly groups?: GroupCounts;
}
