import { InvalidRequestError } from "../../../types/mod.ts";
import type { Draft } from "./draft.ts";

/** A section that stays, with those that it stands for. */
export interface Survivor {
  readonly draft: Draft;
  readonly merged: readonly Draft[];
  /** Whether it or any that it stands for may not be trimmed. */
  readonly isProtected: boolean;
  /** The highest priority of all of them. */
  readonly priority: number;
}

/**
 * Stage 4: of sections with the same key, the first in order stays. Sections of different trust, or that speak
 * differently, are never the same. What stays is kept as firmly as the firmest of those that it stands for, so that no
 * task is lost with a memory that repeats it.
 */
export function dedupe(drafts: readonly Draft[]): readonly Survivor[] {
  const groups = new Map<string, [Draft, ...Draft[]]>();
  for (const draft of drafts) {
    const key = dedupeKey(draft);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [draft]);
    else {
      refuseOtherBody(group[0], draft);
      group.push(draft);
    }
  }
  return Array.from(groups.values(), ([draft, ...merged]) => ({
    draft,
    merged,
    isProtected: [draft, ...merged].some(isProtected),
    priority: merged.reduce(
      (max, { section }) => Math.max(max, section.priority),
      draft.section.priority,
    ),
  }));
}

/** Whether a section may not be trimmed. */
export function isProtected({ section }: Draft): boolean {
  return section.pinned === true || section.kind === "rule" || section.kind === "task";
}

function dedupeKey({ section, voice, body, digest }: Draft): string {
  const turnTrusts = typeof body === "string" ? [] : body.map((turn) => turn.provenance?.trust);
  const key = section.dedupeKey === undefined ? ["body", digest] : ["key", section.dedupeKey];
  return JSON.stringify([section.trust, voice, turnTrusts, ...key]);
}

function refuseOtherBody(first: Draft, other: Draft): void {
  if (first.digest === other.digest) return;
  throw new InvalidRequestError(
    "dedupeKey",
    other.section.dedupeKey,
    `sections of one key must have one body, but those of "${first.section.id}" (${first.section.source}) and "${other.section.id}" (${other.section.source}) differ`,
  );
}
