import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  buildContext,
  type ContextHooks,
  type ContextSpec,
  EmptyContextError,
  PinnedOverBudgetError,
} from "../../../logic/context/mod.ts";
import { countCodePoints, type Message } from "../../../types/mod.ts";
import { BARE_FENCES, cutCharsOf, entryOf, outcomes, texts } from "./built_parts.ts";
import { kernelPrompt, section, turn } from "./generated_sections.ts";

/** How much two bare fences add. */
const FENCE_SIZE = 32;

Deno.test("buildContext() lets through what is exactly as large as the budget, in code points", async () => {
  const given = [section({ id: "a", body: "🌊🌊🌊" }), section({ id: "b", body: "e\u0301\ud83c" })];
  assertEquals(outcomes(await buildContext(given, { maxChars: 6 })), {
    a: "included",
    b: "included",
  });
  const over = await buildContext(given, { maxChars: 5 });
  assertEquals(outcomes(over), { a: "included", b: "dropped" });
  assertEquals(entryOf(over, "b").reason, "over the budget of 5: dropped at priority 0");
});

Deno.test("buildContext() never builds an empty prompt", async () => {
  const nothingFits = await assertRejects(
    () => buildContext([section({ id: "a", body: "four" })], { maxChars: 3 }),
    EmptyContextError,
    "Cannot build a context of at most 3 characters as no section is left in it: 1 dropped",
  );
  assertEquals(nothingFits.code, "context_empty");
  assertEquals(nothingFits.report.entries.map(({ outcome }) => outcome), ["dropped"]);
  await assertRejects(
    () => buildContext([], { maxChars: 3 }),
    EmptyContextError,
    "none was given",
  );
});

Deno.test("buildContext() has one budget over all three segments", async () => {
  const given = [
    section({ id: "run", segment: "run_level", body: "1234", priority: 3 }),
    section({ id: "inject", segment: "injection", channel: "c", body: "abcd", priority: 1 }),
    section({ id: "goal", segment: "goal_level", body: "12345", priority: 2 }),
  ];
  assertEquals(outcomes(await buildContext(given, { maxChars: 12 })), {
    run: "included",
    inject: "dropped",
    goal: "included",
  });
});

Deno.test("buildContext() drops by rising priority, of equal ones the later first", async () => {
  const given = [3, 1, 2, 1].map((priority, i) =>
    section({ id: `${i}`, body: `${i}`.repeat(10), priority })
  );
  const left = async (maxChars: number) => texts(await buildContext(given, { maxChars })).length;
  assertEquals(outcomes(await buildContext(given, { maxChars: 30 }))["3"], "dropped");
  assertEquals(outcomes(await buildContext(given, { maxChars: 20 })), {
    "0": "included",
    "1": "dropped",
    "2": "included",
    "3": "dropped",
  });
  assertEquals(await left(40), 4);
  assertEquals(await left(39), 3);
  assertEquals(await left(10), 1);
});

Deno.test("buildContext() throws PinnedOverBudgetError with the sizes before any hook runs", async () => {
  const hooks: ContextHooks = {
    compress: () => {
      throw new Error("the hook ran");
    },
  };
  const given = [
    section({ id: "rule", kind: "rule", body: "🌊".repeat(4) }),
    section({ id: "talk", kind: "conversation", body: [turn("user", "hello")] }),
    section({ id: "task", kind: "task", body: "1234" }),
    section({ id: "pinned", pinned: true, body: "123" }),
  ];
  const error = await assertRejects(
    () => buildContext(given, { maxChars: 10 }, hooks),
    PinnedOverBudgetError,
    'rules, tasks and pinned sections alone have 11: "rule" 4, "task" 4, "pinned" 3',
  );
  assertEquals({ maxChars: error.maxChars, size: error.size, code: error.code }, {
    maxChars: 10,
    size: 11,
    code: "context_pinned_over_budget",
  });
  assertEquals(error.sections, [
    { id: "rule", size: 4 },
    { id: "task", size: 4 },
    { id: "pinned", size: 3 },
  ]);
  assertEquals(texts(await buildContext(given, { maxChars: 11 }, { compress: () => null })), [
    "🌊".repeat(4),
    "1234",
    "123",
  ]);
});

Deno.test("PinnedOverBudgetError names twenty sections and counts the rest", () => {
  const sections = Array.from({ length: 22 }, (_, i) => ({ id: `s${i}`, size: 1 }));
  const { message } = new PinnedOverBudgetError(5, sections);
  assert(message.endsWith('"s19" 1, 2 more'), message);
});

