/**
 * A model that says what a script says: for tests, demos and teaching.
 *
 * @example
 * ```ts
 * import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
 * import { assertEquals } from "@std/assert";
 *
 * const model = scriptedModel(["the first", { toolCalls: [{ name: "look", arguments: { at: 3 } }] }]);
 * const call = {
 *   callId: "r1/s0",
 *   attempt: 1,
 *   messages: [],
 *   binding: {},
 *   signal: new AbortController().signal,
 *   draining: new AbortController().signal,
 * };
 * assertEquals(await model.call(call), { text: "the first", finishReason: "stop" });
 * assertEquals((await model.call(call)).toolCalls?.[0]?.rawArguments, '{"at":3}');
 * assertEquals(model.calls[0]?.callId, "r1/s0");
 * ```
 *
 * @module
 */
import type { ModelCall, ModelPort } from "../ports/mod.ts";
import {
  deepFreeze,
  InvalidRequestError,
  type KnownFields,
  type ModelReply,
  present,
  refuseUnknownFields,
  type ReplyToolCall,
} from "../types/mod.ts";

/** A tool call of a scripted reply. Its raw arguments may be left out: they are then written from the arguments. */
export type ScriptedToolCall =
  & Omit<ReplyToolCall, "rawArguments">
  & Partial<Pick<ReplyToolCall, "rawArguments">>;

/**
 * What a script says in one call: a string, the parts of a reply that matter (its text is empty if left out), or an
 * error to throw.
 */
export type ScriptedReply =
  | string
  | (Partial<Omit<ModelReply, "toolCalls">> & { readonly toolCalls?: readonly ScriptedToolCall[] })
  | Error;

/** What a scripted model was asked, deep-frozen. */
export type ScriptedCall = Readonly<
  Omit<ModelCall, "signal" | "draining" | "subAttempt" | "onDelta">
>;

/** A model that says what a script says, and remembers what it was asked. */
export interface ScriptedModel extends ModelPort {
  /** What it was asked so far, in order. */
  readonly calls: readonly ScriptedCall[];
}

/** Options of {@link scriptedModel}. */
export interface ScriptedModelOptions {
  /**
   * The script's name, a parameter of the run: change it with the script, and a resume refuses the other script.
   * Absent: no such parameter.
   */
  readonly name?: string;
}

const OPTIONS: KnownFields<ScriptedModelOptions> = { name: true };

/**
 * A model that answers from a script: an array of replies, one for each call, or a function of the call and its index
 * from 0. With an array, runs at the same time would take turns in it: give them a function.
 *
 * Its `call` rejects with an `Error` of the script, with the signal's reason once that is aborted, and with a
 * `RangeError` after the last reply of an array.
 *
 * @throws {InvalidRequestError} If the script is neither an array nor a function, or there is no option of a name.
 */
export function scriptedModel(
  script:
    | readonly ScriptedReply[]
    | ((call: ModelCall, index: number) => ScriptedReply | Promise<ScriptedReply>),
  options: ScriptedModelOptions = {},
): ScriptedModel {
  refuseUnknownFields(options, OPTIONS);
  if (typeof script !== "function" && !Array.isArray(script)) {
    throw new InvalidRequestError(
      "script",
      script,
      "it must be an array of replies, or a function",
    );
  }
  const { name } = options;
  const asked: ScriptedCall[] = [];
  return {
    async call(call) {
      call.signal.throwIfAborted();
      const { callId, attempt, messages, tools, binding } = call;
      const index = asked.push(Object.freeze(present({
        callId,
        attempt,
        messages: frozen(messages),
        tools: frozen(tools),
        binding: frozen(binding),
      }))) - 1;
      const said = typeof script === "function" ? await script(call, index) : script[index];
      if (said === undefined) {
        throw new RangeError(
          `Cannot answer call ${index} as the script has only ${script.length}: add a reply`,
        );
      }
      if (said instanceof Error) throw said;
      return scriptedReply(said);
    },
    parameters: () => ({ kind: "scripted", ...(name !== undefined && { name }) }),
    get calls() {
      return Object.freeze([...asked]);
    },
  };
}

/** What a run hands over is frozen; what somebody else does is copied, not frozen under his hands. */
function frozen<T>(value: T): T {
  return Object.isFrozen(value) ? value : deepFreeze(structuredClone(value));
}

function scriptedReply(said: Exclude<ScriptedReply, Error>): ModelReply {
  if (typeof said === "string") return { text: said, finishReason: "stop" };
  const { toolCalls, ...parts } = said;
  return present({
    text: "",
    ...parts,
    toolCalls: toolCalls?.map((call) => ({
      rawArguments: JSON.stringify(call.arguments),
      ...call,
    })),
  });
}
