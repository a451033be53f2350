import type { Message } from "../../../types/mod.ts";
import type { TextRepairs } from "../build_report.ts";
import type { ContextSection, SectionRole } from "../section.ts";

/** A section on its way through the stages: what it was, and what it is after normalising. */
interface DraftBase {
  readonly section: ContextSection;
  readonly collectIndex: number;
  readonly digest: string;
  readonly isEmpty: boolean;
  readonly repairs: TextRepairs;
  readonly rawSize: number;
  readonly rawDigest: string;
}

/** A section of text. */
export interface TextDraft extends DraftBase {
  /** The role that it speaks in; `data` is fenced, in the role `user`. */
  readonly voice: SectionRole | "data";
  readonly body: string;
}

/** A conversation. */
export interface ConversationDraft extends DraftBase {
  /** Each turn speaks in its own role. */
  readonly voice: "turns";
  readonly body: readonly Message[];
}

/** A section of either form. */
export type Draft = TextDraft | ConversationDraft;

/** The role of the message of a section of text. */
export function roleOf({ voice }: TextDraft): SectionRole {
  return voice === "data" ? "user" : voice;
}
