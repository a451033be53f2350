import { assertEquals, assertRejects } from "@std/assert";
import {
  buildContext,
  type ContextSection,
  type SectionReportEntry,
} from "../../../logic/context/mod.ts";
import { InvalidRequestError } from "../../../types/mod.ts";
import { kernelPrompt, section, turn } from "./generated_sections.ts";

async function entries(
  sections: readonly ContextSection[],
  maxChars = 10_000,
): Promise<readonly SectionReportEntry[]> {
  return (await buildContext(sections, { maxChars })).report.entries as SectionReportEntry[];
}

Deno.test("buildContext() orders by segment, channel, volatile, priority, trust, collect index", async () => {
  const injection = { segment: "injection" } as const;
  const inOrder = [
    section({ id: "run level", segment: "run_level", priority: -9, volatile: true }),
    section({ id: "channel a", ...injection, channel: "a", priority: -9 }),
    section({ id: "channel \\uffff", ...injection, channel: "\uffff", priority: -9 }),
    section({ id: "channel 🌊", ...injection, channel: "🌊", priority: 9 }),
    section({ id: "highest", priority: Number.MAX_SAFE_INTEGER }),
    section({ id: "system", trust: "system" }),
    section({ id: "user 1" }),
    section({ id: "user 2" }),
    section({ id: "untrusted", trust: "untrusted" }),
    section({ id: "lowest", priority: Number.MIN_SAFE_INTEGER }),
    section({ id: "volatile", priority: 9, volatile: true }),
  ];
  const ids = inOrder.map(({ id }) => id);
  assertEquals((await entries(inOrder)).map(({ id }) => id), ids);
  const [user1, user2] = [inOrder[6]!, inOrder[7]!];
  const backwards = inOrder.toReversed().filter((given) => given !== user1 && given !== user2);
  assertEquals((await entries([user1, ...backwards, user2])).map(({ id }) => id), ids);
});

Deno.test("buildContext() warns of volatile text in the run level only", async () => {
  const volatile = { volatile: true };
  const [first, second] = await entries([
    section({ id: "a", segment: "run_level", ...volatile }),
    section({ id: "b", segment: "goal_level", ...volatile }),
  ]);
  assertEquals([first?.warnings, second?.warnings], [["volatile_run_level"], []]);
});

Deno.test("buildContext() keeps the first in order of equal bodies and lists the others", async () => {
  const body = "不允许修改 tests/";
  const [first, second, third] = await entries([
    section({ id: "memory", body: `${body}`, source: "m", version: "2" }),
    section({ id: "file", body: `\ufeff${body}`, kind: "file", source: "f", version: "3" }),
    section({ id: "rule", body, kind: "rule", segment: "run_level" }),
  ]);
  assertEquals([first?.id, first?.outcome], ["rule", "included"]);
  assertEquals(first?.merged, [
    { id: "memory", source: "m", version: "2" },
    { id: "file", source: "f", version: "3" },
  ]);
  assertEquals([second?.outcome, second?.duplicateOf], ["duplicate", "rule"]);
  assertEquals([third?.outcome, third?.duplicateOf, third?.finalSize], ["duplicate", "rule", 0]);
});

Deno.test("buildContext() tells bodies apart that only a lone surrogate distinguishes", async () => {
  const given = ["\ud83c", "\ufffd", "\udf0a"].map((body, i) => section({ id: `${i}`, body }));
  assertEquals((await entries(given)).map(({ outcome }) => outcome), [
    "included",
    "included",
    "included",
  ]);
});

Deno.test("buildContext() keeps equal bodies of different trust, and of different voice", async () => {
  const rule = { segment: "run_level", trust: "system", body: "same" } as const;
  const given = [
    section({ id: "system role", role: "system", ...rule }),
    section({ id: "system trust", ...rule }),
    section({ id: "system data", kind: "external", ...rule }),
    section({ id: "user", body: "same" }),
    section({ id: "assistant", body: "same", role: "assistant" }),
    section({ id: "untrusted", body: "same", trust: "untrusted" }),
  ];
  assertEquals(
    (await entries(given)).map(({ id, outcome }) => [id, outcome]),
    given.map(({ id }) => [id, "included"]),
  );
});

Deno.test("buildContext() merges by dedupeKey, and refuses one key with two bodies", async () => {
  const dedupeKey = "no tests";
  const same = [
    section({ id: "a", dedupeKey, body: "x\n" }),
    section({ id: "b", dedupeKey, body: "x\r\n" }),
  ];
  assertEquals((await entries(same)).map(({ outcome }) => outcome), ["included", "duplicate"]);
  await assertRejects(
    () => entries([...same, section({ id: "c", dedupeKey, body: "y" })]),
    InvalidRequestError,
    'those of "a" (source of a) and "c" (source of c) differ',
  );
});

Deno.test("buildContext() never takes a dedupeKey for the digest of a body", async () => {
  const [{ rawDigest }] = await entries([section({ id: "a", body: "x" })]) as [SectionReportEntry];
  const given = [
    section({ id: "a", body: "x" }),
    section({ id: "b", body: "y", dedupeKey: rawDigest }),
    section({ id: "c", body: "z", dedupeKey: `body ${rawDigest}` }),
  ];
  assertEquals((await entries(given)).every(({ outcome }) => outcome === "included"), true);
});

Deno.test("buildContext() merges equal conversations by their turns, not by their provenance", async () => {
  const talk = (id: string, source: string) =>
    section({
      id,
      kind: "conversation",
      body: [{ ...turn("user", "hi"), provenance: { source, version: "1" } }],
    });
  assertEquals((await entries([talk("a", "x"), talk("b", "y")])).map(({ outcome }) => outcome), [
    "included",
    "duplicate",
  ]);
});

Deno.test("buildContext() keeps equal conversations whose turns are trusted differently", async () => {
  const talk = (id: string, trust: string) =>
    section({
      id,
      kind: "conversation",
      body: [{ ...turn("user", "hi"), provenance: { source: "s", version: "1", trust } }],
    });
  const built = await buildContext([talk("a", "user"), talk("b", "untrusted")], { maxChars: 99 });
  assertEquals(built.report.entries.map(({ outcome }) => outcome), ["included", "included"]);
  assertEquals(built.report.hasUntrusted, true);
});

Deno.test("buildContext() does not lose a task with a memory that says the same", async () => {
  const given = [
    section({ id: "memory", segment: "injection", channel: "memory", body: "run the tests" }),
    section({ id: "task", kind: "task", body: "run the tests", priority: 5 }),
    section({ id: "other", body: "x".repeat(50), priority: 100 }),
  ];
  const built = await buildContext(given, { maxChars: 20 });
  assertEquals(kernelPrompt(built).messages.map(({ content }) => content), [
    [{ type: "text", text: "run the tests" }],
  ]);
  const [memory] = built.report.entries as SectionReportEntry[];
  assertEquals([memory?.id, memory?.outcome, memory?.isProtected], ["memory", "included", true]);
});

Deno.test("buildContext() trims what stands for others by the highest of their priorities", async () => {
  const outcomes = (await entries([
    section({ id: "low", segment: "run_level", body: "x".repeat(50), priority: 1 }),
    section({ id: "high", body: "x".repeat(50), priority: 9 }),
    section({ id: "middle", body: "y".repeat(50), priority: 5 }),
  ], 60)).map(({ id, outcome }) => [id, outcome]);
  assertEquals(outcomes, [["low", "included"], ["high", "duplicate"], ["middle", "dropped"]]);
});
