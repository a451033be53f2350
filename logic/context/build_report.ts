import type { SectionKind, SectionRole, SectionSegment, TrustLevel } from "./section.ts";

/**
 * What became of a section, or of a source that gave none.
 *
 * - `included`: it is in the prompt as it was given.
 * - `trimmed`: a part of it was left out.
 * - `compressed`: turns of it were replaced by a shorter text.
 * - `dropped`: there was no room for it.
 * - `duplicate`: another section stands for it.
 * - `empty`: it has no text.
 * - `source_failed`: its source failed, which was optional.
 */
export type SectionOutcome = (typeof SECTION_OUTCOMES)[number];

/** Every {@link SectionOutcome}. */
export const SECTION_OUTCOMES = [
  "included",
  "trimmed",
  "compressed",
  "dropped",
  "duplicate",
  "empty",
  "source_failed",
] as const;

/** What was changed in a text so that it is the same whatever system it was written on. */
export interface TextRepairs {
  /** How many CRLF and CR became LF. */
  readonly lineEndings: number;
  /** How many byte order marks were stripped. */
  readonly byteOrderMarks: number;
}

/** What became of the groups of a conversation. */
export interface GroupCounts {
  /** Sent as they were. */
  readonly kept: number;
  /** Replaced by a shorter text. */
  readonly compressed: number;
  /** Not sent. */
  readonly dropped: number;
}

/** A message of a section in the prompt. */
export interface MessageReport {
  /** Its size, in code points. */
  readonly chars: number;
  /** How many code points of its text were cut off. Absent: none. */
  readonly cutChars?: number;
}

/** A section that another one stands for. */
export interface MergedSection {
  /** Its id. */
  readonly id: string;
  /** Its source. */
  readonly source: string;
  /** Its version. */
  readonly version: string;
}

/** What every line of a report says. */
export interface ReportEntryBase {
  /** The section's id; of a source that failed, its name. */
  readonly id: string;
  /** Why it is not in the prompt as it was given. Absent: it is. */
  readonly reason?: string;
}

/** A collected section in a report. */
export interface SectionReportEntry extends ReportEntryBase {
  /** What became of it. */
  readonly outcome: Exclude<SectionOutcome, "source_failed">;
  /** What it holds. */
  readonly kind: SectionKind;
  /** The part of the prompt it belongs to. */
  readonly segment: SectionSegment;
  /** Its injection channel. Absent: it is no injection. */
  readonly channel?: string;
  /** The role of its message. Absent: it is a conversation. */
  readonly role?: SectionRole;
  /** How far it is trusted. */
  readonly trust: TrustLevel;
  /** Its priority. */
  readonly priority: number;
  /** Whether it may not be trimmed: by its kind, its pin, or those of a section merged into it. */
  readonly isProtected: boolean;
  /** Where it was read. */
  readonly source: string;
  /** Which version of it. */
  readonly version: string;
  /** Its place among all collected sections, from 0. */
  readonly collectIndex: number;
  /** The size of the body as it was given, in code points. */
  readonly rawSize: number;
  /** The digest of the canonical JSON of the body as it was given (turns without their provenance). */
  readonly rawDigest: string;
  /** The size in the prompt, in code points; 0 if it is not in it. */
  readonly finalSize: number;
  /** The digest of what is in the prompt, made as `rawDigest` is. Absent: nothing is. */
  readonly finalDigest?: string;
  /** Its place among the sections in the prompt, from 0. Absent: it is not in it. */
  readonly order?: number;
  /** Its messages in call 0's prompt, the first and the one after the last, from 0. Absent: it has none. */
  readonly messageRange?: readonly [start: number, end: number];
  /** The section that stands for it. Absent: it is no duplicate. */
  readonly duplicateOf?: string;
  /** The sections that it stands for. */
  readonly merged: readonly MergedSection[];
  /** What was changed in its text. */
  readonly repairs: TextRepairs;
  /** Its messages in the prompt, in order. Absent: it has none. */
  readonly messages?: readonly MessageReport[];
  /** What became of its groups. Absent: it is no conversation, or an empty one or a duplicate. */
  readonly groups?: GroupCounts;
  /** Something its writer may not have meant: text that changes in the run level breaks the prompt cache. */
  readonly warnings: readonly "volatile_run_level"[];
}

/** An optional source that failed, in a report. */
export interface FailedSourceReportEntry extends ReportEntryBase {
  /** Tells it from a section. */
  readonly outcome: "source_failed";
  /** What it failed with. */
  readonly reason: string;
}

/** One line of a {@link BuildReport}. */
export type ReportEntry = SectionReportEntry | FailedSourceReportEntry;

/** The sums of a {@link BuildReport}. */
export interface ReportTotals {
  /** The budget, in code points, what the tools need taken off. */
  readonly maxChars: number;
  /** The size of all bodies as they were given, in code points. */
  readonly rawSize: number;
  /** The size of the prompt of call 0, in code points. */
  readonly finalSize: number;
  /** The number of messages in the prompt of call 0. */
  readonly messages: number;
  /** The final size of each segment. */
  readonly bySegment: Readonly<Record<SectionSegment, number>>;
  /** How many lines there are of each outcome. */
  readonly byOutcome: Readonly<Record<SectionOutcome, number>>;
}

/** What was collected and what became of it. It holds no text of a section. */
export interface BuildReport {
  /**
   * One line for each collected section, in the order of the prompt (those that are not in it stand where they would
   * have been), then one for each optional source that failed.
   */
  readonly entries: readonly ReportEntry[];
  /** The sums. */
  readonly totals: ReportTotals;
  /**
   * Whether anything in the prompt is untrusted: a section of trust `untrusted` or kind `external`, or a turn whose own
   * provenance says `untrusted`. For whoever approves actions, since a label enforces nothing.
   */
  readonly hasUntrusted: boolean;
}
