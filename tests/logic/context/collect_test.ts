import { assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import {
  buildContext,
  type ContextSection,
  type ContextSource,
  SourceFailedError,
} from "../../../logic/context/mod.ts";
import { InvalidRequestError, type Message } from "../../../types/mod.ts";
import { callTurns, section, turn } from "./generated_sections.ts";

const SPEC = { maxChars: 10_000 };

function source(name: string, ids: readonly string[]): ContextSource {
  return { name, collect: () => ids.map((id) => section({ id })) };
}

function failing(name: string, optional: boolean): ContextSource {
  return { name, optional, collect: () => Promise.reject(new TypeError(`${name} is away`)) };
}

Deno.test("buildContext() collects sections and sources in declared order", async () => {
  const { report } = await buildContext([
    source("one", ["c", "b"]),
    section({ id: "z" }),
    { name: "two", collect: () => Promise.resolve([section({ id: "a" })]) },
  ], SPEC);
  assertEquals(report.entries.map((entry) => entry.id), ["c", "b", "z", "a"]);
});

Deno.test("buildContext() asks all sources before it waits for one", () => {
  const asked: string[] = [];
  const waiting = (name: string): ContextSource => ({
    name,
    collect: () => {
      asked.push(name);
      return new Promise(() => {});
    },
  });
  buildContext([waiting("one"), waiting("two")], SPEC);
  assertEquals(asked, ["one", "two"]);
});

Deno.test("buildContext() rejects when a required source fails, with what it threw", async () => {
  const error = await assertRejects(
    () => buildContext([source("one", ["a"]), failing("two", false)], SPEC),
    SourceFailedError,
    'Cannot collect from source "two" as it failed (mark it optional to build without it): TypeError: two is away',
  );
  assertEquals([error.source, error.code], ["two", "context_source_failed"]);
  assertEquals((error.cause as Error).message, "two is away");
});

Deno.test("buildContext() goes on without an optional source, and the report says so", async () => {
  const throwing: ContextSource = {
    name: "three",
    optional: true,
    collect: () => {
      throw new Error("no");
    },
  };
  const rejecting: ContextSource = {
    name: "four",
    optional: true,
    collect: () => Promise.reject("gone"),
  };
  const speechless: ContextSource = {
    name: "five",
    optional: true,
    collect: () => Promise.reject(Object.create(null)),
  };
  const { report } = await buildContext(
    [failing("two", true), section({ id: "a" }), throwing, rejecting, speechless],
    SPEC,
  );
  assertEquals(report.entries.slice(1), [
    { id: "two", outcome: "source_failed", reason: "TypeError: two is away" },
    { id: "three", outcome: "source_failed", reason: "Error: no" },
    { id: "four", outcome: "source_failed", reason: "gone" },
    { id: "five", outcome: "source_failed", reason: "(it cannot be shown as text)" },
  ]);
  assertEquals(report.totals.byOutcome.source_failed, 4);
});

Deno.test("buildContext() rejects with the error declared first, whichever came first", async () => {
  const late = Promise.withResolvers<readonly ContextSection[]>();
  const pending = buildContext(
    [{ name: "late", collect: () => late.promise }, failing("early", false)],
    SPEC,
  );
  await Promise.resolve();
  late.reject(new Error("late"));
  const error = await assertRejects(() => pending, SourceFailedError);
  assertEquals(error.source, "late");
});

Deno.test("buildContext() reads given sections before it waits", async () => {
  const given = { ...section({ id: "a" }), body: "before" };
  const pending = buildContext([given, source("one", [])], SPEC);
  given.body = "after";
  assertEquals((await pending).context.goalLevel[0]?.content, [{ type: "text", text: "before" }]);
});

Deno.test("buildContext() reads the fields of a section, also inherited ones", async () => {
  class Memory {
    get source() {
      return "memory 7";
    }
  }
  const { source: _, ...fields } = section({ id: "a" });
  const given = Object.assign(new Memory(), fields);
  const { report } = await buildContext([given], SPEC);
  assertEquals(report.entries[0]?.id, "a");
});

Deno.test("buildContext() refuses a field of a section or a turn that nobody would read", async () => {
  const misspelt = Object.assign(section({ id: "a" }), { pined: true });
  await assertRejects(
    () => buildContext([misspelt], SPEC),
    InvalidRequestError,
    'Cannot use "sections.a.pined" as there is no such field (did you mean "pinned"?)',
  );
  const turns = [{ role: "user" as const, content: turn("user", "hi").content, name: "Ada" }];
  await assertRejects(
    () => buildContext([section({ id: "a", kind: "conversation", body: turns })], SPEC),
    InvalidRequestError,
    "sections.a.body[0].name",
  );
});

Deno.test("buildContext() calls a source as its method", async () => {
  const store = {
    name: "store",
    sections: [section({ id: "a" })],
    collect() {
      return this.sections;
    },
  };
  assertEquals((await buildContext([store], SPEC)).report.entries.length, 1);
});

const REFUSED_FIELDS: readonly (readonly [field: string, Readonly<Record<string, unknown>>])[] = [
  ["sections[0].id", { id: "" }],
  ["sections[0].id", { id: "a,b" }],
  ["sections[0].id", { id: 7 }],
  ["sections.a.kind", { kind: "note" }],
  ["sections.a.segment", { segment: "history" }],
  ["sections.a.channel", { channel: "c" }],
  ["sections.a.channel", { segment: "injection" }],
  ["sections.a.channel", { segment: "injection", channel: "" }],
  ["sections.a.role", { role: "tool" }],
  ["sections.a.role", { segment: "injection", channel: "c", role: "assistant" }],
  ["sections.a.role", { kind: "conversation", role: "user", body: [] }],
  ["sections.a.trust", { trust: "absolute" }],
  ["sections.a.trust", { trust: undefined }],
  ["sections.a.priority", { priority: NaN }],
  ["sections.a.priority", { priority: 0.5 }],
  ["sections.a.priority", { priority: Infinity }],
  ["sections.a.priority", { priority: 2 ** 53 }],
  ["sections.a.priority", { priority: "1" }],
  ["sections.a.pinned", { pinned: "yes" }],
  ["sections.a.volatile", { volatile: 1 }],
  ["sections.a.source", { source: undefined }],
  ["sections.a.version", { version: 3 }],
  ["sections.a.dedupeKey", { dedupeKey: null }],
  ["sections.a.body", { body: [turn("user", "hi")] }],
  ["sections.a.body", { kind: "conversation", body: "hi" }],
  ["sections.a.segment", { kind: "conversation", segment: "injection", channel: "c", body: [] }],
];

for (const [field, fields] of REFUSED_FIELDS) {
  Deno.test(`buildContext() refuses ${field} in ${Deno.inspect(fields)}`, async () => {
    const given = { ...section({ id: "a" }), ...fields } as ContextSection;
    const error = await assertRejects(() => buildContext([given], SPEC), InvalidRequestError);
    assertEquals(error.field, field);
  });
}

const CALL = callTurns(["c1"])[0]!;
const REFUSED_TURNS: readonly (readonly [field: string, turns: readonly unknown[]])[] = [
  ["body[0]", ["hi"]],
  ["body[0]", [null]],
  ["body[0].role", [{ ...turn("user", "hi"), role: "developer" }]],
  ["body[0].content", [{ role: "user", content: [] }]],
  ["body[0].content", [{ role: "user", content: "hi" }]],
  ["body[0].content[0]", [{ role: "user", content: ["hi"] }]],
  ["body[0].content[0].type", [{ role: "user", content: [{ type: "image" }] }]],
  ["body[0].content[0].type", [{ role: "user", content: CALL.content }]],
  ["body[0].content[0].type", [turn("tool", "hi")]],
  ["body[0].content[0].text", [{ role: "user", content: [{ type: "text", text: 1 }] }]],
  ["body[0].content[0].toolCallId", [{
    role: "assistant",
    content: [{ ...CALL.content[0], toolCallId: "s0_a0" }],
  }]],
  ["body[0].content[0].name", [{
    role: "assistant",
    content: [{ ...CALL.content[0], name: undefined }],
  }]],
  ["body[0].content[0].arguments.at", [{
    role: "assistant",
    content: [{ ...CALL.content[0], arguments: { at: NaN } }],
  }]],
  ["body[0].content[0].isError", [{
    role: "tool",
    content: [{ type: "tool_result", toolCallId: "c1", text: "" }],
  }]],
  ["body[0].providerData[0]", [{ ...turn("assistant", "hi"), providerData: [undefined] }]],
  ["body[0].provenance.version", [{ ...turn("user", "hi"), provenance: { source: "s" } }]],
  ["body[0].providerdata", [{ ...turn("assistant", "hi"), providerdata: {} }]],
  ["body[0].content[0].at", [{ role: "user", content: [{ type: "text", text: "", at: 1 }] }]],
];

for (const [field, body] of REFUSED_TURNS) {
  Deno.test(`buildContext() refuses ${field} in turns ${JSON.stringify(body)}`, async () => {
    const given = section({ id: "a", kind: "conversation", body: body as readonly Message[] });
    const error = await assertRejects(() => buildContext([given], SPEC), InvalidRequestError);
    assertEquals(error.field, `sections.a.${field}`);
  });
}

Deno.test("buildContext() refuses what is neither a section nor a source, and what a source gives", async () => {
  const field = async (input: unknown) =>
    (await assertRejects(
      () => buildContext(input as readonly ContextSection[], SPEC),
      InvalidRequestError,
    )).field;
  assertEquals(await field(section({ id: "a" })), "sections");
  assertEquals(await field([null]), "sections[0]");
  assertEquals(await field([section({ id: "a" }), "text"]), "sections[1]");
  assertEquals(await field([{ name: "one", collect: 1 }]), "sections[0]");
  assertEquals(await field([{ name: "one", collect: () => "text" }]), "sources.one");
  const misfit = { name: "one", optional: true, collect: () => [{ id: "" }] };
  assertEquals(await field([misfit]), "sources.one[0].id");
});

Deno.test("buildContext() throws on a fault in readings that is not its own", async () => {
  const fault = new Error("the getter is broken");
  const turns = [{
    ...turn("assistant", "hi"),
    providerData: Object.defineProperty({}, "a", {
      enumerable: true,
      get: () => {
        throw fault;
      },
    }),
  }];
  const given = section({ id: "a", kind: "conversation", body: turns });
  const thrown = await buildContext([given], SPEC).catch((error) => error);
  assertStrictEquals(thrown, fault);
});

Deno.test("buildContext() refuses a spec and hooks that are not as they must be", async () => {
  const field = async (spec: unknown, hooks: unknown = {}) =>
    (await assertRejects(
      () => buildContext([section({ id: "a" })], spec as typeof SPEC, hooks as object),
      InvalidRequestError,
    )).field;
  for (const maxChars of [0, -1, 1.5, NaN, "10", undefined]) {
    assertEquals(await field({ maxChars }), "spec.maxChars");
  }
  for (const trimToChars of [0, 11, 1.5, null]) {
    assertEquals(await field({ maxChars: 10, trimToChars }), "spec.trimToChars");
  }
  const text = (x: string) => x;
  assertEquals(await field({ ...SPEC, formatters: { conversation: text } }), "spec.formatters");
  assertEquals(await field({ ...SPEC, formatters: { note: text } }), "spec.formatters");
  assertEquals(await field({ ...SPEC, formatters: { memory: "x" } }), "spec.formatters.memory");
  assertEquals(await field({ ...SPEC, texts: { fenceOpen: "data:" } }), "spec.texts.fenceOpen");
  assertEquals(await field({ ...SPEC, texts: { fenceClose: 1 } }), "spec.texts.fenceClose");
  assertEquals(
    await field({ ...SPEC, texts: { truncationNotice: "" } }),
    "spec.texts.truncationNotice",
  );
  assertEquals(await field(SPEC, { compress: "x" }), "hooks.compress");
  assertEquals(await field(SPEC, { compres: text }), "hooks.compres");
  assertEquals(await field({ ...SPEC, trimTo: 5 }), "spec.trimTo");
  assertEquals(await field({ ...SPEC, texts: { fence: "{marker}" } }), "spec.texts.fence");
  assertEquals(await field(undefined), "spec");
});
