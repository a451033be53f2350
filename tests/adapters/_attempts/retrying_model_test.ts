import { assert, assertEquals, assertRejects, assertStrictEquals, assertThrows } from "@std/assert";
import { retryingModel, type RetryingModelOptions } from "../../../adapters/retrying_model.ts";
import { scriptedModel, type ScriptedReply } from "../../../adapters/scripted_model.ts";
import type { ModelCall, ModelDelta, ModelPort } from "../../../ports/mod.ts";
import {
  InvalidRequestError,
  ModelCallError,
  type ModelCallErrorDetails,
} from "../../../types/mod.ts";
import { failureOf, modelCall } from "../model_calls.ts";

function failure(details: Partial<ModelCallErrorDetails> = {}, message = "down"): ModelCallError {
  return new ModelCallError(message, { kind: "server", retriable: true, ...details });
}

/** A model with a script behind a patience whose waits are written down rather than waited. */
function patient(script: readonly ScriptedReply[], options: RetryingModelOptions = {}) {
  const waits: number[] = [];
  const inner = scriptedModel(script, { name: "inner" });
  const sleep = (ms: number) => Promise.resolve(void waits.push(ms));
  return { waits, inner, model: retryingModel(inner, { random: () => 0.5, sleep, ...options }) };
}

const said = { name: "ModelCallError", message: "down", kind: "server", retriable: true } as const;

Deno.test("retryingModel() gives the reply of a first attempt as it is", async () => {
  const { model, waits } = patient(["hello"]);
  assertEquals(await model.call(modelCall()), { text: "hello", finishReason: "stop" });
  assertEquals([model.parameters(), waits], [{ kind: "scripted", name: "inner" }, []]);
});

Deno.test("retryingModel() asks again, waits twice as long each time, and says what it did", async () => {
  const script = [failure(), failure(), failure(), failure(), "hello"];
  const { model, waits, inner } = patient(script, { baseDelayMs: 100, maxDelayMs: 500 });
  const reply = await model.call(modelCall());
  assertEquals(waits, [50, 100, 200, 250]);
  assertEquals(reply.text, "hello");
  assertEquals(reply.retries, waits.map((waitedMs) => ({ error: said, waitedMs })));
  assertEquals(new Set(inner.calls.map(({ callId, attempt }) => `${callId} ${attempt}`)).size, 1);
});

Deno.test("retryingModel() waits as long as the server asks", async () => {
  const { model, waits } = patient([failure({ retryAfterMs: 60_000 }), "hello"]);
  await model.call(modelCall());
  assertEquals(waits, [60_000]);
});

Deno.test("retryingModel() takes a time that is none for no wish of the server's", async () => {
  for (const retryAfterMs of [NaN, -1, "soon"] as number[]) {
    const { model, waits } = patient([failure({ retryAfterMs }), "hello"]);
    const { retries } = await model.call(modelCall());
    assertEquals([waits, retries], [[250], [{ error: said, waitedMs: 250 }]]);
  }
});

Deno.test("retryingModel() refuses a random number that is none, rather than to wait for it", async () => {
  for (const number of [NaN, -0.1, 1.1, "0.5" as never]) {
    const { model, waits } = patient([failure(), "hello"], { random: () => number });
    const error = await assertRejects(() => model.call(modelCall()), InvalidRequestError);
    assertEquals([error.field, waits], ["random", []]);
  }
});

Deno.test("retryingModel() numbers its requests, also inside another", async () => {
  const heard: (string | undefined)[] = [];
  const counting = scriptedModel((call, i) => {
    heard.push(call.subAttempt);
    return i % 3 === 2 ? "hello" : failure();
  });
  const sleep = () => Promise.resolve();
  await retryingModel(counting, { sleep }).call(modelCall());
  await retryingModel(retryingModel(counting, { sleep, maxAttempts: 2 }), { sleep })
    .call(modelCall());
  assertEquals(heard, ["1", "2", "3", "1.1", "1.2", "2.1"]);
});

Deno.test("retryingModel() gives up after its attempts, with all but the last on record", async () => {
  const { model, waits, inner } = patient([1, 2, 3].map(() => failure({ status: 503 })), {
    maxAttempts: 3,
  });
  const error = await failureOf(model);
  assertEquals({ calls: inner.calls.length, waits: waits.length, retries: error.retries?.length }, {
    calls: 3,
    waits: 2,
    retries: 2,
  });
  assertEquals({ message: error.message, kind: error.kind, status: error.status }, {
    message: "down",
    kind: "server",
    status: 503,
  });
});

