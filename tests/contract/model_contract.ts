import type { ModelCall, ModelPort } from "../../ports/mod.ts";
import {
  type Message,
  type ModelReply,
  modelReplyShape,
  textMessage,
  type ToolSchema,
} from "../../types/mod.ts";
import { expect, expectEqual } from "./_expect.ts";
import { hostileTexts } from "./_hostile_texts.ts";
import { checkModelOptions, type ModelContractOptions } from "./_model_options.ts";
import {
  DEFAULT_GRACE_MS,
  expectShape,
  expectUnchanged,
  frozen,
  nextTurn,
  parametersCases,
  portCase,
  type PortSource,
  resolved,
  settledWithin,
  started,
} from "./_port_bench.ts";
import type { ContractCase } from "./contract_case.ts";

export type { ModelContractOptions } from "./_model_options.ts";

/**
 * The contract of a {@link ModelPort} as an array of cases: parameters, the reply's form, prompts of every kind, hostile
 * texts, what it must not change, the pieces of a reply, calls at the same time, aborts, and as far as the hooks are
 * given calls without an answer and calls that fail.
 *
 * @example
 * ```ts
 * import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
 * import { modelContract } from "@polyloop/polyloop/contract";
 *
 * const cases = modelContract({ makeModel: () => scriptedModel(() => "It is 4.") });
 * for (const { name, run } of cases) {
 *   Deno.test(`my model: ${name}`, run);
 * }
 * ```
 *
 * @throws {InvalidRequestError} If an option is not as it must be, or there is none of its name.
 */
export function modelContract<M extends ModelPort>(
  options: ModelContractOptions<M>,
): readonly ContractCase[] {
  checkModelOptions(options);
  const { makeModel, makeSilentModel, makeFailingModel, expectedText, dispose } = options;
  const graceMs = options.graceMs ?? DEFAULT_GRACE_MS;
  const source = (make: () => M | Promise<M>): PortSource<M> => ({ make, dispose });
  return [
    ...parametersCases(source(makeModel), (model) => replyOf(model, userCall("Hello."))),
    ...promptCases(source(makeModel)),
    ...togetherCases(source(makeModel), graceMs, expectedText),
    ...(makeSilentModel === undefined ? [] : silentCases(source(makeSilentModel), graceMs)),
    ...(makeFailingModel === undefined ? [] : [failingCase(source(makeFailingModel))]),
  ];
}

function promptCases<M extends ModelPort>(models: PortSource<M>): readonly ContractCase[] {
  return [
    portCase(models, "call() gives a reply of the right form", async (model) => {
      await replyOf(model, userCall("How many wells are there?"));
    }),
    portCase(
      models,
      "call() takes messages of every kind, and tools, all frozen",
      async (model) => {
        await replyOf(model, modelCall({ messages: everyMessage(), tools: everyTool() }));
      },
    ),
    portCase(models, "call() changes nothing of what it is given", async (model) => {
      const given = modelCall({ messages: everyMessage(), tools: everyTool() });
      const { signal, draining, ...parts } = given;
      const ask = (copy: typeof parts) => replyOf(model, { ...copy, signal, draining });
      await expectUnchanged(parts, "the call", ask);
    }),
    portCase(models, "call() of a hostile text gives a reply or rejects", async (model) => {
      for (const text of hostileTexts()) {
        const messages = [textMessage("system", text), textMessage("user", text)];
        const what = `call() of the text ${JSON.stringify(text.slice(0, 40))}`;
        const [end] = await Promise.allSettled([
          started(() => model.call(modelCall({ messages })), what),
        ]);
        if (end.status === "fulfilled") {
          expectShape(end.value, modelReplyShape, `the reply of ${what}`);
        }
      }
    }),
    portCase(models, "call() is made again with the same id", async (model) => {
      await replyOf(model, userCall("Once.", { attempt: 1 }));
      await replyOf(model, userCall("Once.", { attempt: 2 }));
    }),
    portCase(models, "call() tells the reply in pieces, and none after it", async (model) => {
      const pieces: unknown[] = [];
      const onDelta = (piece: unknown): void => void pieces.push(piece);
      const reply = await replyOf(model, userCall("Tell me more.", { onDelta }));
      const told = pieces.length;
      expectPieces(pieces, reply);
      await nextTurn();
      expectEqual(pieces.length, told, "how many pieces there are some time after the reply");
    }),
  ];
}

function togetherCases<M extends ModelPort>(
  models: PortSource<M>,
  graceMs: number,
  expectedText: ((prompt: string) => string) | undefined,
): readonly ContractCase[] {
  const cases = [
    portCase(models, "call() settles if the signal was aborted before", async (model) => {
      const what = "call() with an aborted signal";
      const call = userCall("Too late.", { signal: AbortSignal.abort() });
      const end = await settledWithin(graceMs, started(() => model.call(call), what), what);
      if (end.status === "fulfilled") {
        expectShape(end.value, modelReplyShape, `the reply of ${what}`);
      }
    }),
    portCase(models, "call() is not harmed by the abort of another call", async (model) => {
      const [first, second] = [new AbortController(), new AbortController()];
      const given = started(
        () => model.call(userCall("One.", signalOf(first))),
        "the call to be aborted",
      );
      const other = replyOf(model, userCall("Two.", signalOf(second)));
      first.abort();
      await Promise.allSettled([given]);
      await other;
      second.abort();
      await replyOf(model, userCall("Three."));
    }),
  ];
  if (expectedText !== undefined) {
    cases.push(
      portCase(models, "call() at the same time as others mixes nothing", async (model) => {
        const prompts = Array.from({ length: 12 }, (_, i) => `prompt number ${i}`);
        const replies = await Promise.all(
          prompts.map((prompt, i) => replyOf(model, userCall(prompt, { callId: `run-${i}/s0` }))),
        );
        expectEqual(replies.map(({ text }) => text), prompts.map(expectedText), "the replies");
      }),
    );
  }
  return cases;
}

