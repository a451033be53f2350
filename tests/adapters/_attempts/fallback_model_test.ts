import { assertEquals, assertRejects, assertStrictEquals, assertThrows } from "@std/assert";
import { fallbackModel, type FallbackModelOptions } from "../../../adapters/fallback_model.ts";
import { scriptedModel } from "../../../adapters/scripted_model.ts";
import type { ModelDelta, ModelPort } from "../../../ports/mod.ts";
import {
  InvalidRequestError,
  MODEL_CALL_ERROR_KINDS,
  ModelCallError,
  type ModelCallErrorKind,
} from "../../../types/mod.ts";
import { failureOf, modelCall } from "../model_calls.ts";

function failure(kind: ModelCallErrorKind): ModelCallError {
  return new ModelCallError("down", { kind, retriable: false });
}

Deno.test("fallbackModel() asks the first model alone while that replies, and says so", async () => {
  const [a, b] = [scriptedModel(["a"], { name: "a" }), scriptedModel(["b"], { name: "b" })];
  const model = fallbackModel([a, b]);
  assertEquals(await model.call(modelCall()), { text: "a", finishReason: "stop", servedBy: 0 });
  assertEquals(b.calls.length, 0);
  assertEquals(model.parameters(), {
    "0.kind": "scripted",
    "0.name": "a",
    "1.kind": "scripted",
    "1.name": "b",
  });
});

Deno.test("fallbackModel() asks the next model after a failure, and keeps the failure on record", async () => {
  const subAttempts: (string | undefined)[] = [];
  const failing = (error: Error) =>
    scriptedModel(({ subAttempt }) => {
      subAttempts.push(subAttempt);
      return error;
    });
  const model = fallbackModel([
    failing(failure("auth")),
    failing(new TypeError("a bug")),
    scriptedModel(["c"]),
  ]);
  const reply = await model.call(modelCall());
  assertEquals({ text: reply.text, servedBy: reply.servedBy, subAttempts }, {
    text: "c",
    servedBy: 2,
    subAttempts: ["1", "2"],
  });
  const auth = { name: "ModelCallError", message: "down", kind: "auth", retriable: false } as const;
  assertEquals(reply.retries, [
    { error: auth, waitedMs: 0 },
    { error: { name: "TypeError", message: "a bug" }, waitedMs: 0 },
  ]);
});

Deno.test("fallbackModel() asks the next after every kind but bad_request, or after those it is told", async () => {
  const after = async (error: Error, options?: FallbackModelOptions) => {
    const second = scriptedModel(["b"]);
    await fallbackModel([scriptedModel([error]), second], options).call(modelCall())
      .catch((thrown) => assertStrictEquals(thrown, error));
    return second.calls.length === 1;
  };
  for (const kind of MODEL_CALL_ERROR_KINDS) {
    assertEquals(await after(failure(kind)), kind !== "bad_request", kind);
    assertEquals(await after(failure(kind), { kinds: ["auth"] }), kind === "auth", kind);
  }
  assertEquals(await after(new Error("x"), { kinds: ["auth"] }), false);
});

Deno.test("fallbackModel() fails with the last model's error, and those before on record", async () => {
  const model = fallbackModel([
    scriptedModel([failure("auth")]),
    scriptedModel([failure("quota")]),
  ]);
  const error = await failureOf(model);
  assertEquals(error.kind, "quota");
  assertEquals(error.retries?.map((retry) => retry.error.kind), ["auth"]);
});

Deno.test("fallbackModel() asks nobody else after an abort, or once the run is to be suspended", async () => {
  for (const which of ["signal", "draining"] as const) {
    const controller = new AbortController();
    const reason = new Error("enough");
    const error = failure("server");
    const first = scriptedModel(() => {
      controller.abort(reason);
      return error;
    });
    const second = scriptedModel(["b"]);
    const call = modelCall({ [which]: controller.signal });
    const thrown = await assertRejects(() => fallbackModel([first, second]).call(call));
    assertStrictEquals(thrown, which === "signal" ? reason : error);
    assertEquals(second.calls.length, 0);
  }
});

Deno.test("fallbackModel() takes the pieces of a model that failed back", async () => {
  const speaking = (text: string, end: string | Error) =>
    scriptedModel(({ onDelta }) => {
      onDelta?.({ kind: "text", text });
      return end;
    });
  const deltas: ModelDelta[] = [];
  const onDelta = (delta: ModelDelta) => void deltas.push(delta);
  const model = fallbackModel([speaking("a", failure("server")), speaking("b", "b")]);
  await model.call(modelCall({ onDelta }));
  assertEquals(deltas, [
    { kind: "text", text: "a" },
    { kind: "restart" },
    { kind: "text", text: "b" },
  ]);
});

Deno.test("fallbackModel() refuses no models, what is none, and kinds that there are not", () => {
  const one = scriptedModel([]);
  const bad: [() => unknown, string][] = [
    [() => fallbackModel([]), "models"],
    [() => fallbackModel(one as never), "models"],
    [() => fallbackModel([one, {} as ModelPort]), "models[1]"],
    [() => fallbackModel([one], { kinds: "auth" as never }), "kinds"],
    [() => fallbackModel([one], { kinds: ["auth", "audio" as never] }), "kinds[1]"],
  ];
  for (const [refuse, field] of bad) {
    assertEquals(assertThrows(refuse, InvalidRequestError).field, field);
  }
});
