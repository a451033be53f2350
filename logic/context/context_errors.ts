import { PolyLoopError } from "../../types/mod.ts";
import type { BuildReport } from "./build_report.ts";

/** A section asks for a role that its trust or kind does not allow. It is never demoted in silence. */
export class TrustError extends PolyLoopError {
  /** The section. */
  readonly sectionId: string;

  /** Makes an error for a section. */
  constructor(sectionId: string, detail: string) {
    super("context_trust", `Cannot use section "${sectionId}" as ${detail}`);
    this.sectionId = sectionId;
  }
}

/** A source that is not optional failed. The `cause` is what it threw. */
export class SourceFailedError extends PolyLoopError {
  /** The source's name. */
  readonly source: string;

  /** Makes an error for a source; pass what it threw as `cause`. */
  constructor(source: string, detail: string, options?: ErrorOptions) {
    super(
      "context_source_failed",
      `Cannot collect from source "${source}" as it failed (mark it optional to build without it): ${detail}`,
      options,
    );
    this.source = source;
  }
}

/** A section that may not be trimmed, and how large it is. */
export interface ProtectedSize {
  /** The section. */
  readonly id: string;
  /** Its size in the prompt, in code points. */
  readonly size: number;
}

/** The sections that may not be trimmed are larger than the budget by themselves. No hook has run. */
export class PinnedOverBudgetError extends PolyLoopError {
  /** The budget, in code points. */
  readonly maxChars: number;
  /** What the protected sections need together, in code points. */
  readonly size: number;
  /** Every section that may not be trimmed, in order. */
  readonly sections: readonly ProtectedSize[];

  /** Makes an error for the sections that do not fit. */
  constructor(maxChars: number, sections: readonly ProtectedSize[]) {
    const size = sections.reduce((sum, section) => sum + section.size, 0);
    const shown = sections.slice(0, 20).map(({ id, size }) => `"${id}" ${size}`);
    if (sections.length > shown.length) shown.push(`${sections.length - shown.length} more`);
    super(
      "context_pinned_over_budget",
      `Cannot build a context of at most ${maxChars} characters as rules, tasks and pinned sections alone have ${size}: ${
        shown.join(", ")
      }`,
    );
    this.maxChars = maxChars;
    this.size = size;
    this.sections = sections;
  }
}

/** No section is left, or none was given: an empty prompt is never built. */
export class EmptyContextError extends PolyLoopError {
  /** What became of each section. */
  readonly report: BuildReport;

  /** Makes an error that carries the report. */
  constructor(report: BuildReport) {
    const { byOutcome, maxChars } = report.totals;
    const outcomes = Object.entries(byOutcome).filter(([, count]) => count > 0)
      .map(([outcome, count]) => `${count} ${outcome}`);
    super(
      "context_empty",
      `Cannot build a context of at most ${maxChars} characters as no section is left in it: ${
        outcomes.join(", ") || "none was given"
      }`,
    );
    this.report = report;
  }
}