function silentCases<M extends ModelPort>(
  models: PortSource<M>,
  graceMs: number,
): readonly ContractCase[] {
  const rejects = async (model: ModelPort, call: ModelCall, abort: () => void | Promise<void>) => {
    const what = "a call without an answer";
    const work = started(() => model.call(call), what);
    await abort();
    const end = await settledWithin(graceMs, work, `${what}, after the abort,`);
    expect(end.status === "rejected", `${what} resolved after the abort`);
  };
  return [
    portCase(models, "call() without an answer rejects soon after an abort", async (model) => {
      const controller = new AbortController();
      await rejects(model, userCall("Hello?", signalOf(controller)), async () => {
        await nextTurn();
        controller.abort();
      });
    }),
    portCase(models, "call() without an answer rejects if it was aborted before", (model) => {
      const signal = AbortSignal.abort();
      return rejects(model, userCall("Hello?", { signal }), () => {});
    }),
    portCase(models, "call() without an answer rejects if it is aborted at once", (model) => {
      const controller = new AbortController();
      return rejects(model, userCall("Hello?", signalOf(controller)), () => controller.abort());
    }),
  ];
}

function failingCase<M extends ModelPort>(models: PortSource<M>): ContractCase {
  return portCase(models, "call() that fails rejects", async (model) => {
    const work = started(() => model.call(userCall("Hello.")), "a call that fails");
    const [end] = await Promise.allSettled([work]);
    expect(end.status === "rejected", "a call that fails resolved");
  });
}

async function replyOf(model: ModelPort, call: ModelCall): Promise<ModelReply> {
  const reply = await resolved(started(() => model.call(call), "call()"), "call()");
  expectShape(reply, modelReplyShape, "the reply");
  return reply;
}

function expectPieces(pieces: readonly unknown[], reply: ModelReply): void {
  const told = { text: "", reasoning: "" };
  for (const piece of pieces) {
    const { kind, text } = Object(piece);
    if (kind === "restart") told.text = told.reasoning = "";
    if (kind === "restart") continue;
    expect(
      (kind === "text" || kind === "reasoning") && typeof text === "string",
      `a piece is neither { kind: "text" | "reasoning", text } nor { kind: "restart" }: ${
        JSON.stringify(piece)
      }`,
    );
    told[kind as keyof typeof told] += text;
  }
  if (told.text !== "") expectEqual(told.text, reply.text, "the pieces of text together");
  if (told.reasoning !== "") {
    expectEqual(told.reasoning, reply.reasoning, "the pieces of reasoning together");
  }
}

/** A call as a run makes it, frozen. */
function modelCall(parts: Partial<ModelCall>): ModelCall {
  const { messages = [], tools, ...others } = parts;
  return Object.freeze({
    callId: "contract/s0",
    attempt: 1,
    binding: Object.freeze({ tenant: "contract" }),
    signal: new AbortController().signal,
    draining: new AbortController().signal,
    ...others,
    messages: frozen(messages),
    ...(tools !== undefined && { tools: frozen(tools) }),
  });
}

function userCall(text: string, parts: Partial<ModelCall> = {}): ModelCall {
  return modelCall({ messages: [textMessage("user", text)], ...parts });
}

function signalOf({ signal }: AbortController): Pick<ModelCall, "signal"> {
  return { signal };
}

/** A prompt with every role, every kind of block and every field. */
function everyMessage(): readonly Message[] {
  const provenance = { source: "contract", version: "1", trust: "low" };
  const args = { path: "wells.csv", lines: [1, null, { deep: true, "": "é" }] };
  return [
    { ...textMessage("system", "You count wells."), provenance },
    textMessage("user", "How many wells are there?"),
    {
      role: "assistant",
      content: [
        { type: "text", text: "I look." },
        { type: "tool_call", toolCallId: "s0_a0", name: "files.read", arguments: args },
        { type: "tool_call", toolCallId: "s0_a1", name: "count", arguments: {} },
      ],
      providerData: { adapter: "another", blocks: [{ signature: "s" }] },
    },
    {
      role: "tool",
      content: [{ type: "tool_result", toolCallId: "s0_a0", text: "a, b", isError: false }],
    },
    {
      role: "tool",
      content: [{ type: "tool_result", toolCallId: "s0_a1", text: "no such tool", isError: true }],
    },
    textMessage("assistant", "Two?"),
    textMessage("user", "Go on."),
  ];
}

function everyTool(): readonly ToolSchema[] {
  const path = { type: "string", description: "where it is" };
  return [
    { name: "files.read", description: "Reads a file.", parameters: { type: "object" } },
    {
      name: "count",
      description: "",
      parameters: { type: "object", properties: { path }, required: ["path"] },
    },
  ];
}
