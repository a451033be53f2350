import type { Message } from "../../../types/mod.ts";
import type { Survivor } from "../_drafts/dedupe.ts";
import type { GroupCounts } from "../build_report.ts";

/** A section after trimming: the messages that it has in the prompt, none if it is not in it. */
export interface TrimmedSection {
  readonly survivor: Survivor;
  readonly outcome: "included" | "trimmed" | "compressed" | "dropped";
  readonly messages: readonly Message[];
  /** What the message of a section of text says. Absent: it is a conversation or not in the prompt. */
  readonly text?: string;
  readonly size: number;
  readonly reason?: string;
  readonly cutChars?: number;
  readonly groups?: GroupCounts;
}
