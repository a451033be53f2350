import { InvalidRequestError, type Message } from "../../../types/mod.ts";
import type { TextRepairs } from "../build_report.ts";
import { TrustError } from "../context_errors.ts";
import type { ContextSection } from "../section.ts";
import { bodyDigest, bodySize } from "./body.ts";
import { checkCalls } from "./check_calls.ts";
import type { Draft, TextDraft } from "./draft.ts";

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
  if (typeof section.body === "string") {
    const body = repairText(section.body, tally);
    const voice = textVoice(section);
    return { ...factsOf(section, collectIndex, body, tally), voice, body };
  }
  const body = section.body.map((turn) => repairTurn(turn, tally));
  checkTurnTrust(section, body);
  return { ...factsOf(section, collectIndex, body, tally), voice: "turns", body };
}

function factsOf(
  section: ContextSection,
  collectIndex: number,
  body: ContextSection["body"],
  repairs: TextRepairs,
): Omit<Draft, "voice" | "body"> {
  const rawDigest = bodyDigest(section.body);
  const isRepaired = repairs.lineEndings + repairs.byteOrderMarks > 0;
  return {
    section,
    collectIndex,
    digest: isRepaired ? bodyDigest(body) : rawDigest,
    isEmpty: isBlank(body),
    repairs,
    rawSize: bodySize(section.body),
    rawDigest,
  };
}

function checkTurnTrust({ id, trust }: ContextSection, turns: readonly Message[]): void {
  if (trust === "untrusted") {
    throw new TrustError(
      id,
      'its turns would speak in their own roles though it is "untrusted": give its text as kind "external"',
    );
  }
  if (turns.some((turn) => turn.role === "system")) {
    throw new TrustError(
      id,
      'a conversation may be trimmed and a system turn may not: give that turn as a section of kind "rule"',
    );
  }
}

function textVoice({ id, kind, trust, role = "user" }: ContextSection): TextDraft["voice"] {
  if (trust === "untrusted" && (kind === "rule" || kind === "task")) {
    throw new TrustError(
      id,
      `a ${kind} is what the agent keeps to, and its trust is "untrusted": give its text as kind "external"`,
    );
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
function repairText(
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
