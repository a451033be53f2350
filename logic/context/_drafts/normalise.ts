import { InvalidRequestError, type Message } from "../../../types/mod.ts";
import { checkCalls } from "../_trimming/conversation_groups.ts";
import type { TextRepairs } from "../build_report.ts";
import { TrustError } from "../context_errors.ts";
import type { ContextSection, SectionRole } from "../section.ts";
import { bodyDigest, bodySize } from "./body.ts";

/** How a section speaks: in a role, as fenced data in the role `user`, or by the turns of a conversation. */
export type Voice = SectionRole | "data" | "turns";

/** A section on its way through the stages: what it was, and what it is after normalising. */
export interface Draft {
  readonly section: ContextSection;
  readonly collectIndex: number;
  readonly voice: Voice;
  readonly body: ContextSection["body"];
  readonly digest: string;
  readonly isEmpty: boolean;
  readonly repairs: TextRepairs;
  readonly rawSize: number;
  readonly rawDigest: string;
}

/** Stage 2: unique ids, LF line endings, no byte order mark, whole protocol groups, and a role for each section. */
export function normalise(sections: readonly ContextSection[]): readonly Draft[] {
  const byId = new Map<string, ContextSection>();
  const callOwners = new Map<string, string>();
  return sections.map((section, collectIndex) => {
    const namesake = byId.get(section.id);
    if (namesake !== undefined) {
      throw new InvalidRequestError(
        "id",
        section.id,
        `each id may be used once: it came from "${namesake.source}" and from "${section.source}"`,
      );
    }
    byId.set(section.id, section);
    if (typeof section.body !== "string") checkCalls(section.id, section.body, callOwners);
    return draft(section, collectIndex);
  });
}

function draft(section: ContextSection, collectIndex: number): Draft {
  const tally = { lineEndings: 0, byteOrderMarks: 0 };
  const body = typeof section.body === "string"
    ? repairText(section.body, tally)
    : section.body.map((turn) => repairTurn(turn, tally));
  const isRepaired = tally.lineEndings + tally.byteOrderMarks > 0;
  const rawDigest = bodyDigest(section.body);
  return {
    section,
    collectIndex,
    voice: voiceOf(section),
    body,
    digest: isRepaired ? bodyDigest(body) : rawDigest,
    isEmpty: isBlank(body),
    repairs: tally,
    rawSize: bodySize(section.body),
    rawDigest,
  };
}

function voiceOf(section: ContextSection): Voice {
  const { id, kind, trust, role = "user", body } = section;
  if (typeof body !== "string") {
    if (trust === "untrusted") {
      throw new TrustError(
        id,
        'its turns would speak in their own roles though it is "untrusted": give its text as kind "external"',
      );
    }
    if (body.some((turn) => turn.role === "system")) {
      throw new TrustError(
        id,
        'a conversation may be trimmed and a system turn may not: give that turn as a section of kind "rule"',
      );
    }
    return "turns";
  }
  const isData = kind === "external" || kind === "tool_result" || trust === "untrusted";
  if (isData && role !== "user") {
    throw new TrustError(
      id,
      `data (kind "${kind}", trust "${trust}") cannot have the role "${role}"`,
    );
  }
  if (role === "system" && trust !== "system") {
    throw new TrustError(id, `the role "system" needs the trust "system", not "${trust}"`);
  }
  return isData ? "data" : role;
}

/** The text with LF line endings and without a byte order mark at its start; what was changed is added to the tally. */
export function repairText(
  text: string,
  tally: { lineEndings: number; byteOrderMarks: number },
): string {
  let repaired = text;
  if (repaired.startsWith("\ufeff")) {
    tally.byteOrderMarks++;
    repaired = repaired.slice(1);
  }
  if (!repaired.includes("\r")) return repaired;
  return repaired.replace(/\r\n?/g, () => {
    tally.lineEndings++;
    return "\n";
  });
}

function repairTurn(
  turn: Message,
  tally: { lineEndings: number; byteOrderMarks: number },
): Message {
  const content = turn.content.map((block) => {
    if (block.type === "tool_call") return block;
    const text = repairText(block.text, tally);
    return text === block.text ? block : { ...block, text };
  });
  return content.every((block, i) => block === turn.content[i]) ? turn : { ...turn, content };
}

function isBlank(body: ContextSection["body"]): boolean {
  if (typeof body === "string") return isBlankText(body);
  return body.every((turn) =>
    turn.content.every((block) => block.type === "text" && isBlankText(block.text))
  );
}

/** Whether a text is empty or whitespace only. */
export function isBlankText(text: string): boolean {
  return !/\S/.test(text);
}
