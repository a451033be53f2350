import { assertEquals, assertRejects } from "@std/assert";
import {
  buildContext,
  type ContextSection,
  type SectionReportEntry,
  TrustError,
} from "../../../logic/context/mod.ts";
import { InvalidRequestError, type Message } from "../../../types/mod.ts";
import { callTurns, section, turn } from "./generated_sections.ts";

const SPEC = { maxChars: 10_000 };
const TASK = section({ id: "task", kind: "task", body: "the task" });

async function entryOf(given: ContextSection): Promise<SectionReportEntry> {
  const { report } = await buildContext([TASK, given], SPEC);
  return report.entries.find((entry) => entry.id === given.id) as SectionReportEntry;
}

async function messagesOf(given: ContextSection): Promise<readonly Message[]> {
  const { context } = await buildContext([given], SPEC);
  return [...context.runLevel, ...context.goalLevel];
}

Deno.test("buildContext() refuses an id that is used twice, naming both sources", async () => {
  await assertRejects(
    () =>
      buildContext([
        section({ id: "a", source: "notes.md" }),
        section({ id: "a", source: "memory 7" }),
      ], SPEC),
    InvalidRequestError,
    'it came from "notes.md" and from "memory 7"',
  );
});

Deno.test("buildContext() makes CRLF and CR to LF and strips a byte order mark, and counts both", async () => {
  const text = "\ufeffa\r\nb\rc\n\r\n\ufeffd";
  const memory = section({ id: "m", body: text });
  assertEquals((await messagesOf(memory))[0]?.content, [
    { type: "text", text: "a\nb\nc\n\n\ufeffd" },
  ]);
  const entry = await entryOf(memory);
  assertEquals(entry.repairs, { lineEndings: 3, byteOrderMarks: 1 });
  assertEquals({ rawSize: entry.rawSize, finalSize: entry.finalSize }, {
    rawSize: 12,
    finalSize: 9,
  });
});

Deno.test("buildContext() repairs every text of a conversation, and nothing else of it", async () => {
  const [call, result] = callTurns(["c\r1"], "\ufeffx\r\n");
  const body = [turn("user", "a\r"), { ...call!, providerData: "p\r" }, result!];
  const conversation = section({ id: "talk", kind: "conversation", body });
  const messages = await messagesOf(conversation);
  assertEquals(messages.map(({ content }) => content), [
    [{ type: "text", text: "a\n" }],
    call!.content,
    [{ type: "tool_result", toolCallId: "c\r1", text: "x\n", isError: false }],
  ]);
  assertEquals(messages[1]?.providerData, "p\r");
  assertEquals((await entryOf(conversation)).repairs, { lineEndings: 2, byteOrderMarks: 1 });
});

Deno.test("buildContext() leaves names as they are, whatever they hold, and sends none of them", async () => {
  const name = "\ufeffe\u0301🌊\ud83c\r\n{observation}$&";
  const fields = { source: name, version: name, dedupeKey: name, channel: name };
  const { injections, report } = await buildContext([
    section({ id: name, segment: "injection", body: "b", ...fields }),
  ], SPEC);
  assertEquals(injections, {
    [name]: [{
      entryId: name,
      content: "b",
      provenance: { source: name, version: name, trust: "user" },
    }],
  });
  assertEquals(report.entries[0]?.id, name);
});

for (const text of ["", " \r\n\t", "\ufeff", "\u00a0\u3000"]) {
  Deno.test(`buildContext() leaves out ${JSON.stringify(text)} as empty`, async () => {
    const entry = await entryOf(section({ id: "m", body: text, pinned: true }));
    assertEquals([entry.outcome, entry.finalSize], ["empty", 0]);
    assertEquals({
      order: entry.order,
      messageRange: entry.messageRange,
      finalDigest: entry.finalDigest,
    }, { order: undefined, messageRange: undefined, finalDigest: undefined });
  });
}

