import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { InvalidRequestError, resume, run } from "../../../mod.ts";
import {
  contextAt,
  readLog,
  rebuildPrompt,
  recordedActions,
  recordedCalls,
  redactLog,
  requestInputs,
  verifyLog,
} from "../../../session/mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import { decodeLog, encodeEntry } from "../../../logic/serialization/mod.ts";
import { digest, type JsonValue, type LogRecord, type ModelReply } from "../../../types/mod.ts";
import { fuzzRounds } from "../../tasks/fuzz_rounds.ts";
import { drawn, processOf } from "../generated_runs.ts";
import { storeOf } from "../world.ts";

/** Every text of a value, keys of objects too. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [key, ...textsIn(member)]);
}

/** The lines of a run that a seed gives. */
async function linesOf(seed: number): Promise<readonly string[]> {
  const store = memoryStore();
  const { agent, request, options } = processOf(drawn(seed), store);
  await run(agent, request, options);
  return await store.readRun("r") ?? [];
}

/** A log whose first reply is another, and that ends there. */
function withReply(lines: readonly string[], reply: ModelReply): readonly string[] {
  let prev = digest("r");
  const changed: string[] = [];
  for (const { seq, records } of decodeLog("r", lines)) {
    const to = records.findIndex(({ type }) => type === "model_reply");
    const kept: readonly LogRecord[] = to === -1 ? records : records.slice(0, to + 1);
    const entry = encodeEntry(
      seq,
      prev,
      kept.map((record) => record.type === "model_reply" ? { ...record, reply } : record),
    );
    changed.push(entry.line);
    prev = entry.hash;
    if (to !== -1) return changed;
  }
  throw new Error("the run has no reply");
}

/** The reply of a log of {@link withReply}, redacted. */
function replyOf(lines: readonly string[]): ModelReply {
  const reply = readLog(lines).open?.reply;
  assert(reply !== undefined);
  return reply;
}

const LINES = await linesOf(303);

function callReply(args: JsonValue, rawArguments: string, text = ""): ModelReply {
  return { text, toolCalls: [{ id: "1", name: "do", arguments: args, rawArguments }] };
}

/** Of what models and environments of generated runs say; nothing of it is a word of the schema. */
const SECRETS = [
  "b 🌊",
  "alone",
  "gibberish",
  "again c",
  "use submit",
  "break",
  "throw",
  "and more",
];

Deno.test("redactLog() hides what patterns find from every byte of generated logs, which still verify", async () => {
  const found = new Set<string>();
  for (let round = 0; round < fuzzRounds(500); round++) {
    const seed = 101 * round;
    const lines = await linesOf(seed);
    for (const secret of SECRETS) {
      const digests = seed % 2 === 0 ? "keep" : "drop";
      const redacted = redactLog(lines, { patterns: [new RegExp(secret)], digests });
      const verdict = verifyLog(redacted);
      assert(verdict.ok, `seed ${seed}: ${verdict.fault?.message}`);
      assertEquals(verdict.checked, ["chain", "records", "grammar", "stop_decisions", "finish"]);
      assert(!redacted.join("\n").includes(secret), `seed ${seed}: "${secret}" is still there`);
      assertEquals(redacted.length, lines.length);
      const marker = `[redacted: ${[...secret].length} code points, ${digest(secret)}]`;
      if (redacted.join("\n").includes(marker)) found.add(secret);
    }
  }
  assert(found.size >= 3, [...found].join());
});

Deno.test("redactLog() leaves all else of a log as it is", () => {
  const without = redactLog(LINES, { patterns: [/nothing like this/] });
  const { redactedFrom, ...started } = readLog(without).started;
  assertEquals(started, { ...readLog(LINES).started });
  assertEquals(readLog(without).steps, readLog(LINES).steps);
  assertEquals(redactedFrom, {
    logHead: readLog(LINES).logHead,
    rules: { patterns: 1, pointers: 0, keyed: false, digests: "keep" },
  });
});

Deno.test("redactLog() hides what is at a pointer, and the same text wherever else it stands", () => {
  const args = { user: { "a/b": "hunter2", pin: 4711 }, kept: "x" };
  const text = 'I say {"pin": 4711, "w": "h\\u0075nter2"}';
  const lines = withReply(LINES, callReply(args, JSON.stringify(args, null, 1), text));
  const redacted = redactLog(lines, { pointers: ["/user/a~1b", "/user/pin"] });
  const reply = replyOf(redacted);
  const [call] = reply.toolCalls ?? [];
  const shown = Object(call?.arguments);
  assertEquals(shown.user["a/b"], `[redacted: 7 code points, ${digest("hunter2")}]`);
  assertEquals(shown.user.pin, `[redacted number: 4 code points, ${digest("4711")}]`);
  assertEquals(shown.kept, "x");
  assertEquals(call?.rawArguments, JSON.stringify(call?.arguments));
  for (const found of textsIn(reply)) assert(!/hunter2|h\\u0075nter2|4711/.test(found), found);
});

