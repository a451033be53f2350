import { assert, assertEquals } from "@std/assert";
import {
  type Budget,
  type ContextPolicy,
  ModelCallError,
  type ModelReply,
  run,
  type RunEvent,
  type RunSpec,
} from "../../../mod.ts";
import { readLog, rebuildCall, verifyLog } from "../../../session/mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import {
  canonicalJson,
  countCodePoints,
  type LogRecord,
  messageSize,
  toolsSize,
} from "../../../types/mod.ts";
import { forged } from "../logs/forged.ts";
import {
  agentOf,
  EXECUTED,
  hearing,
  now,
  recordsOf,
  requestOf,
  shapeOf,
  wordExecutor,
  WORLD_TOOLS,
} from "../world.ts";
import { longModel, POLICY, replied } from "./long_world.ts";

const [ELIDE, SUMMARISE, DROP] = POLICY.stages as [
  ContextPolicy["stages"][0],
  ContextPolicy["stages"][0],
  ContextPolicy["stages"][0],
];
const STEPS = 16;

const acting = (step: number): ModelReply =>
  replied(step >= STEPS ? "answer done" : `do look at thing ${step}`);

/** A run of long results: its lines, its events and how it ended. */
async function made(
  { contextPolicy, budget = {}, said = acting, summary, ...spec }:
    & Pick<RunSpec, "contextPolicy" | "toolProtocol">
    & {
      readonly budget?: Partial<Budget>;
      readonly said?: (step: number) => ModelReply;
      readonly summary?: () => ModelReply;
    },
) {
  const store = memoryStore();
  const events = hearing();
  const { toolProtocol: protocol = "text" } = spec;
  const executor = wordExecutor((word) =>
    Promise.resolve({ ...EXECUTED, observation: `${word} ${"x".repeat(100)}` })
  );
  const agent = agentOf(longModel(said, summary), { protocol, store, events });
  const request = requestOf({ ...spec, ...(contextPolicy && { contextPolicy }), budget, executor });
  const result = await run(agent, request, { now });
  const lines = (await store.readRun("r"))!;
  const verdict = verifyLog(lines);
  assert(verdict.ok, verdict.fault?.message);
  return { result, lines, heard: events.heard, log: readLog(lines) };
}

