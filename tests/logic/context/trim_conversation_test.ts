import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  buildContext,
  type BuiltContext,
  type ContextHooks,
  type ContextSection,
  type ContextSpec,
  type ConversationGroup,
  PinnedOverBudgetError,
} from "../../../logic/context/mod.ts";
import { conversationGroups } from "../../../logic/context/_trimming/conversation_groups.ts";
import { type Message, messageSize } from "../../../types/mod.ts";
import { BARE_FENCES, entryOf, outcomes, texts } from "./built_parts.ts";
import { callTurns, section, turn } from "./generated_sections.ts";

const TALK: readonly Message[] = [
  turn("user", "u1".repeat(10)),
  turn("assistant", "a1".repeat(10)),
  turn("user", "u2".repeat(10)),
  ...callTurns(["c1", "c2"], "r".repeat(20)),
  turn("assistant", "a2".repeat(10)),
  turn("user", "u3".repeat(10)),
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
  const groupSize = 20 + callSize + 2 * resultSize + 20;
  const roles = async (less: number) =>
    (await buildTalk({ less })).context.goalLevel.slice(1).map(({ role }) => role).join(" ");
  assertEquals(await roles(0), "user assistant user assistant tool tool assistant user");
  assertEquals(await roles(1), "user assistant tool tool assistant user");
  assertEquals(await roles(40), "user assistant tool tool assistant user");
  assertEquals(await roles(41), "user");
  assertEquals(await roles(40 + groupSize), "user");
  assertEquals(await roles(41 + groupSize), "");
});

Deno.test("buildContext() reports what became of each group", async () => {
  const trimmed = entryOf(await buildTalk({ less: 1 }), "talk");
  assertEquals([trimmed.outcome, trimmed.groups], [
    "trimmed",
    { kept: 2, compressed: 0, dropped: 1 },
  ]);
  assertEquals(
    trimmed.reason,
    `over the budget of ${
      trimmed.rawSize + 3
    }: of 3 groups 1 dropped, 0 compressed, 0 characters of tool results cut off`,
  );
  const gone = entryOf(await buildTalk({ less: trimmed.rawSize }), "talk");
  assertEquals([gone.outcome, gone.groups], ["dropped", { kept: 0, compressed: 0, dropped: 3 }]);
  assertEquals(entryOf(await buildTalk({ less: 0 }), "talk").groups, {
    kept: 3,
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
  const built = await buildTalk({ less: 41, texts: BARE_FENCES }, {
    compress: (group) => {
      groups.push(group);
      return groups.length === 1 ? "talked" : Promise.resolve("looked\r\n");
    },
  });
  assertEquals(groups.map(({ messages }) => messages.map(({ content }) => content)), [
    TALK.slice(0, 2).map(({ content }) => content),
    TALK.slice(2, 7).map(({ content }) => content),
  ]);
  assertEquals(groups.map(({ sectionId }) => sectionId), ["talk", "talk"]);
  assertEquals(groups.map(({ size }) => size)[0], 40);
  assertEquals(entryOf(built, "talk").groups, { kept: 1, compressed: 2, dropped: 0 });
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
    assertEquals(built.context.goalLevel.length, 7);
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
  assertEquals(texts(built).slice(1), ["20..."]);
  assertEquals(entryOf(built, "talk").groups, { kept: 0, compressed: 1, dropped: 2 });
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

Deno.test("conversationGroups() begins one with each turn of the user, and one before the first", () => {
  const [ask, say] = [turn("user", "u"), turn("assistant", "a")];
  const call = callTurns(["c"]);
  const cases: readonly (readonly [turns: readonly Message[], sizes: readonly number[]])[] = [
    [[], []],
    [[ask], [1]],
    [[ask, ask, say], [1, 2]],
    [[say, ...call, ask], [3, 1]],
    [[ask, ...call, ...call, say, ask, ...call, say], [6, 4]],
  ];
  for (const [turns, sizes] of cases) {
    const groups = conversationGroups(turns);
    assertEquals(groups.map(({ length }) => length), sizes);
    assertEquals(groups.flat(), turns);
  }
});