Deno.test("redactLog() finds what is spelled with escapes, at any depth, and in raw texts that are no JSON", () => {
  const inner = '{"k": "se\\u0063ret"}';
  const texts = [inner, JSON.stringify({ inner }), '{"k": "se\\u0063ret', "{'k': secret"];
  for (const raw of texts) {
    const reply = { ...callReply({}, raw, raw), rawText: raw, reasoning: raw, providerData: [raw] };
    const redacted = redactLog(withReply(LINES, reply), { patterns: [/secret/] });
    for (const found of textsIn(replyOf(redacted))) {
      assert(!/secret|u0063/.test(found), `${raw}: ${found}`);
    }
  }
});

Deno.test("redactLog() takes what it found for text wherever else it stands, not for a pattern", () => {
  const lines = withReply(LINES, { text: "password=a.b|c", reasoning: "a.b|c, axb, b|c" });
  const { text, reasoning = "" } = replyOf(redactLog(lines, { patterns: [/(?<=password=)\S+/] }));
  const marker = `[redacted: 5 code points, ${digest("a.b|c")}]`;
  assertEquals([text, reasoning], [`password=${marker}`, `${marker}, axb, b|c`]);
});

Deno.test("redactLog() hides keys, errors with their retries, and a value that is found across its texts", () => {
  const error = { name: "secret", message: "a secret", stack: "at secret" };
  const retries = [{ error: { ...error, retries: [{ error, waitedMs: 1 }] }, waitedMs: 2 }];
  const args = { secret: [{ password: "open sesame" }] };
  const reply = { ...callReply(args, JSON.stringify(args)), retries };
  const redacted = redactLog(withReply(LINES, reply), {
    patterns: [/secret/, /"password":\s*"[^"]*"/],
  });
  assert(!/secret|sesame/.test(redacted.join()));
  assertEquals(verifyLog(redacted).ok, true);
});

Deno.test("redactLog() tells equal texts by equal markers, and with a key nobody can guess them", () => {
  const lines = withReply(LINES, { text: "ab ab 🌊b", providerData: { "ab": 1 } });
  const plain = replyOf(redactLog(lines, { patterns: [/ab/, /🌊/] })).text.split(" [");
  assertEquals(plain[0], plain[1]?.replace(/^/, "["));
  const keyed = replyOf(redactLog(lines, { patterns: [/ab/], key: "k" })).text;
  assert(!keyed.includes(digest("ab")));
  assertEquals(keyed, replyOf(redactLog(lines, { patterns: [/ab/], key: "k" })).text);
});

Deno.test("redactLog() drops every digest of what a log held where it is asked to", () => {
  const text = redactLog(LINES, { digests: "drop" }).join();
  const { started, calls } = readLog(LINES);
  for (const hash of [started.contextDigest, ...calls.map(({ promptDigest }) => promptDigest)]) {
    assert(!text.includes(hash));
  }
});

Deno.test("redactLog() refuses rules that are none, and to hide what an id gives away", () => {
  const error = assertThrows(() => redactLog(LINES, { patterns: [/^r$/] }), InvalidRequestError);
  assertMatch(error.message, /ids cannot be hidden/);
  assertThrows(() => redactLog(LINES, { pointers: ["password"] }), InvalidRequestError);
  assertThrows(() => redactLog(LINES, { pointers: ["/a~2"] }), InvalidRequestError);
});

Deno.test("a redacted log shows its prompts, and no run goes on from it", async () => {
  const lines = redactLog(LINES, { patterns: [/alone/] });
  const log = readLog(lines);
  assert(rebuildPrompt(log, 0).length > 0);
  for (const take of [contextAt, requestInputs, recordedCalls, recordedActions]) {
    assertThrows(() => take(log), InvalidRequestError, "are hidden in it");
  }
  const { agent, request, options } = processOf(drawn(303), await storeOf(lines));
  await assertRejects(
    () => resume(agent, request, options),
    InvalidRequestError,
    "are hidden in it",
  );
});
