import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  buildContext,
  type BuiltContext,
  type ContextHooks,
  type ContextSection,
  type ContextSpec,
  type ConversationGroup,
  EmptyContextError,
  PinnedOverBudgetError,
  type SectionReportEntry,
} from "../../../logic/context/mod.ts";
import { countCodePoints, type Message, messageSize } from "../../../types/mod.ts";
import { callTurns, kernelPrompt, section, turn } from "./generated_sections.ts";

const FENCE_FREE = { fenceOpen: "{marker}", fenceClose: "{marker}" };
const FENCE_SIZE = 32;

function outcomes({ report }: BuiltContext): Readonly<Record<string, string>> {
  return Object.fromEntries(report.entries.map(({ id, outcome }) => [id, outcome]));
}

function entryOf({ report }: BuiltContext, id: string): SectionReportEntry {
  return report.entries.find((entry) => entry.id === id) as SectionReportEntry;
}

function texts(built: BuiltContext): readonly string[] {
  return kernelPrompt(built).messages.flatMap(({ content }) =>
    content.map((block) => block.type === "tool_call" ? block.name : block.text)
  );
}

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
  assertEquals([await left(40), await left(39), await left(10)], [4, 3, 1]);
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
  assertEquals([error.maxChars, error.size, error.code], [10, 11, "context_pinned_over_budget"]);
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
  const spec = { texts: { ...FENCE_FREE, truncationNotice: "{removed}" } };
  const build = (maxChars: number) => buildContext(given, { ...spec, maxChars });
  const left = async (maxChars: number) => outcomes(await build(maxChars));
  const all = 300 + FENCE_SIZE;
  assertEquals(await left(all), { memory: "included", talk: "included", result: "included" });
  assertEquals(await left(all - 1), { memory: "included", talk: "included", result: "trimmed" });
  assertEquals(await left(235), { memory: "included", talk: "included", result: "trimmed" });
  assertEquals(await left(234), { memory: "included", talk: "dropped", result: "trimmed" });
  assertEquals(await left(134), { memory: "dropped", talk: "dropped", result: "trimmed" });
  await assertRejects(() => build(34), EmptyContextError);
});