Deno.test("buildContext() trims tool results first, then conversations, then the rest", async () => {
  const given = [
    section({ id: "memory", body: "m".repeat(100), priority: -9 }),
    section({ id: "talk", kind: "conversation", body: [turn("user", "t".repeat(100))] }),
    section({ id: "result", kind: "tool_result", body: "r".repeat(100), priority: 9 }),
  ];
  const spec = { texts: { ...BARE_FENCES, truncationNotice: "{truncatedChars}" } };
  const build = (maxChars: number) => buildContext(given, { ...spec, maxChars });
  const left = async (maxChars: number) => outcomes(await build(maxChars));
  const all = 300 + FENCE_SIZE;
  assertEquals(await left(all), { memory: "included", talk: "included", result: "included" });
  assertEquals(await left(all - 1), { memory: "included", talk: "included", result: "trimmed" });
  assertEquals(await left(235), { memory: "included", talk: "included", result: "trimmed" });
  assertEquals(await left(234), { memory: "included", talk: "dropped", result: "included" });
  assertEquals(await left(134), { memory: "dropped", talk: "dropped", result: "included" });
  await assertRejects(() => build(34), EmptyContextError);
});

Deno.test("buildContext() cuts a tool result at code points and says how many are gone", async () => {
  const notice = "\n[{truncatedChars} more characters were cut off]";
  const given = [
    section({ id: "result", kind: "tool_result", body: "🌊e\u0301".repeat(100), trust: "user" }),
  ];
  const whole = (await buildContext(given, { maxChars: 1_000 })).report.totals.finalSize;
  for (const maxChars of [whole - 1, whole - 50, whole - 150]) {
    const built = await buildContext(given, { maxChars });
    const entry = entryOf(built, "result");
    const kept = 300 - cutCharsOf(entry);
    const [text] = texts(built);
    const [open, ...body] = text!.split("\n");
    const whole = Array.from("🌊e\u0301".repeat(100));
    const beginning = Math.floor(kept * 2 / 5);
    assertEquals(
      body.slice(0, -1).join("\n"),
      whole.slice(0, beginning).join("") +
        notice.replace("{truncatedChars}", String(cutCharsOf(entry))) +
        `\n${whole.slice(300 - (kept - beginning)).join("")}`,
    );
    assert(text!.isWellFormed());
    const marker = open!.match(/^\[data ([0-9a-f]{16})\]/)?.[1];
    assertEquals(body.at(-1), `[end ${marker}]`);
    assertEquals([entry.finalSize, built.report.totals.finalSize], [maxChars, maxChars]);
    assertEquals(
      entry.reason,
      `over the budget of ${maxChars}: ${cutCharsOf(entry)} of 300 characters cut off`,
    );
    assertEquals([entry.outcome, entry.rawSize], ["trimmed", 300]);
  }
});

Deno.test("buildContext() cuts tool results by rising priority, and leaves what no cut makes smaller", async () => {
  const given = [
    section({ id: "high", kind: "tool_result", body: "h".repeat(100), priority: 2 }),
    section({ id: "low", kind: "tool_result", body: "l".repeat(100), priority: 1 }),
    section({ id: "short", kind: "tool_result", body: "s", priority: 0 }),
    section({ id: "pinned", kind: "tool_result", body: "p".repeat(100), pinned: true }),
  ];
  const spec = { texts: { ...BARE_FENCES, truncationNotice: "[{truncatedChars}]" } };
  const total = 301 + 4 * FENCE_SIZE;
  assertEquals(outcomes(await buildContext(given, { ...spec, maxChars: total - 10 })), {
    high: "included",
    low: "trimmed",
    short: "included",
    pinned: "included",
  });
  const deeper = await buildContext(given, { ...spec, maxChars: total - 150 });
  assertEquals([cutCharsOf(entryOf(deeper, "low")), entryOf(deeper, "short").outcome], [
    100,
    "included",
  ]);
  assert(cutCharsOf(entryOf(deeper, "high")) < 100);
});

Deno.test("buildContext() trims to trimToChars once over maxChars, so that more fits without trimming again", async () => {
  const turns = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => turn("user", `turn ${from + i}`.padEnd(10, ".")));
  const build = (body: readonly Message[]) =>
    buildContext([section({ id: "talk", kind: "conversation", body })], {
      maxChars: 100,
      trimToChars: 60,
    });
  assertEquals((await build(turns(0, 10))).context.goalLevel.length, 10);
  let kept = (await build(turns(0, 11))).context.goalLevel;
  assertEquals(kept.length, 6);
  for (let next = 11; next < 15; next++) {
    const built = await build([...kept, ...turns(next, next + 1)]);
    assertEquals(entryOf(built, "talk").outcome, "included");
    assertEquals(built.context.goalLevel.slice(0, kept.length), kept);
    kept = built.context.goalLevel;
  }
  assertEquals((await build([...kept, ...turns(15, 16)])).context.goalLevel.length, 6);
});

Deno.test("buildContext() measures what formatters write, also where they write more for less", async () => {
  const spec: ContextSpec = {
    maxChars: 150,
    texts: { ...BARE_FENCES, truncationNotice: "{truncatedChars}" },
    formatters: { tool_result: (body) => body.length % 2 === 0 ? body : body.repeat(2) },
  };
  const given = [section({ id: "r", kind: "tool_result", body: "r".repeat(200) })];
  const built = await buildContext(given, spec);
  assert(countCodePoints(texts(built)[0]!) <= 150);
  assertEquals(kernelPrompt(built).chars, built.report.totals.finalSize);
});