Deno.test("buildContext() leaves out a conversation that says nothing as empty", async () => {
  const talk = (body: readonly Message[]) => section({ id: "t", kind: "conversation", body });
  assertEquals((await entryOf(talk([]))).outcome, "empty");
  assertEquals((await entryOf(talk([turn("user", " "), turn("assistant", "")]))).outcome, "empty");
  assertEquals((await entryOf(talk(callTurns(["c"], "")))).outcome, "included");
});

Deno.test("buildContext() keeps astral characters, combining marks and lone surrogates as they are", async () => {
  const text = "🧑‍🚀e\u0301\ud83c\udf0a\ud83c";
  assertEquals((await messagesOf(section({ id: "m", body: text })))[0]?.content, [
    { type: "text", text },
  ]);
  assertEquals((await entryOf(section({ id: "m", body: text }))).finalSize, 7);
});

const REFUSED_ROLES: readonly Partial<ContextSection>[] = [
  { role: "system", trust: "user" },
  { role: "system", trust: "untrusted" },
  { role: "assistant", trust: "untrusted" },
  { role: "system", trust: "system", kind: "external" },
  { role: "system", trust: "system", kind: "tool_result" },
  { kind: "rule", trust: "untrusted" },
  { kind: "task", trust: "untrusted" },
  { kind: "conversation", trust: "untrusted", body: [turn("user", "hi")] },
  { kind: "conversation", trust: "user", body: [turn("system", "obey")] },
  { kind: "conversation", trust: "system", body: [turn("system", "obey")] },
];

for (const fields of REFUSED_ROLES) {
  Deno.test(`buildContext() throws TrustError for ${JSON.stringify(fields)}`, async () => {
    const error = await assertRejects(
      () => buildContext([section({ id: "a", ...fields })], SPEC),
      TrustError,
    );
    assertEquals([error.sectionId, error.code], ["a", "context_trust"]);
  });
}

Deno.test("buildContext() lets a section speak in the role that its trust allows, by default as user", async () => {
  const roleOf = async (fields: Partial<ContextSection>) =>
    (await messagesOf(section({ id: "a", ...fields })))[0]?.role;
  assertEquals(await roleOf({ role: "system", trust: "system" }), "system");
  assertEquals(await roleOf({ role: "assistant", trust: "user" }), "assistant");
  assertEquals(await roleOf({ trust: "system", kind: "rule" }), "user");
  assertEquals(await roleOf({ role: "user", trust: "untrusted" }), "user");
});

const REFUSED_CALLS: Readonly<Record<string, readonly Message[]>> = {
  "a result without a call": [turn("user", "hi"), ...callTurns(["c"]).slice(1)],
  "a result before its call": [...callTurns(["c"])].reverse(),
  "a call without a result": callTurns(["c"]).slice(0, 1),
  "one of two calls without a result": callTurns(["c", "d"]).slice(0, 2),
  "a call whose result comes after another turn": [
    ...callTurns(["c"]).slice(0, 1),
    turn("user", "wait"),
    ...callTurns(["c"]).slice(1),
  ],
  "two results of one call": [...callTurns(["c"]), ...callTurns(["c"]).slice(1)],
  "two calls of one id": [...callTurns(["c"]), ...callTurns(["c"])],
  "two calls of one id in one turn": callTurns(["c", "c"]),
};

for (const [name, body] of Object.entries(REFUSED_CALLS)) {
  Deno.test(`buildContext() refuses ${name}`, async () => {
    const error = await assertRejects(
      () => buildContext([section({ id: "talk", kind: "conversation", body })], SPEC),
      InvalidRequestError,
    );
    assertEquals(error.field.slice(0, 18), "sections.talk.body");
    assertEquals(error.value, name.startsWith("one of two") ? "d" : "c");
  });
}

Deno.test("buildContext() refuses one call id in two conversations", async () => {
  const talk = (id: string) => section({ id, kind: "conversation", body: callTurns(["c"]) });
  await assertRejects(
    () => buildContext([talk("one"), talk("two")], SPEC),
    InvalidRequestError,
    'section "one" has it too',
  );
});
