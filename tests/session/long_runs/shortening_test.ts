import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  type ContextPolicy,
  ModelCallError,
  resume,
  run,
  type RunOptions,
  type RunStore,
  RunSuspendedError,
} from "../../../mod.ts";
import type { SummaryFailure } from "../../../types/mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import { suspending, untilTold } from "../suspension/suspending.ts";
import { agentOf, now, requestOf, shapeOf, wordExecutor } from "../world.ts";
import { allRecords, longModel, replied, verifiedLog } from "./long_world.ts";

const TOO_LONG = new ModelCallError("too long", { kind: "context_length", retriable: false });

/** A policy that nothing but a word of the provider's sets off. */
const QUIET: ContextPolicy = {
  triggerChars: 90_000,
  targetChars: 80_000,
  keepLastSteps: 1,
  stages: [{ kind: "drop_steps", notice: "({from}-{to})" }],
};

const SUMMARY: ContextPolicy = {
  ...QUIET,
  triggerChars: 200,
  targetChars: 60,
  stages: [{ kind: "summarise", instruction: "Sum up.", notice: "{summary}", maxSummaryChars: 50 }],
};

const executor = () => wordExecutor();

/** What a run came to. */
async function made(
  model: ReturnType<typeof longModel>,
  contextPolicy: ContextPolicy | undefined,
  options: RunOptions = {},
  budget = {},
  store: RunStore = memoryStore(),
) {
  const request = requestOf({
    executor: executor(),
    ...(contextPolicy && { contextPolicy }),
    budget: { maxConsecutiveFailures: 1, ...budget },
    cancelGraceMs: 1,
  });
  const driven = (await store.readRun("r")) === null ? run : resume;
  const result = await driven(agentOf(model, { store }), request, { now, ...options });
  return { result, store, log: await verifiedLog(store) };
}

/** Says that a prompt is too long for as many times as asked, at a step. */
function tooLongAt(step: number, times: number) {
  let left = times;
  return longModel((at) => {
    if (at === step && left-- > 0) throw TOO_LONG;
    return replied(at >= 6 ? "answer done" : `do thing ${at} ${"y".repeat(20)}`);
  });
}

Deno.test("a prompt that is too long for the model is edited once, and the call made again", async () => {
  for (const onModelFailure of ["record", "suspend"] as const) {
    const { result, log, store } = await made(tooLongAt(4, 1), QUIET, { onModelFailure });
    assertEquals(result.stopReason, "final_answer");
    assertEquals(result.steps[4]?.modelAttempts, 2);
    assertEquals(log.edits.map(({ stepIndex }) => stepIndex), [4]);
    const [edit] = log.edits;
    assert(edit?.type === "context_edit" && edit.afterChars <= edit.beforeChars / 2);
    assertEquals(result.steps[4]?.promptChars, edit.afterChars);
    const entry = "model_call_withdrawn context_edit model_call_intent";
    assert(shapeOf(await store.readRun("r")).includes(entry));
  }
});

Deno.test("one that is too long again has failed, also where failures suspend; so has one that cannot be edited", async () => {
  for (const onModelFailure of ["record", "suspend"] as const) {
    const again = await made(tooLongAt(4, 2), QUIET, { onModelFailure });
    assertEquals(again.result.stopReason, "model_call_failed");
    assertEquals(again.result.steps[4]?.error?.kind, "context_length");
    const first = await made(tooLongAt(0, 1), QUIET, { onModelFailure });
    // Both steps are kept; after the failed one the first would not be.
    const kept = await made(tooLongAt(2, 1), { ...QUIET, keepLastSteps: 2 }, { onModelFailure });
    for (const { result, store } of [first, kept]) {
      assertEquals(result.stopReason, "model_call_failed");
      assertEquals(
        (await allRecords(store)).filter(({ type }) => type === "model_call_withdrawn"),
        [],
      );
    }
  }
  await assertRejects(
    () => made(tooLongAt(4, 1), undefined, { onModelFailure: "suspend" }),
    RunSuspendedError,
  );
});

Deno.test("a summary that fails leaves the prompt as it is, and is not tried until that has grown", async () => {
  const failures:
    readonly (readonly [SummaryFailure, () => Promise<ReturnType<typeof replied>>])[] = [
      ["call_failed", () => Promise.reject(new Error("down"))],
      ["empty", () => Promise.resolve(replied(" \n"))],
      ["too_long", () => Promise.resolve(replied("z".repeat(51)))],
      [
        "unusable_reply",
        () => Promise.resolve({ ...replied("cut"), finishReason: "length" as const }),
      ],
      ["unusable_reply", () =>
        Promise.resolve({
          ...replied("x"),
          toolCalls: [{ name: "a", arguments: {}, rawArguments: "{}" }],
        })],
    ];
  for (const [reason, summary] of failures) {
    const model = longModel(
      (at) => replied(at >= 14 ? "answer done" : `do thing ${at} ${"y".repeat(20)}`),
      summary,
    );
    const { result, log } = await made(model, SUMMARY);
    assertEquals(result.stopReason, "final_answer", reason);
    assert(log.edits.length >= 2 && log.edits.length < 8, `${log.edits.length}`);
    for (const edit of log.edits) assertEquals("reason" in edit && edit.reason, reason);
    const prompts = result.steps.map(({ promptChars }) => promptChars);
    assertEquals(prompts, [...prompts].sort((a, b) => a - b));
  }
});

