import { canonicalJson, digest, present } from "../../types/mod.ts";
import { bodyDigest } from "./_drafts/body.ts";
import { isProtected } from "./_drafts/dedupe.ts";
import { type Draft, roleOf } from "./_drafts/draft.ts";
import type { TrimmedMessage, TrimmedSection } from "./_trimming/trimmed_section.ts";
import type {
  BuildReport,
  FailedSourceReportEntry,
  MessageReport,
  ReportEntry,
  ReportTotals,
  SectionReportEntry,
} from "./build_report.ts";
import { SECTION_SEGMENTS } from "./section.ts";

/** Stage 7: one entry for each draft, in order, and for each failed source. */
export function writeReport(
  ordered: readonly Draft[],
  trimmed: readonly TrimmedSection[],
  failures: readonly FailedSourceReportEntry[],
  maxChars: number,
): BuildReport {
  const trimmedOf = new Map(trimmed.map((item) => [item.survivor.draft, item]));
  const survivorOf = new Map(
    trimmed.flatMap(({ survivor }) => survivor.merged.map((draft) => [draft, survivor.draft])),
  );
  let order = 0;
  let start = 0;
  const sections = ordered.map((draft): SectionReportEntry => {
    const item = trimmedOf.get(draft);
    if (item === undefined) return absentEntry(draft, survivorOf.get(draft));
    if (item.messages.length === 0) return entryOf(draft, item);
    const messageRange = [start, start += item.messages.length] as const;
    return { ...entryOf(draft, item), order: order++, messageRange };
  });
  const entries = [...sections, ...failures];
  return {
    entries,
    totals: totalsOf(entries, maxChars, start),
    hasUntrusted: trimmed.some(isUntrusted),
  };
}

/** The digest of what is in the prompt: of each section its segment, channel, role and text, in order. */
export function outputDigest(report: BuildReport): string {
  return digest(
    canonicalJson(
      report.entries.flatMap((entry) =>
        entry.outcome === "source_failed" || entry.finalDigest === undefined
          ? []
          : [[entry.segment, entry.channel ?? "", entry.role ?? "", entry.finalDigest]]
      ),
    ),
  );
}

function entryOf(draft: Draft, item: TrimmedSection): SectionReportEntry {
  const { outcome, reason, messages, text, size, groups, survivor } = item;
  return present({
    ...baseOf(draft),
    outcome,
    reason,
    isProtected: survivor.isProtected,
    finalSize: size,
    finalDigest: messages.length === 0
      ? undefined
      : text === draft.body
      ? draft.digest
      : bodyDigest(text ?? messages.map(({ message }) => message)),
    merged: survivor.merged.map(({ section: { id, source, version } }) => ({
      id,
      source,
      version,
    })),
    messages: messages.length === 0 ? undefined : messages.map(messageReport),
    groups,
  });
}

function messageReport({ size: chars, cutChars }: TrimmedMessage): MessageReport {
  return cutChars === 0 ? { chars } : { chars, cutChars };
}

function absentEntry(draft: Draft, survivor: Draft | undefined): SectionReportEntry {
  return present({
    ...baseOf(draft),
    outcome: survivor === undefined ? "empty" as const : "duplicate" as const,
    reason: survivor === undefined
      ? "it is empty or whitespace only"
      : `section "${survivor.section.id}" says the same`,
    isProtected: isProtected(draft),
    finalSize: 0,
    duplicateOf: survivor?.section.id,
    merged: [],
  });
}

function baseOf(draft: Draft) {
  const { section, collectIndex, rawSize, rawDigest, repairs } = draft;
  const { id, kind, segment, channel, trust, priority, source, version } = section;
  const warnings = section.volatile && segment === "run_level"
    ? ["volatile_run_level" as const]
    : [];
  return present({
    id,
    kind,
    segment,
    channel,
    role: draft.voice === "turns" ? undefined : roleOf(draft),
    trust,
    priority,
    source,
    version,
    collectIndex,
    rawSize,
    rawDigest,
    repairs,
    warnings,
  });
}

function totalsOf(
  entries: readonly ReportEntry[],
  maxChars: number,
  messages: number,
): ReportTotals {
  const bySegment = { run_level: 0, injection: 0, goal_level: 0 };
  const byOutcome = {
    included: 0,
    trimmed: 0,
    compressed: 0,
    dropped: 0,
    duplicate: 0,
    empty: 0,
    source_failed: 0,
  };
  let rawSize = 0;
  for (const entry of entries) {
    byOutcome[entry.outcome]++;
    if (entry.outcome === "source_failed") continue;
    rawSize += entry.rawSize;
    bySegment[entry.segment] += entry.finalSize;
  }
  const finalSize = SECTION_SEGMENTS.reduce((sum, segment) => sum + bySegment[segment], 0);
  return { maxChars, rawSize, finalSize, messages, bySegment, byOutcome };
}

function isUntrusted({ survivor, messages }: TrimmedSection): boolean {
  const { kind, trust } = survivor.draft.section;
  if (messages.length === 0) return false;
  return trust === "untrusted" || kind === "external" ||
    messages.some(({ message }) => message.provenance?.trust === "untrusted");
}
