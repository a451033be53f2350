import { deepFreeze, type Injection, type Message, type RunContext } from "../../types/mod.ts";
import { checkSpec, specDigest } from "./_checked_spec.ts";
import { checkCallIds } from "./_collecting/check_call_ids.ts";
import { collect } from "./_collecting/collect.ts";
import { dedupe } from "./_drafts/dedupe.ts";
import type { Draft } from "./_drafts/draft.ts";
import { normalise } from "./_drafts/normalise.ts";
import { order } from "./_drafts/order.ts";
import { provenanceOf } from "./_format.ts";
import { trim } from "./_trimming/trim.ts";
import type { TrimmedSection } from "./_trimming/trimmed_section.ts";
import { outputDigest, writeReport } from "./_write_report.ts";
import type { BuildReport } from "./build_report.ts";
import { EmptyContextError } from "./context_errors.ts";
import type { ContextHooks, ContextSpec } from "./context_spec.ts";
import type { ContextSection, ContextSource, SectionSegment } from "./section.ts";

/** What {@link buildContext} gives: the first three are fields of a run request. */
export interface BuiltContext {
  /** The messages of the run level and the goal level. */
  readonly context: RunContext;
  /** The injections of each channel that a collected section names, empty if none of them is left. */
  readonly injections: Readonly<Record<string, readonly Injection[]>>;
  /**
   * `context_builder.spec` (what of the spec is data) and `context_builder.output` (what is in the prompt), `sha256:`
   * and hex: a resume whose builder was set up otherwise or collected other text is refused as drift.
   */
  readonly fingerprints: Readonly<
    Record<"context_builder.spec" | "context_builder.output", string>
  >;
  /** What was collected and what became of it. */
  readonly report: BuildReport;
}

/**
 * Builds the texts that a run starts from: collects sections, normalises, orders, dedupes, trims to a budget over all
 * of them, formats, and reports. The same sections in the same declared order give the same result, whenever the
 * sources answer. The result is deep-frozen; nothing that is given is changed or kept.
 *
 * @example
 * ```ts
 * import { buildContext } from "@polyloop/polyloop/context";
 * import { assertEquals } from "@std/assert";
 *
 * const origin = { source: "example", version: "1" };
 * const { context, report } = await buildContext([
 *   { id: "rules", kind: "rule", segment: "run_level", role: "system", trust: "system", priority: 0, body: "Be brief.", ...origin },
 *   { id: "task", kind: "task", segment: "goal_level", trust: "user", priority: 0, body: "Name a river.\r\n", ...origin },
 * ], { maxChars: 1_000 });
 *
 * assertEquals(context.goalLevel[0]?.content, [{ type: "text", text: "Name a river.\n" }]);
 * assertEquals(report.totals.finalSize, 23);
 * ```
 *
 * @param input Sections, sources of sections, or both.
 * @param spec The budget, and how texts are written.
 * @param hooks What the project does itself.
 * @throws {InvalidRequestError} If a section, the spec or a hook is not as it must be, an id is used twice, a tool call
 * and its result are not together, one `dedupeKey` has two bodies, or a formatter gives no text.
 * @throws {TrustError} If a section asks for a role that its trust does not allow.
 * @throws {SourceFailedError} If a source fails that is not optional.
 * @throws {PinnedOverBudgetError} If rules, tasks and pinned sections do not fit by themselves.
 * @throws {EmptyContextError} If nothing is left.
 */
export async function buildContext(
  input: readonly (ContextSection | ContextSource)[],
  spec: ContextSpec,
  hooks: ContextHooks = {},
): Promise<BuiltContext> {
  const checked = checkSpec(spec, hooks);
  const { sections, failures } = await collect(input);
  checkCallIds(sections, checked.historySteps);
  const drafts = order(normalise(sections));
  const survivors = dedupe(drafts.filter((draft) => !draft.isEmpty));
  const trimmed = await trim(survivors, checked);
  const report = deepFreeze(writeReport(drafts, trimmed, failures, checked.maxChars));
  if (report.totals.messages === 0) throw new EmptyContextError(report);
  return deepFreeze({
    context: {
      runLevel: messagesOf(trimmed, "run_level"),
      goalLevel: messagesOf(trimmed, "goal_level"),
    },
    injections: injectionsOf(drafts, trimmed),
    fingerprints: {
      "context_builder.spec": specDigest(checked),
      "context_builder.output": outputDigest(report),
    },
    report,
  });
}

function messagesOf(
  trimmed: readonly TrimmedSection[],
  segment: SectionSegment,
): readonly Message[] {
  return trimmed.flatMap(({ survivor, messages }) =>
    survivor.draft.section.segment === segment ? messages.map(({ message }) => message) : []
  );
}

function injectionsOf(
  drafts: readonly Draft[],
  trimmed: readonly TrimmedSection[],
): BuiltContext["injections"] {
  const channels = new Map<string, Injection[]>();
  for (const { section } of drafts) {
    if (section.channel !== undefined) channels.set(section.channel, []);
  }
  for (const { survivor: { draft: { section } }, text } of trimmed) {
    if (section.channel === undefined || text === undefined) continue;
    channels.get(section.channel)?.push({
      entryId: section.id,
      content: text,
      provenance: provenanceOf(section),
    });
  }
  return Object.fromEntries(channels);
}