Deno.test("retryingModel() does not ask again what cannot get better", async () => {
  for (const error of [failure({ retriable: false }), new TypeError("a bug")]) {
    const { model, inner } = patient([error, "hello"]);
    assertStrictEquals(await assertRejects(() => model.call(modelCall())), error);
    assertEquals(inner.calls.length, 1);
  }
  const { model } = patient([failure(), failure({ retriable: false, kind: "auth" }), "hello"]);
  const { kind, retriable, retries } = await failureOf(model);
  assertEquals({ kind, retriable, retries: retries?.length }, {
    kind: "auth",
    retriable: false,
    retries: 1,
  });
});

Deno.test("retryingModel() fails at once where the waits would go beyond maxTotalMs, naming it", async () => {
  const script = [failure({ retryAfterMs: 700 }), failure({ retryAfterMs: 301 }), "hello"];
  const { model, waits } = patient(script, { maxTotalMs: 1_000 });
  const error = await failureOf(model);
  assertEquals({ waits, kind: error.kind, retriable: error.retriable }, {
    waits: [700],
    kind: "server",
    retriable: true,
  });
  assertEquals(
    error.message,
    "down; no further attempt, as a wait of 301 ms after 700 ms of waits is longer than maxTotalMs allows: 1000",
  );
  const just = patient([failure({ retryAfterMs: 700 }), failure({ retryAfterMs: 300 }), "hello"], {
    maxTotalMs: 1_000,
  });
  assertEquals((await just.model.call(modelCall())).text, "hello");
});

Deno.test("retryingModel() takes pieces back before the next attempt, and hears no late ones", async () => {
  let late: ModelCall["onDelta"];
  const speaking = scriptedModel(({ onDelta }, i) => {
    late?.({ kind: "text", text: "late" });
    late = onDelta;
    if (i !== 1) onDelta?.({ kind: "text", text: `piece ${i}` });
    return i === 2 ? "piece 2" : failure();
  });
  const deltas: ModelDelta[] = [];
  const onDelta = (delta: ModelDelta) => void deltas.push(delta);
  await retryingModel(speaking, { sleep: () => Promise.resolve() }).call(modelCall({ onDelta }));
  late?.({ kind: "text", text: "late" });
  assertEquals(deltas, [
    { kind: "text", text: "piece 0" },
    { kind: "restart" },
    { kind: "text", text: "piece 2" },
  ]);
});

/** What became of a call that is interrupted while it waits for its next attempt. */
async function interruptedWait(
  which: "signal" | "draining",
  sleep?: RetryingModelOptions["sleep"],
) {
  const controller = new AbortController();
  const reason = new Error("enough");
  const inner: ModelPort = scriptedModel((_, i) => {
    queueMicrotask(() => setTimeout(() => controller.abort(reason), 0));
    return i === 0 ? failure() : "hello";
  });
  const options = { baseDelayMs: 100_000, maxDelayMs: 100_000, random: () => 0.9 };
  const model = retryingModel(inner, { ...options, ...(sleep && { sleep }) });
  const call = model.call(modelCall({ [which]: controller.signal }));
  return { error: await assertRejects(() => call), reason };
}

Deno.test("retryingModel() ends a wait at once on an abort, with the signal's reason", async () => {
  const { error, reason } = await interruptedWait("signal");
  assertStrictEquals(error, reason);
});

Deno.test("retryingModel() begins no attempt once the run is to be suspended", async () => {
  const { error } = await interruptedWait("draining");
  assert(error instanceof ModelCallError && error.retries === undefined);
  const draining = AbortSignal.abort();
  const { model, inner, waits } = patient([failure(), "hello"]);
  await assertRejects(() => model.call(modelCall({ draining })), ModelCallError, "down");
  assertEquals({ calls: inner.calls.length, waits }, { calls: 1, waits: [] });
});

Deno.test("retryingModel() refuses what is no model, and options out of their bounds", () => {
  const bad: [RetryingModelOptions, string][] = [
    [{ maxAttempts: 0 }, "maxAttempts"],
    [{ baseDelayMs: -1 }, "baseDelayMs"],
    [{ maxDelayMs: NaN }, "maxDelayMs"],
    [{ maxTotalMs: 2 ** 31 }, "maxTotalMs"],
    [{ random: 5 as never }, "random"],
    [{ sleep: null as never }, "sleep"],
  ];
  for (const [options, field] of bad) {
    const refuse = () => retryingModel(scriptedModel([]), options);
    assertEquals(assertThrows(refuse, InvalidRequestError).field, field);
  }
  for (const model of [null, undefined, {}, { call() {} }, "x"]) {
    const refuse = () => retryingModel(model as never);
    assertEquals(assertThrows(refuse, InvalidRequestError).field, "model");
  }
});
