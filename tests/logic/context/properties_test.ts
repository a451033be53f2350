import { assert, assertEquals, assertLessOrEqual } from "@std/assert";
import {
  buildContext,
  type BuiltContext,
  type ContextHooks,
  type ContextSection,
  type ContextSource,
  type ContextSpec,
  DEFAULT_CONTEXT_TEXTS,
  EmptyContextError,
  PinnedOverBudgetError,
  type SectionReportEntry,
} from "../../../logic/context/mod.ts";
import { deepFreeze, type Message } from "../../../types/mod.ts";
import { generatedSections, kernelPrompt, Random } from "./generated_sections.ts";
import { fuzzRounds } from "../../tasks/fuzz_rounds.ts";

const SEEDS = Array.from({ length: fuzzRounds(4_000) }, (_, i) => i);
const AMPLE = { maxChars: 1_000_000 };

/** What is built; nothing where the budget is refused, as it may be. */
async function built(
  sections: readonly (ContextSection | ContextSource)[],
  spec: ContextSpec,
  hooks: ContextHooks = { compress: ({ size }) => "s".repeat(size >> 2) },
): Promise<BuiltContext | undefined> {
  try {
    return await buildContext(sections, spec, hooks);
  } catch (error) {
    if (error instanceof EmptyContextError || error instanceof PinnedOverBudgetError) return;
    throw error;
  }
}

/** For each seed: sections, and what is built of them with an ample budget and with two that are too small. */
async function forEachBuild(
  check: (sections: readonly ContextSection[], result: BuiltContext, random: Random) => unknown,
): Promise<void> {
  let checked = 0;
  for (const seed of SEEDS) {
    const random = new Random(seed);
    const sections = generatedSections(random);
    const ample = await built(sections, AMPLE);
    const size = ample?.report.totals.finalSize ?? 1;
    for (const maxChars of [AMPLE.maxChars, size >> 1, (size * 7) >> 3]) {
      const result = maxChars < 1 ? undefined : await built(sections, { maxChars });
      if (result === undefined) continue;
      checked++;
      await check(sections, result, random);
    }
  }
  assert(checked > SEEDS.length * 1.5, `only ${checked} builds were checked`);
}

function sectionEntries({ report }: Pick<BuiltContext, "report">): readonly SectionReportEntry[] {
  return report.entries.filter((entry) => entry.outcome !== "source_failed");
}

Deno.test("buildContext() final sizes add up to the kernel's size of call 0, within the budget", async () => {
  await forEachBuild((_, result) => {
    const { totals } = result.report;
    const kernel = kernelPrompt(result);
    const sum = sectionEntries(result).reduce((sum, entry) => sum + entry.finalSize, 0);
    assertEquals(sum, kernel.chars);
    assertEquals(totals.finalSize, kernel.chars);
    assertEquals(totals.messages, kernel.messages.length);
    assertEquals({ ...totals.bySegment, history: 0 }, kernel.receipt.totals);
    assertLessOrEqual(kernel.chars, totals.maxChars);
  });
});

Deno.test("buildContext() reports in the order of the receipt's entries, and says the same", async () => {
  await forEachBuild((sections, result) => {
    const { newMessages } = kernelPrompt(result).receipt;
    let next = 0;
    let order = 0;
    for (const entry of sectionEntries(result)) {
      if (entry.messageRange === undefined) {
        assertEquals({
          finalSize: entry.finalSize,
          order: entry.order,
          finalDigest: entry.finalDigest,
        }, { finalSize: 0, order: undefined, finalDigest: undefined });
        continue;
      }
      const [start, end] = entry.messageRange;
      assertEquals([start, entry.order], [next, order++]);
      next = end;
      const receipt = newMessages.slice(start, end);
      assertEquals(receipt.reduce((sum, message) => sum + message.size, 0), entry.finalSize);
      for (const { segment, origin, version, trust, source } of receipt) {
        assertEquals(segment, entry.segment);
        if (origin !== "a page") {
          const isSummary = trust === "untrusted" && entry.trust !== "untrusted";
          assertEquals([origin, version], [entry.source, entry.version]);
          assert(isSummary ? entry.outcome === "compressed" : trust === entry.trust);
        }
        if (segment !== "injection") continue;
        assert(source.startsWith(`injection:${entry.channel}/${entry.id}#`), source);
      }
    }
    assertEquals(next, newMessages.length);
    assertEquals(
      sectionEntries(result).map((entry) => entry.id).sort(),
      sections.map(({ id }) => id).sort(),
    );
  });
});

Deno.test("buildContext() never takes anything off what is protected", async () => {
  await forEachBuild((sections, result) => {
    const entries = new Map(sectionEntries(result).map((entry) => [entry.id, entry]));
    for (const { id, kind, pinned } of sections) {
      if (pinned !== true && kind !== "rule" && kind !== "task") continue;
      const { outcome, duplicateOf } = entries.get(id)!;
      const stands = outcome === "duplicate" ? entries.get(duplicateOf!)! : entries.get(id)!;
      assert(["included", "empty"].includes(stands.outcome), `${id}: ${stands.outcome}`);
    }
  });
});