Deno.test("no summary is begun with the last call, and none that fits no prompt", async () => {
  const model = () => longModel((at) => replied(`do thing ${at} ${"y".repeat(20)}`));
  const calls = await made(model(), SUMMARY, {}, { maxModelCalls: 4 });
  assertEquals(calls.result.stopReason, "model_call_budget_exhausted");
  assertEquals(calls.result.steps.length, 4);
  assertEquals(calls.log.edits.map((edit) => "reason" in edit && edit.reason), ["too_few_calls"]);
  const large = await made(model(), SUMMARY, {}, { maxPromptChars: 210 });
  assert(large.log.edits.some((edit) => "reason" in edit && edit.reason === "prompt_too_large"));
  assertEquals(large.result.stopReason, "context_overflow");
});

Deno.test("a summary may be suspended, fail of an outage and be cancelled: it is made again, or has failed", async () => {
  const store = memoryStore();
  const said = (at: number) =>
    replied(at >= 6 ? "answer done" : `do thing ${at} ${"y".repeat(20)}`);
  const { abort, options } = suspending();
  const cut = longModel(said, ({ signal }) => (abort(), untilTold(signal)));
  await assertRejects(() => made(cut, SUMMARY, options, {}, store), RunSuspendedError);
  assertEquals((await verifiedLog(store)).openSummary?.isWithdrawn, true);
  const down = longModel(said, () => Promise.reject(new Error("down")));
  const outage = { onModelFailure: "suspend" } as const;
  await assertRejects(() => made(down, SUMMARY, outage, {}, store), RunSuspendedError);
  const signal = AbortSignal.abort("stop");
  const copy = memoryStore();
  for (const [seq, line] of ((await store.readRun("r")) ?? []).entries()) {
    const { prev, hash } = JSON.parse(line);
    await (seq === 0 ? copy.startRun : copy.writeOutcome)("r", { seq, prev, hash, line });
  }
  const stopped = await made(longModel(said), SUMMARY, { signal, onAbort: "finish" }, {}, copy);
  assertEquals(stopped.result.stopReason, "cancelled");
  const model = longModel(said);
  const { result, log } = await made(model, SUMMARY, {}, {}, store);
  assertEquals(result.stopReason, "final_answer");
  assertEquals(model.calls[0]?.attempt, 3);
  const summaries = log.calls.filter(({ purpose }) => purpose === "summary");
  assertEquals(new Set(summaries.slice(0, 3).map(({ callId }) => callId)).size, 1);
});

Deno.test("a run that is cancelled in a summary says so, and names the call that may go on", async () => {
  const controller = new AbortController();
  const said = (at: number) => replied(`do thing ${at} ${"y".repeat(20)}`);
  const model = longModel(said, () => {
    controller.abort("stop");
    return new Promise(() => {});
  });
  const options = { signal: controller.signal, onAbort: "finish" } as const;
  const { result, log } = await made(model, SUMMARY, options);
  assertEquals(result.stopReason, "cancelled");
  assertEquals(log.edits.map((edit) => "reason" in edit && edit.reason), ["cancelled"]);
  assertEquals(log.finished?.abandoned, model.calls.slice(-1).map(({ callId }) => callId));
});

Deno.test("a prompt is held to its input tokens by estimate, once a reply reported any", async () => {
  const usage = (tokens: number) =>
    longModel((at) =>
      replied(at >= 9 ? "answer done" : `do thing ${at}`, tokens === 0 ? 0 : tokens + 30 * at)
    );
  const free = await made(usage(0), undefined, {}, { maxInputTokens: 1 });
  assertEquals(free.result.stopReason, "final_answer");
  const held = await made(usage(10), undefined, {}, { maxInputTokens: 120 });
  assertEquals(held.result.stopReason, "context_overflow");
  assert(held.result.steps.length > 2);
  const tokens: ContextPolicy = { ...QUIET, triggerTokens: 100 };
  const edited = await made(usage(10), tokens, {}, {});
  assert(edited.log.edits.length > 0);
});

Deno.test("a prompt of more input tokens than the budget has is edited, also where the policy names no trigger of tokens", async () => {
  const model = longModel((at, { messages }) =>
    replied(at >= 12 ? "answer done" : `do thing ${at}`, 10 * messages.length)
  );
  const { result, log } = await made(model, QUIET, {}, { maxInputTokens: 120 });
  assertEquals(result.stopReason, "final_answer");
  assert(log.edits.length > 0);
});