Deno.test("buildContext() cuts a tool result at code points and says how many are gone", async () => {
  const notice = "\n[{removed} more characters were cut off]";
  const given = [
    section({ id: "result", kind: "tool_result", body: "🌊e\u0301".repeat(100), trust: "user" }),
  ];
  const whole = (await buildContext(given, { maxChars: 1_000 })).report.totals.finalSize;
  for (const maxChars of [whole - 1, whole - 50, whole - 150]) {
    const built = await buildContext(given, { maxChars });
    const entry = entryOf(built, "result");
    const kept = 300 - entry.cutChars!;
    const [text] = texts(built);
    const [open, ...body] = text!.split("\n");
    assertEquals(
      body.slice(0, -1).join("\n"),
      Array.from("🌊e\u0301".repeat(100)).slice(0, kept).join("") +
        notice.replace("{removed}", String(entry.cutChars)),
    );
    assert(text!.isWellFormed());
    const marker = open!.match(/^\[data ([0-9a-f]{16})\]/)?.[1];
    assertEquals(body.at(-1), `[end ${marker}]`);
    assertEquals([entry.finalSize, built.report.totals.finalSize], [maxChars, maxChars]);
    assertEquals(
      entry.reason,
      `over the budget of ${maxChars}: ${entry.cutChars} of 300 characters cut off`,
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
  const spec = { texts: { ...FENCE_FREE, truncationNotice: "[{removed}]" } };
  const total = 301 + 4 * FENCE_SIZE;
  assertEquals(outcomes(await buildContext(given, { ...spec, maxChars: total - 10 })), {
    high: "included",
    low: "trimmed",
    short: "included",
    pinned: "included",
  });
  const deeper = await buildContext(given, { ...spec, maxChars: total - 150 });
  assertEquals([entryOf(deeper, "low").cutChars, entryOf(deeper, "short").outcome], [
    100,
    "included",
  ]);
  assert(entryOf(deeper, "high").cutChars! < 100);
});

const TALK: readonly Message[] = [
  turn("user", "u1".repeat(10)),
  turn("assistant", "a1".repeat(10)),
  ...callTurns(["c1", "c2"], "r".repeat(20)),
  turn("assistant", "a2".repeat(10)),
  turn("user", "u2".repeat(10)),
];

function talk(fields: Partial<ContextSection> = {}): ContextSection {
  return section({ id: "talk", kind: "conversation", body: TALK, ...fields });
}

function buildTalk(
  spec: Partial<ContextSpec> & { readonly less: number },
  hooks: ContextHooks = {},
  fields: Partial<ContextSection> = {},
): Promise<BuiltContext> {
  const { less, ...rest } = spec;
  const maxChars = TALK.reduce((sum, message) => sum + messageSize(message), 0) + 4 - less;
  const task = section({ id: "task", kind: "task", body: "task", priority: 9 });
  return buildContext([task, talk(fields)], { maxChars, ...rest }, hooks);
}

Deno.test("buildContext() drops the oldest groups of a conversation, each whole", async () => {
  const call = callTurns(["c1", "c2"], "r".repeat(20));
  const [callSize, resultSize] = [messageSize(call[0]!), messageSize(call[1]!)];
  const groupSize = callSize + 2 * resultSize;
  const roles = async (less: number) =>
    (await buildTalk({ less })).context.goalLevel.slice(1).map(({ role }) => role).join(" ");
  assertEquals(await roles(0), "user assistant assistant tool tool assistant user");
  assertEquals(await roles(1), "assistant tool tool assistant user");
  assertEquals(await roles(40), "assistant tool tool assistant user");
  assertEquals(await roles(41), "assistant user");
  assertEquals(await roles(40 + groupSize), "assistant user");
  assertEquals(await roles(41 + groupSize), "user");
  assertEquals(await roles(61 + groupSize), "");
});

Deno.test("buildContext() reports what became of each group", async () => {
  const trimmed = entryOf(await buildTalk({ less: 1 }), "talk");
  assertEquals([trimmed.outcome, trimmed.groups], [
    "trimmed",
    { kept: 3, compressed: 0, dropped: 1 },
  ]);
  assertEquals(
    trimmed.reason,
    `over the budget of ${trimmed.rawSize + 3}: of 4 groups 1 dropped, 0 compressed`,
  );
  const gone = entryOf(await buildTalk({ less: trimmed.rawSize }), "talk");
  assertEquals([gone.outcome, gone.groups], ["dropped", { kept: 0, compressed: 0, dropped: 4 }]);
  assertEquals(entryOf(await buildTalk({ less: 0 }), "talk").groups, {
    kept: 4,
    compressed: 0,
    dropped: 0,
  });
});

Deno.test("buildContext() leaves a pinned conversation whole", async () => {
  await assertRejects(() => buildTalk({ less: 1 }, {}, { pinned: true }), PinnedOverBudgetError);
});

Deno.test("buildContext() shortens the conversation of lower priority first, of equal ones the older", async () => {
  const given = [["old", 1], ["new", 1], ["low", 0]].map(([id, priority]) =>
    section({
      id: id as string,
      kind: "conversation",
      priority: priority as number,
      body: [turn("user", `${id}`.repeat(10))],
    })
  );
  const left = async (maxChars: number) => {
    const built = await buildContext(given, { maxChars });
    return Object.entries(outcomes(built)).filter(([, was]) => was === "included").map(([id]) =>
      id
    );
  };
  assertEquals(await left(89), ["old", "new"]);
  assertEquals(await left(59), ["new"]);
});

Deno.test("buildContext() gives compress one group at a time, oldest first, and only what must go", async () => {
  const groups: ConversationGroup[] = [];
  const built = await buildTalk({ less: 41, texts: FENCE_FREE }, {
    compress: (group) => {
      groups.push(group);
      return groups.length === 1 ? "talked" : Promise.resolve("looked\r\n");
    },
  });
  assertEquals(groups.map(({ messages }) => messages.map(({ content }) => content)), [
    TALK.slice(0, 2).map(({ content }) => content),
    TALK.slice(2, 5).map(({ content }) => content),
  ]);
  assertEquals(groups.map(({ sectionId }) => sectionId), ["talk", "talk"]);
  assertEquals(groups.map(({ size }) => size)[0], 40);
  assertEquals(entryOf(built, "talk").groups, { kept: 2, compressed: 2, dropped: 0 });
  assertEquals(entryOf(built, "talk").outcome, "compressed");
});

Deno.test("buildContext() sends a summary as user, and fences that of tool results", async () => {
  const spec = { less: 41, texts: { fenceOpen: "<{marker}>", fenceClose: "</{marker}>" } };
  const [, talked, looked] = (await buildTalk(spec, { compress: () => "$&{observation}" })).context
    .goalLevel;
  assertEquals([talked?.role, looked?.role], ["user", "user"]);
  assertEquals(talked?.content, [{ type: "text", text: "$&{observation}" }]);
  const [block] = looked!.content;
  assert(block?.type === "text" && /^<([0-9a-f]{16})>\$&\{observation\}<\/\1>$/.test(block.text));
});

Deno.test("buildContext() keeps the summary of an untrusted turn untrusted", async () => {
  const page = { source: "a page", version: "1", trust: "untrusted" };
  const body = [
    { ...turn("user", "x".repeat(300)), provenance: page },
    turn("user", "y".repeat(300)),
  ];
  const built = await buildContext(
    [section({ id: "talk", kind: "conversation", body })],
    { maxChars: 500 },
    { compress: () => "short" },
  );
  const [summary] = built.context.goalLevel;
  assertEquals(summary?.provenance?.trust, "untrusted");
  assert(texts(built)[0]!.startsWith("[data "));
  assertEquals(built.report.hasUntrusted, true);
});

const FAILING_HOOKS: Readonly<Record<string, readonly [ContextHooks["compress"], string]>> = {
  throws: [() => {
    throw new Error("HTTP 500: overloaded");
  }, "Error: HTTP 500: overloaded"],
  rejects: [() => Promise.reject(new Error("HTTP 500: overloaded")), "Error: HTTP 500: overloaded"],
  "gives a blank": [() => " \n", "TypeError: it gave no text"],
  "gives no string": [() => Promise.resolve(7 as never), "TypeError: it gave no text"],
  "gives a longer text": [({ size }) => "x".repeat(size), "RangeError: its text is no shorter"],
};

for (const [name, [compress, reason]] of Object.entries(FAILING_HOOKS)) {
  Deno.test(`buildContext() drops a group whole if compress ${name}, and says why`, async () => {
    const built = await buildTalk({ less: 1 }, { compress: compress! });
    const entry = entryOf(built, "talk");
    assertEquals([entry.outcome, entry.groups?.dropped], ["trimmed", 1]);
    assert(entry.reason?.endsWith(`; compress failed for 1, first with "${reason}"`), entry.reason);
    assert(texts(built).every((text) => !text.includes("overloaded")));
    assertEquals(built.context.goalLevel.length, 6);
  });
}

Deno.test("buildContext() drops a group in peace if compress gives null", async () => {
  const entry = entryOf(await buildTalk({ less: 1 }, { compress: () => null }), "talk");
  assert(!entry.reason?.includes("failed"));
  assertEquals(entry.groups?.dropped, 1);
});

Deno.test("buildContext() drops summaries, the oldest first, if they do not fit either", async () => {
  const size = TALK.reduce((sum, message) => sum + messageSize(message), 0);
  const spec = { texts: { fenceOpen: "{marker}", fenceClose: "{marker}" } };
  const hooks = { compress: ({ size }: ConversationGroup) => `${size}`.padEnd(5, ".") };
  const built = await buildTalk({ ...spec, less: size - 10 }, hooks);
  assertEquals(texts(built).slice(1), ["20...", "20..."]);
  assertEquals(entryOf(built, "talk").groups, { kept: 0, compressed: 2, dropped: 2 });
});

Deno.test("buildContext() calls compress as a method of its hooks", async () => {
  const hooks = {
    text: "short",
    compress() {
      return this.text;
    },
  };
  assertEquals(texts(await buildTalk({ less: 1 }, hooks))[1], "short");
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

Deno.test("buildContext() keeps the task through any number of builds of one conversation", async () => {
  const task = section({ id: "task", kind: "task", body: "keep me", priority: -9 });
  let body: readonly Message[] = [];
  for (let i = 0; i < 10; i++) {
    body = [...body, turn("user", `turn ${i}`.repeat(3))];
    const built = await buildContext(
      [task, section({ id: "talk", kind: "conversation", body })],
      { maxChars: 40 },
      { compress: () => "s" },
    );
    assertEquals(texts(built).at(-1), "keep me");
    body = built.context.goalLevel.slice(0, -1);
  }
});

Deno.test("buildContext() measures what formatters write, also where they write more for less", async () => {
  const spec: ContextSpec = {
    maxChars: 150,
    texts: { ...FENCE_FREE, truncationNotice: "{removed}" },
    formatters: { tool_result: (body) => body.length % 2 === 0 ? body : body.repeat(2) },
  };
  const given = [section({ id: "r", kind: "tool_result", body: "r".repeat(200) })];
  const built = await buildContext(given, spec);
  assert(countCodePoints(texts(built)[0]!) <= 150);
  assertEquals(kernelPrompt(built).chars, built.report.totals.finalSize);
});

Deno.test("buildContext() gives compress turns that it cannot change", async () => {
  const body = [turn("user", "x\r".repeat(20)), turn("user", "y")];
  const built = await buildContext(
    [section({ id: "talk", kind: "conversation", body })],
    { maxChars: 20 },
    {
      compress: ({ messages }) => {
        assertThrows(() => (messages as Message[]).pop(), TypeError);
        assertThrows(() => Object.assign(messages[0]!, { role: "system" }), TypeError);
        assertThrows(() => Object.assign(messages[0]!.content, { length: 0 }), TypeError);
        return "short";
      },
    },
  );
  assertEquals(texts(built), ["short", "y"]);
});
