/**
 * A model that asks the next of several when one fails: another server, another provider, a smaller model.
 *
 * @example
 * ```ts
 * import { chatCompletionsModel } from "@polyloop/polyloop/adapters/chat-completions-model";
 * import { fallbackModel } from "@polyloop/polyloop/adapters/fallback-model";
 * import { assertEquals } from "@std/assert";
 *
 * const near = chatCompletionsModel({ baseUrl: "http://localhost:11434/v1", model: "qwen3" });
 * const far = chatCompletionsModel({ baseUrl: "https://models.example/v1", model: "large" });
 * assertEquals(fallbackModel([near, far]).parameters()["1.model"], "large");
 * ```
 *
 * @module
 */
import type { ModelPort } from "../ports/mod.ts";
import {
  InvalidRequestError,
  MODEL_CALL_ERROR_KINDS,
  ModelCallError,
  type ModelCallErrorKind,
  refuseUnknownFields,
} from "../types/mod.ts";
import { checkModelPort } from "./_attempts/check_model_port.ts";
import { ModelAttempts } from "./_attempts/model_attempts.ts";

/** When a {@link fallbackModel} asks the next model. */
export interface FallbackModelOptions {
  /**
   * The kinds of failure after which the next model is asked. Absent: every kind but `bad_request`, and any error that
   * is no {@link ModelCallError}.
   */
  readonly kinds?: readonly ModelCallErrorKind[];
}

/**
 * A model that asks the first of several, and the next one when that fails in a way that another server may not. Each
 * call begins with the first. The reply's `servedBy` says which one replied, by its place from 0; the failures before
 * are its `retries`, or those of the error of the last model.
 *
 * After pieces of a model that failed, `onDelta` gets a restart. Nothing is asked after an abort, nor after the run is
 * to be suspended. `providerData` goes back to the model that wrote it, and to no other: the HTTP adapters see to it.
 *
 * `parameters()` are `<i>.<name>` for every model, so adding one is drift.
 *
 * @throws {InvalidRequestError} If there is no model, one is none, or an option is not as it must be.
 */
export function fallbackModel(
  models: readonly ModelPort[],
  options: FallbackModelOptions = {},
): ModelPort {
  const members = checkedModels(models);
  const falls = fallsAfter(options);
  return {
    async call(call) {
      const attempts = new ModelAttempts(call);
      for (const [servedBy, model] of members.entries()) {
        try {
          return { ...await attempts.make(model), servedBy };
        } catch (error) {
          call.signal.throwIfAborted();
          const isLast = servedBy === members.length - 1;
          if (isLast || !falls(error) || !attempts.mayGoOn) throw attempts.end(error);
          attempts.failed(error, 0);
        }
      }
      throw new TypeError("Cannot ask any model as there is none"); // the check above has seen to it
    },
    parameters: () =>
      Object.fromEntries(
        members.flatMap((model, i) =>
          Object.entries(model.parameters()).map(([name, value]) => [`${i}.${name}`, value])
        ),
      ),
  };
}

function checkedModels(models: readonly ModelPort[]): readonly ModelPort[] {
  if (!Array.isArray(models) || models.length === 0) {
    throw new InvalidRequestError("models", models, "it must be an array of one model or more");
  }
  for (const [i, model] of models.entries()) checkModelPort(`models[${i}]`, model);
  return [...models];
}

/** Whether the next model is asked after an error. */
function fallsAfter(options: FallbackModelOptions): (error: unknown) => boolean {
  refuseUnknownFields<FallbackModelOptions>(options, { kinds: true });
  const { kinds } = options;
  if (kinds === undefined) {
    return (error) => !(error instanceof ModelCallError) || error.kind !== "bad_request";
  }
  if (!Array.isArray(kinds)) throw new InvalidRequestError("kinds", kinds, "it must be an array");
  for (const [i, kind] of kinds.entries()) {
    if (MODEL_CALL_ERROR_KINDS.includes(kind)) continue;
    throw new InvalidRequestError(`kinds[${i}]`, kind, "there is no such kind of failure");
  }
  const chosen = new Set(kinds);
  return (error) => error instanceof ModelCallError && chosen.has(error.kind);
}
