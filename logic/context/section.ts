import type { Message, Role } from "../../types/mod.ts";

/**
 * What a section holds; it decides how the section may be trimmed and which formatter it gets.
 *
 * - `rule`, `task`: what the agent must keep to, and what it is to do; never trimmed.
 * - `skill`, `memory`, `file`: whole texts; dropped where there is no room.
 * - `conversation`: turns; long tool results in it are cut, then the oldest turns compressed or dropped.
 * - `tool_result`: what a tool gave before the run; fenced as data, and cut.
 * - `external`: what somebody else wrote, such as a page; fenced as data.
 */
export type SectionKind = (typeof SECTION_KINDS)[number];

/** Every {@link SectionKind}. */
export const SECTION_KINDS = [
  "rule",
  "skill",
  "memory",
  "file",
  "task",
  "conversation",
  "tool_result",
  "external",
] as const;

/** The part of the prompt that a section belongs to: `run_level`, `injection` or `goal_level`. */
export type SectionSegment = (typeof SECTION_SEGMENTS)[number];

/** Every {@link SectionSegment}, in the order of a prompt. */
export const SECTION_SEGMENTS = ["run_level", "injection", "goal_level"] as const;

/**
 * How far a section is trusted. It decides the message's role and whether the text stands in a data fence, and enforces
 * nothing: whether an action may be executed is decided where actions are approved.
 *
 * - `system`: it may speak as `system`.
 * - `user`: it speaks for the user.
 * - `untrusted`: it is data, whatever it says.
 */
export type TrustLevel = (typeof TRUST_LEVELS)[number];

/** Every {@link TrustLevel}, the most trusted first. */
export const TRUST_LEVELS = ["system", "user", "untrusted"] as const;

/** Who may speak in a section of text. Tool messages exist only inside a conversation. */
export type SectionRole = Exclude<Role, "tool">;

/**
 * One piece of text, or one conversation, that a project wants in front of a run. A field that is none of these is
 * refused.
 */
export interface ContextSection {
  /**
   * Its name, unique in one build. In the segment `injection` it becomes the `entryId`. It must not be empty nor hold a
   * comma.
   */
  readonly id: string;
  /** What it holds. `rule` and `task` are never trimmed. */
  readonly kind: SectionKind;
  /** The part of the prompt it goes to. */
  readonly segment: SectionSegment;
  /** The injection channel, not empty: needed in the segment `injection`, refused elsewhere. */
  readonly channel?: string;
  /**
   * Who speaks. `system` needs the trust `system`; an injection is always `user`, and so is data (the kinds `external`
   * and `tool_result`, the trust `untrusted`). Refused for a conversation, whose turns say it.
   *
   * @default {"user"}
   */
  readonly role?: SectionRole;
  /** How far it is trusted. A `rule` or `task` is not `untrusted`. */
  readonly trust: TrustLevel;
  /** A safe integer; the higher comes earlier, and is trimmed later. */
  readonly priority: number;
  /**
   * Whether it is never trimmed, whatever its kind.
   *
   * @default {false}
   */
  readonly pinned?: boolean;
  /**
   * Whether its text changes from build to build. It then comes last in its segment and channel, since a provider's
   * prompt cache ends at the first text that changed.
   *
   * @default {false}
   */
  readonly volatile?: boolean;
  /** Where it was read: a path, an address, a name. Reported, never sent. */
  readonly source: string;
  /** Which version of it. Reported, never sent. */
  readonly version: string;
  /**
   * What makes two sections the same thing. Absent: equal bodies do. Two sections with one key and different bodies
   * are an error.
   */
  readonly dedupeKey?: string;
  /**
   * A text; for the kind `conversation`, and only for it, its turns instead. Each tool call among the turns is answered
   * by the `tool` turns that follow it at once, each id is used once in a build, and ids of the form `s4_a0` are
   * refused, since a run gives those to its own calls, but for those that `historySteps` of the spec counts. There are no `system` turns, and a turn keeps its own provenance
   * if it has one. A turn with a field that a {@link Message} has not is refused: it would be lost.
   */
  readonly body: string | readonly Message[];
}

/** Something that sections are collected from: a folder, a memory, a session, a site. */
export interface ContextSource {
  /** Its name, for errors and the report. */
  readonly name: string;
  /**
   * Whether the build goes on without it if `collect` fails.
   *
   * @default {false}
   */
  readonly optional?: boolean;
  /** Gives its sections. Called once for each build, at the same time as the other sources'; may throw or reject. */
  collect(): readonly ContextSection[] | Promise<readonly ContextSection[]>;
}
