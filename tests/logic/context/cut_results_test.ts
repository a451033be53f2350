import { assert, assertEquals } from "@std/assert";
import {
  buildContext,
  type BuiltContext,
  type ContextSection,
} from "../../../logic/context/mod.ts";
import { messageSize } from "../../../types/mod.ts";
import { BARE_FENCES, entryOf } from "./built_parts.ts";
import { callTurns, section, turn } from "./generated_sections.ts";

/** Three rounds with results of these sizes, the newest last. */
function rounds(...sizes: readonly number[]): ContextSection {
  const body = sizes.flatMap((size, i) => [
    turn("user", `ask ${i}`),
    ...callTurns([`c${i}`], `${i}`.repeat(size)),
    turn("assistant", `say ${i}`),
  ]);
  return section({ id: "talk", kind: "conversation", body });
}

/** How much two bare fences add. */
const FENCE_SIZE = 32;

const SHORT_NOTICE = { texts: { ...BARE_FENCES, truncationNotice: "[{truncatedChars}]" } };

/** How long each result in the prompt is. */
function resultSizes({ context }: BuiltContext): readonly number[] {
  return context.goalLevel.flatMap(({ content }) => content).flatMap((block) =>
    block.type === "tool_result" ? [block.text.length] : []
  );
}

Deno.test("buildContext() cuts the longest tool results of a conversation first, those of the newest round last", async () => {
  const given = [rounds(300, 500, 900)];
  const whole = (await buildContext(given, { maxChars: 9_000 })).report.totals.finalSize;
  const cut = (less: number) => buildContext(given, { ...SHORT_NOTICE, maxChars: whole - less });
  assertEquals(resultSizes(await cut(0)), [300, 500, 900]);
  assertEquals(resultSizes(await cut(100)), [300, 400, 900]);
  assertEquals(resultSizes(await cut(495)), [300, 5, 900]);
  assertEquals(resultSizes(await cut(496)), [299, 5, 900]);
  assertEquals(resultSizes(await cut(790)), [5, 5, 900]);
  assertEquals(resultSizes(await cut(800)), [5, 5, 890]);
  const built = await cut(100);
  const [, , , , , , result] = built.context.goalLevel;
  assert(result?.content[0]?.type === "tool_result");
  assertEquals(result.content[0].text, `${"1".repeat(157)}[106]\n${"1".repeat(237)}`);
  const { outcome, reason, messages, groups } = entryOf(built, "talk");
  assertEquals([outcome, groups], ["trimmed", { kept: 3, compressed: 0, dropped: 0 }]);
  assertEquals(
    reason,
    `over the budget of ${
      whole - 100
    }: of 3 groups 0 dropped, 0 compressed, 106 characters of tool results cut off`,
  );
  assertEquals(messages?.[6], { chars: 400, cutChars: 106 });
  assertEquals(messages?.[2], { chars: 300 });
});

Deno.test("buildContext() gives what room a dropped round leaves back to results, the newest first", async () => {
  const body = [
    turn("user", "u".repeat(1_000)),
    ...[1, 2].flatMap((
      i,
    ) => [turn("user", `ask ${i}`), ...callTurns([`c${i}`], `${i}`.repeat(500))]),
  ];
  const given = [section({ id: "talk", kind: "conversation", body })];
  const build = (maxChars: number) => buildContext(given, { ...SHORT_NOTICE, maxChars });
  const whole = (await build(9_000)).report.totals.finalSize;
  const afterDrop = whole - 1_000;
  assertEquals(resultSizes(await build(whole - 990)), [5, 5]);
  assertEquals(resultSizes(await build(whole - 991)), [500, 500]);
  assertEquals(resultSizes(await build(afterDrop - 100)), [400, 500]);
  assertEquals((await build(afterDrop - 100)).report.totals.finalSize, afterDrop - 100);
});

Deno.test("buildContext() gives room back to cut results of both forms, the conversation's first", async () => {
  const given = [
    section({ id: "result", kind: "tool_result", body: "r".repeat(500) }),
    section({
      id: "talk",
      kind: "conversation",
      body: [
        turn("user", "u".repeat(700)),
        turn("user", "ask"),
        ...callTurns(["c"], "c".repeat(500)),
      ],
    }),
  ];
  const build = (maxChars: number) => buildContext(given, { ...SHORT_NOTICE, maxChars });
  const whole = (await build(9_000)).report.totals.finalSize;
  const built = await build(whole - 1_000);
  assertEquals(resultSizes(built), [500]);
  assertEquals(entryOf(built, "result").finalSize, FENCE_SIZE + 200);
  assertEquals(built.report.totals.finalSize, whole - 1_000);
});

Deno.test("buildContext() gives compress the turns of a group as they were given", async () => {
  const sizes: number[] = [];
  const body = [turn("user", "u".repeat(300)), ...callTurns(["c"], "c".repeat(500))];
  const given = [section({ id: "talk", kind: "conversation", body })];
  const built = await buildContext(given, { ...SHORT_NOTICE, maxChars: 60 }, {
    compress: ({ messages, size }) => {
      sizes.push(size);
      assertEquals(size, messages.reduce((sum, message) => sum + messageSize(message), 0));
      return "seen";
    },
  });
  assert(sizes.length === 1 && sizes[0]! > 800);
  assertEquals(entryOf(built, "talk").outcome, "compressed");
});
