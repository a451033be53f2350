/**
 * A model that answers as one did in a recorded run, and takes nothing but the prompts of that run: for tests of an agent
 * without a key and a network, which fail as soon as a prompt is another.
 *
 * @example
 * ```ts
 * import { jsonActionInterpreter } from "@polyloop/polyloop/adapters/json-action-interpreter";
 * import { recordedModel } from "@polyloop/polyloop/adapters/recorded-model";
 * import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
 * import { defineAgent, defineRun, readLog, recordedCalls, run } from "@polyloop/polyloop/session";
 * import { memoryStore } from "@polyloop/polyloop/stores/memory";
 * import { textMessage } from "@polyloop/polyloop/types";
 * import { assertEquals } from "@std/assert";
 *
 * const request = (question: string) =>
 *   defineRun({
 *     runId: "asked",
 *     budget: { maxSteps: 3, maxModelCalls: 3, maxPromptChars: 10_000, maxConsecutiveFailures: 1 },
 *     executor: { execute: () => Promise.reject(new Error("no actions")), parameters: () => ({}) },
 *     context: { runLevel: [], goalLevel: [textMessage("user", question)] },
 *   });
 * const interpreter = jsonActionInterpreter();
 * const store = memoryStore();
 * const model = scriptedModel(['{"final_answer": 42}']);
 * await run(defineAgent({ model, interpreter, store }), request("6 × 7?"));
 *
 * const calls = recordedCalls(readLog((await store.readRun("asked"))!));
 * const again = (question: string) => {
 *   const recorded = recordedModel(calls);
 *   const agent = defineAgent({ model: recorded, interpreter, store: memoryStore() });
 *   return run(agent, request(question)).then(({ answer }) => ({ answer, recorded }));
 * };
 * assertEquals((await again("6 × 7?")).answer, 42);
 * const { recorded } = await again("6 × 8?");
 * assertEquals(recorded.mismatch?.path, "messages[0].content[0].text");
 * ```
 *
 * @module
 */
import type { ModelCall, ModelPort, RecordedCall } from "../ports/mod.ts";
import {
  copyField,
  type KnownFields,
  mapShape,
  type Message,
  ModelCallError,
  refuseUnknownFields,
  requireArray,
  stringShape,
} from "../types/mod.ts";
import { mismatchIn, mismatchText, type RecordedMismatch } from "./_recorded/mismatch.ts";
import { thrownAgain } from "./_recorded/thrown_again.ts";

export type { RecordedMismatch } from "./_recorded/mismatch.ts";

/** A model that answers as one did in a recorded run. */
export interface RecordedModel extends ModelPort {
  /** The first call that was not the recorded one; `undefined` if there was none yet. */
  readonly mismatch: RecordedMismatch | undefined;
  /** The keys of the recorded calls that were not made yet, in order. */
  readonly unused: readonly string[];
}

/** Options of {@link recordedModel}. */
export interface RecordedModelOptions {
  /**
   * What it reports of its configuration: `log.settings.model` has the new run record what the old one did.
   *
   * By default: that its kind is `recorded`.
   */
  readonly parameters?: Readonly<Record<string, string>>;
}

const OPTIONS: KnownFields<RecordedModelOptions> = { parameters: true };

/**
 * A model that gives the recorded replies, and throws again what was thrown. It is strict: a call whose messages, tools
 * or binding are not the recorded ones, to the last character, is refused; so is one that is not on record. It never asks
 * another model. It remembers nothing but what was asked, so a call may be made again, as after a crash.
 *
 * Its `call` rejects with a {@link ModelCallError} of the kind `bad_request` that names the first place that differs and
 * shows both. A run records that as a failed call and goes on: look at `mismatch` and `unused` after it, or take
 * `replayRun` of `./contract`, which does.
 *
 * @param calls What `recordedCalls` gives.
 * @throws {InvalidRequestError} If there is no array of calls, or no option of a name.
 */
export function recordedModel(
  calls: readonly RecordedCall[],
  options: RecordedModelOptions = {},
): RecordedModel {
  requireArray("calls", calls);
  refuseUnknownFields(options, OPTIONS);
  const recordings = Map.groupBy(
    [...calls],
    (call, i) => copyField(`calls[${i}].key`, Object(call).key, stringShape),
  );
  const { parameters = { kind: "recorded" } } = options;
  const reported = copyField("options.parameters", parameters, mapShape(stringShape));
  const unused = new Set(calls);
  let mismatch: RecordedMismatch | undefined;
  const refusal = (found: RecordedMismatch) => {
    mismatch ??= found;
    return new ModelCallError(mismatchText(found), { kind: "bad_request", retriable: false });
  };
  return {
    // deno-lint-ignore require-await -- what it throws is a rejection
    async call(call) {
      call.signal.throwIfAborted();
      const key = call.callId.slice(call.callId.indexOf("/") + 1);
      const all = recordings.get(key) ?? [];
      const part = (recorded: RecordedCall) => mismatchIn(key, sent(recorded), sent(call));
      const expected = all.find((each) => unused.has(each)) ?? all.at(-1);
      const recorded = all.find((each) => part(each) === undefined);
      if (recorded === undefined) {
        const missing = { key, recorded, now: call.callId };
        throw refusal(expected === undefined ? missing : part(expected) ?? missing);
      }
      unused.delete(recorded);
      if (recorded.error !== undefined) throw thrownAgain(recorded.error);
      return recorded.reply;
    },
    parameters: () => reported,
    get mismatch() {
      return mismatch;
    },
    get unused() {
      return [...unused].map(({ key }) => key);
    },
  };
}

/** What of a call a model is sent: where a message comes from is no part of it. */
function sent(
  { messages, tools, binding }: Pick<ModelCall, "messages" | "tools" | "binding">,
): Readonly<Record<string, unknown>> {
  const told = messages.map(({ role, content, providerData }: Message) => ({
    role,
    content,
    providerData,
  }));
  return { messages: told, tools, binding };
}