/** The entries of a log that hold an edit or a summary, each kind of entry once. */
function editEntries(lines: readonly string[]): readonly string[] {
  const isOfEdits = lines.map((line) => /"context_edit|"purpose":"summary"/.test(line));
  return [...new Set(shapeOf(lines).filter((_, i) => isOfEdits[i]))];
}

Deno.test("edits are written with the intent or the end that follows: they add no entry and no barrier", async () => {
  const stages = [ELIDE, DROP];
  const edited = await made({ contextPolicy: { ...POLICY, stages } });
  const whole = await made({});
  assert(edited.log.edits.length > 3);
  assertEquals(edited.lines.length, whole.lines.length);
  assertEquals(editEntries(edited.lines), [
    "context_edit model_call_intent",
    "context_edit context_edit model_call_intent",
  ]);
  const summed = await made({ contextPolicy: { ...POLICY, stages: [SUMMARISE] } });
  assertEquals(editEntries(summed.lines), [
    "model_call_intent",
    "model_reply context_edit model_call_intent",
  ]);
  const failed = await made({
    contextPolicy: { ...POLICY, stages: [SUMMARISE, DROP] },
    summary: () => replied(""),
  });
  assertEquals(editEntries(failed.lines), [
    "model_call_intent",
    "model_reply context_edit_failed context_edit model_call_intent",
  ]);
});

Deno.test("edits that leave a prompt too large are written with the end of the run, which says the size after them", async () => {
  const contextPolicy = { ...POLICY, stages: [ELIDE, DROP] };
  const said = (step: number) => step === 8 ? replied(`do ${"y".repeat(400)}`) : acting(step);
  const budget = { maxPromptChars: 600 };
  const { result, lines, log } = await made({ contextPolicy, said, budget });
  assertEquals(result.stopReason, "context_overflow");
  assertEquals(editEntries(lines).at(-1), "context_edit context_edit run_finished");
  const last = log.edits.at(-1);
  assert(last?.type === "context_edit" && last.afterChars > 600);
  assertEquals(log.finished?.promptChars, last.afterChars);
});

/** The events of a step's prompt, from the first edit to the call. */
function eventsOfStep(heard: readonly RunEvent[], step: number): readonly string[] {
  return heard.filter((event) => "stepIndex" in event && event.stepIndex === step)
    .map((event) => "purpose" in event ? `${event.type} (summary)` : event.type).slice(0, 7);
}

Deno.test("a sink hears of edits before the prompt, whose receipt marks what they made and how large that was", async () => {
  for (const toolProtocol of ["text", "native"] as const) {
    const { heard, log } = await made({ toolProtocol, contextPolicy: POLICY });
    const step = log.edits.find(({ stage }) => stage === "summarise")?.stepIndex ?? NaN;
    assertEquals(eventsOfStep(heard, step), [
      "context_edited",
      "model_call_started (summary)",
      "model_call_finished (summary)",
      "context_edited",
      "prompt_assembled",
      "step_started",
      "model_call_started",
    ]);
    for (const [i, { stepIndex, purpose, edits }] of log.calls.entries()) {
      if (purpose !== undefined || edits === 0) continue;
      const receipt = heard.find((event) =>
        event.type === "prompt_assembled" && event.stepIndex === stepIndex
      );
      assert(receipt?.type === "prompt_assembled");
      const { edited, messages, toolsChars } = rebuildCall(log, i);
      const fresh = edited.filter(({ message }) => message >= receipt.sharedMessages);
      const marked = receipt.newMessages.filter(({ editedBy }) => editedBy !== undefined);
      assertEquals(
        marked.map(({ editedBy, originalSize }) => [editedBy, originalSize]),
        fresh.map(({ stage, originalSize }) => [stage, originalSize]),
      );
      assertEquals(receipt.toolsChars, toolsChars);
      assertEquals(receipt.sharedMessages + receipt.newMessages.length, messages.length);
    }
  }
});

Deno.test("a summary counts as a call and by its tokens, not as a step; what it spends may end the run", async () => {
  const contextPolicy = { ...POLICY, stages: [SUMMARISE] };
  const said = (step: number) => replied(`do look at thing ${step}`, 1);
  const summary = () => ({ ...replied("it went on", 500) });
  const tokens = await made({ contextPolicy, said, summary, budget: { maxTotalTokens: 500 } });
  assertEquals(tokens.result.stopReason, "token_budget_exhausted");
  const { counters, summaries } = tokens.log;
  assertEquals([counters.modelCalls, summaries.length], [counters.steps + 1, 1]);
  assertEquals(counters.totalTokens, counters.steps + 500);
  assertEquals(editEntries(tokens.lines).at(-1), "model_reply context_edit run_finished");
  const calls = await made({ contextPolicy, said, summary, budget: { maxModelCalls: 12 } });
  assertEquals(calls.result.stopReason, "model_call_budget_exhausted");
  assertEquals(calls.log.counters.modelCalls, 12);
  assert(calls.log.counters.steps < 12);
});

Deno.test("no summary is begun that the budget of tokens forbids, also where one in the same editing spent it", async () => {
  const contextPolicy = { ...POLICY, stages: [SUMMARISE], pinnedTools: ["the"] };
  const said = (step: number) => replied(step === 2 ? "use the note" : `do look at ${step}`, 1);
  const summary = () => replied("it went on", 500);
  const whole = await made({ contextPolicy, said, summary, budget: { maxSteps: 9 } });
  const [first, second] = whole.log.summaries;
  assertEquals([first?.callId, second?.callId], ["r/s5_c0", "r/s5_c1"]);
  const spent = await made({ contextPolicy, said, summary, budget: { maxTotalTokens: 500 } });
  assertEquals(spent.result.stopReason, "token_budget_exhausted");
  assertEquals(spent.log.summaries.map(({ callId }) => callId), ["r/s5_c0"]);
});

Deno.test("the size of a prompt is that of all that is sent: messages, provider data and, by the native protocol, the tools", async () => {
  const said = (step: number): ModelReply => ({ ...acting(step), providerData: { signed: "🌊" } });
  for (const toolProtocol of ["text", "native"] as const) {
    const { log, heard } = await made({ toolProtocol, said });
    const last = rebuildCall(log, log.calls.length - 1);
    const tools = toolProtocol === "native" ? WORLD_TOOLS.schemaForModel() : [];
    const toolsChars = tools.length === 0 ? 0 : countCodePoints(canonicalJson(tools));
    assertEquals(last.tools, tools);
    assertEquals([last.toolsChars, toolsSize(tools)], [toolsChars, toolsChars]);
    const messages = last.messages.reduce((sum, message) => sum + messageSize(message), 0);
    assertEquals(last.promptChars, messages + toolsChars);
    const signed = last.messages.filter(({ providerData }) => providerData !== undefined);
    assertEquals(signed.length, toolProtocol === "native" ? STEPS : 0);
    for (const message of signed) {
      const { providerData: _, ...bare } = message;
      assertEquals(messageSize(message), messageSize(bare) + [...'{"signed":"🌊"}'].length);
    }
    const receipts = heard.filter((event) => event.type === "prompt_assembled");
    assertEquals(receipts.at(-1)?.promptChars, last.promptChars);
  }
});

/** A value with each of its parts left out, or another in turn. */
function* changesOf(value: unknown): Generator<unknown> {
  if (typeof value === "number") yield* [value + 1, value - 1, 1e6];
  else if (typeof value === "string") yield* [`${value}x`, ""];
  else if (Array.isArray(value)) {
    yield* [[], value.slice(1), [...value, ...value]];
    for (const [i, part] of value.entries()) {
      for (const change of changesOf(part)) yield value.with(i, change);
    }
  } else {
    for (const [key, part] of Object.entries(Object(value))) {
      const { [key]: _, ...others } = Object(value);
      yield others;
      for (const change of changesOf(part)) yield { ...others, [key]: change };
    }
  }
}

/** Whether a record is one of edits or summaries. */
function isOfEdits(record: LogRecord): boolean {
  return record.type.startsWith("context_edit") ||
    ("purpose" in record && record.purpose === "summary");
}

Deno.test("verifyLog() plans every edit again: it finds each change of an edit or a summary, and each that is left out", async () => {
  const failing = { ...POLICY, stages: [SUMMARISE, DROP] };
  const budget = { maxSteps: 9 };
  for (
    const { lines } of [
      await made({ contextPolicy: POLICY, budget }),
      await made({ contextPolicy: failing, summary: () => replied(""), budget }),
    ]
  ) {
    assertEquals(forged(lines, (record) => record), lines);
    const records = recordsOf(lines).flat();
    const chosen = records.keys().filter((i) => isOfEdits(records[i]!)).toArray();
    assert(chosen.length > 2);
    for (const place of chosen) {
      const original = canonicalJson({ ...records[place] });
      for (const change of [undefined, ...changesOf(records[place])]) {
        if (canonicalJson(Object(change)) === original) continue;
        let at = -1;
        const { fault } = verifyLog(
          forged(lines, (record) => ++at === place ? change as object : record),
        );
        assert(fault !== undefined, JSON.stringify(change));
      }
    }
  }
});

Deno.test("verifyLog() finds edits that another policy asks for", async () => {
  const { lines } = await made({ contextPolicy: POLICY });
  for (const [key, value] of Object.entries({ target_chars: "200", trigger_chars: "9999" })) {
    const changed = forged(lines, (record) =>
      record.type === "run_started"
        ? {
          ...record,
          parameters: { ...record.parameters, [`request.context_policy.${key}`]: value },
        }
        : record);
    assertEquals(verifyLog(changed).fault?.code, "prompts", key);
  }
});

Deno.test("verifyLog() finds a call that failed as its prompt was too long, though the policy could shorten it", async () => {
  let left = 1;
  const { lines, log } = await made({
    contextPolicy: { ...POLICY, triggerChars: 9_000, stages: [DROP] },
    said(step) {
      if (step === 4 && left-- > 0) {
        throw new ModelCallError("too long", { kind: "context_length", retriable: false });
      }
      return acting(step);
    },
  });
  const at = shapeOf(lines).findIndex((shape) => shape.startsWith("model_call_withdrawn"));
  const observation = "The last model call failed.";
  const error = log.withdrawals[0]?.error;
  const end = { stepIndex: 4, observation, observationSynthetic: true, durationMs: 0, error };
  const failed = { type: "step", outcome: "model_call_failed", ...end };
  for (const hidden of [["context_edit"], ["context_edit", "model_call_withdrawn"]]) {
    const cut = forged(lines.slice(0, at + 1), (record, seq) => {
      if (seq < at) return record;
      if (record.type === "model_call_intent") return failed;
      return hidden.includes(record.type) ? undefined : record;
    });
    const { fault } = verifyLog(cut);
    assertEquals([fault?.seq, fault?.code], [at, "prompts"], hidden.join());
  }
});
