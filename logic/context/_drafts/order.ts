import { compareCodePoints } from "../../../types/mod.ts";
import { SECTION_SEGMENTS, TRUST_LEVELS } from "../section.ts";
import type { Draft } from "./draft.ts";

/**
 * Stage 3: by segment, channel, whether it is volatile, priority (highest first), trust (most trusted first), and the
 * place in which it was collected. No two are equal.
 */
export function order(drafts: readonly Draft[]): readonly Draft[] {
  return drafts.toSorted(compareDrafts);
}

function compareDrafts(a: Draft, b: Draft): number {
  const x = a.section;
  const y = b.section;
  return SECTION_SEGMENTS.indexOf(x.segment) - SECTION_SEGMENTS.indexOf(y.segment) ||
    compareCodePoints(x.channel ?? "", y.channel ?? "") ||
    Number(x.volatile ?? false) - Number(y.volatile ?? false) ||
    y.priority - x.priority ||
    TRUST_LEVELS.indexOf(x.trust) - TRUST_LEVELS.indexOf(y.trust) ||
    a.collectIndex - b.collectIndex;
}