Deno.test("buildContext() keeps, compresses or drops a protocol group whole", async () => {
  await forEachBuild((_, result) => {
    const { messages } = kernelPrompt(result);
    let open = new Set<string>();
    for (const message of messages) {
      if (message.role !== "tool") assertEquals(open.size, 0);
      for (const block of message.content) {
        if (block.type === "tool_call") open = open.add(block.toolCallId);
        if (block.type === "tool_result") assert(open.delete(block.toolCallId));
      }
    }
    assertEquals(open.size, 0);
  });
});

Deno.test("buildContext() begins what it leaves of a conversation with a turn of the user, and ends it as it ended", async () => {
  let shortened = 0;
  await forEachBuild(async (sections, { report: { totals } }) => {
    const result = await built(sections, { maxChars: totals.maxChars }, {});
    if (result === undefined) return;
    const { messages } = kernelPrompt(result);
    const entries = new Map(sectionEntries(result).map((entry) => [entry.id, entry]));
    for (const { id, kind, body } of sections) {
      const range = entries.get(id)?.messageRange;
      if (kind !== "conversation" || typeof body === "string" || range === undefined) continue;
      const left = messages.slice(...range);
      if (left.length === body.length) continue;
      shortened += 1;
      assertEquals(left[0]?.role, "user", id);
      assertEquals(left.map(({ role }) => role), body.slice(-left.length).map(({ role }) => role));
    }
  });
  assert(shortened > 0);
});

Deno.test("buildContext() gives the same whenever the sources answer", async () => {
  await forEachBuild(async (sections, result, random) => {
    const { maxChars } = result.report.totals;
    const answers: (() => void)[] = [];
    const cut = random.below(sections.length + 1);
    const sources = [sections.slice(0, cut), sections.slice(cut), []].map((part, i) => ({
      name: `source ${i}`,
      collect: () =>
        new Promise<readonly ContextSection[]>((resolve) => answers.push(() => resolve(part))),
    }));
    const pending = built(sources, { maxChars });
    for (const answer of random.shuffled(answers)) {
      answer();
      await Promise.resolve();
    }
    assertEquals(await pending, result);
  });
});

Deno.test("buildContext() changes no input, and its output never changes", async () => {
  await forEachBuild(async (sections, { report }) => {
    const given = structuredClone(sections);
    const { maxChars } = report.totals;
    const result = await built(given, { maxChars });
    assertEquals(given, sections);
    const before = structuredClone(result);
    for (const section of given) {
      for (const message of section.body as readonly Message[]) {
        if (typeof message === "string") break;
        Object.assign(message.content[0]!, { text: "changed", toolCallId: "changed" });
      }
      Object.assign(section, { id: "changed", priority: 99, body: "changed" });
    }
    assertEquals(result, before);
    assertDeepFrozen(result);
  });
});

function assertDeepFrozen(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  assert(Object.isFrozen(value));
  Object.values(value).forEach(assertDeepFrozen);
}

Deno.test("buildContext() takes frozen input", async () => {
  await forEachBuild(async (sections, result) => {
    const { maxChars } = result.report.totals;
    assertEquals(await built(deepFreeze(structuredClone(sections)), { maxChars }), result);
  });
});

Deno.test("buildContext() leaves alone what it has trimmed before", async () => {
  await forEachBuild(async (_, result) => {
    const { messages } = kernelPrompt(result);
    const again = sectionEntries(result).filter((entry) => entry.messageRange !== undefined)
      .map(({ id, priority, source, version, messageRange }): ContextSection => ({
        id,
        priority,
        source,
        version,
        kind: "conversation",
        segment: "goal_level",
        trust: "system",
        body: messages.slice(...messageRange!).map((message) => ({
          ...message,
          role: message.role === "system" ? "user" : message.role,
        })),
      }));
    const { maxChars } = result.report.totals;
    const second = await built(again, { maxChars });
    assertEquals(second?.report.totals.byOutcome.trimmed ?? 0, 0);
    assertEquals(second?.report.totals.byOutcome.dropped ?? 0, 0);
    assertEquals(second?.report.totals.byOutcome.compressed ?? 0, 0);
  });
});

Deno.test("buildContext() gives one prompt digest in whatever order keys, channels and sections come", async () => {
  await forEachBuild(async (sections, result, random) => {
    const { maxChars } = result.report.totals;
    const distinct = sections.map((section, i) => ({ ...section, priority: i }));
    const shuffled = random.shuffled(distinct).map((section) =>
      Object.fromEntries(random.shuffled(Object.entries(section))) as Partial<ContextSection>
    ) as ContextSection[];
    const one = await built(distinct, { maxChars });
    const other = await built(shuffled, { maxChars });
    assertEquals(one && kernelPrompt(one).digest, other && kernelPrompt(other).digest);
    assertEquals(one?.fingerprints, other?.fingerprints);
  });
});

Deno.test("buildContext() leaves no room that a cut tool result could have", async () => {
  await forEachBuild((_, { report }) => {
    const { maxChars, finalSize } = report.totals;
    const isCut = sectionEntries({ report }).some(({ messages = [] }) =>
      messages.some(({ cutChars }) => cutChars !== undefined)
    );
    const notice = DEFAULT_CONTEXT_TEXTS.truncationNotice.length + 10;
    assert(!isCut || finalSize > 0.9 * maxChars || maxChars - finalSize <= notice, `${finalSize}`);
  });
});
