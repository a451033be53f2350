import type { DecisionInterpreter, Interpretation, InterpretContext } from "../../ports/mod.ts";
import {
  arrayShape,
  canonicalJson,
  countShape,
  type Decision,
  decisionShape,
  functionShape,
  memberShape,
  type ModelReply,
  modelReplyShape,
  objectShape,
  optionalField,
  requireShape,
  type Shape,
  stringShape,
  TOOL_PROTOCOLS,
} from "../../types/mod.ts";
import { expect, expectEqual } from "./_expect.ts";
import {
  DEFAULT_GRACE_MS,
  expectShape,
  expectUnchanged,
  frozen,
  parametersCases,
  portCase,
  type PortSource,
  settledWithin,
  shown,
} from "./_port_bench.ts";
import { junkReplies, ordinaryReplies } from "./_sample_replies.ts";
import type { ContractCase } from "./contract_case.ts";

/** A reply, and what the interpreter under test must take it for. */
export interface InterpreterSample {
  /** The reply. */
  readonly reply: ModelReply;
  /** The kind of the decision; `invalid` for a reply that the interpreter cannot read. */
  readonly kind: Decision["kind"];
}

/** How the suite gets at the interpreter under test. */
export interface InterpreterContractOptions {
  /**
   * Makes an interpreter. Called once or twice for each case; cases may run one after the other or at the same time.
   */
  readonly makeInterpreter: () => DecisionInterpreter | Promise<DecisionInterpreter>;
  /** Replies in the form that the interpreter reads, and some that it cannot read. */
  readonly samples: readonly InterpreterSample[];
  /**
   * The protocol that it is made for: under `native` each action has its tool call, under `text` there is one action.
   * Absent: the interpreter's own `toolProtocol`, and `text` if it has none.
   */
  readonly toolProtocol?: "text" | "native";
  /**
   * How long a call may take to settle after an abort, in milliseconds. The default is that of the cancel grace
   * of a run.
   *
   * @default {5000}
   */
  readonly graceMs?: number;
}

/**
 * The contract of a {@link DecisionInterpreter} as an array of cases: parameters, the interpretation's form for replies
 * of every kind, junk and hostile texts among them, that it is a function of the reply alone, what it must not change,
 * the protocol, an abort.
 *
 * @example
 * ```ts
 * import { jsonActionInterpreter } from "@polyloop/polyloop/adapters/json-action-interpreter";
 * import { interpreterContract } from "@polyloop/polyloop/contract";
 *
 * const cases = interpreterContract({
 *   makeInterpreter: jsonActionInterpreter,
 *   samples: [
 *     { reply: { text: '{"tool":"add","arguments":{"a":1}}' }, kind: "action" },
 *     { reply: { text: '{"final_answer":4}' }, kind: "final_answer" },
 *     { reply: { text: "I do not know." }, kind: "invalid" },
 *   ],
 * });
 * for (const { name, run } of cases) {
 *   Deno.test(`my interpreter: ${name}`, run);
 * }
 * ```
 *
 * @throws {InvalidRequestError} If an option is not as it must be, or there is none of its name.
 */
export function interpreterContract(
  options: InterpreterContractOptions,
): readonly ContractCase[] {
  requireShape<InterpreterContractOptions>(
    "options",
    options,
    objectShape({
      makeInterpreter: functionShape(),
      samples: arrayShape(
        objectShape<InterpreterSample>({
          reply: modelReplyShape,
          kind: memberShape(["action", "final_answer", "invalid"]),
        }),
      ),
      toolProtocol: optionalField(memberShape(TOOL_PROTOCOLS)),
      graceMs: optionalField(countShape),
    }),
  );
  const source = { make: options.makeInterpreter, dispose: undefined };
  const samples = options.samples.map(({ reply }) => reply);
  return [
    ...parametersCases(source, (interpreter) => interpretAll(interpreter, ordinaryReplies())),
    ...replyCases(source, options),
    ...functionCases(source, [...samples, ...ordinaryReplies(), ...junkReplies()]),
    portCase(source, "interpret() settles soon after an abort", async (interpreter) => {
      for (const reply of [...samples, ...ordinaryReplies()]) {
        const controller = new AbortController();
        const work = (async () =>
          await interpreter.interpret(frozen(reply), context(controller)))();
        controller.abort();
        const graceMs = options.graceMs ?? DEFAULT_GRACE_MS;
        await settledWithin(graceMs, work, `${named(reply)}, after the abort,`);
      }
    }),
  ];
}

function replyCases(
  interpreters: PortSource<DecisionInterpreter>,
  { samples, toolProtocol }: InterpreterContractOptions,
): readonly ContractCase[] {
  const all = [...samples.map(({ reply }) => reply), ...ordinaryReplies(), ...junkReplies()];
  return [
    portCase(interpreters, "interpret() takes replies for what they are", async (interpreter) => {
      for (const { reply, kind } of samples) {
        const { decision } = await interpret(interpreter, frozen(reply));
        expectEqual(decision.kind, kind, `the decision of ${named(reply)}`);
      }
    }),
    portCase(interpreters, "interpret() reads replies of every form", async (interpreter) => {
      await interpretAll(interpreter, ordinaryReplies());
    }),
    portCase(interpreters, "interpret() reads junk and hostile texts", async (interpreter) => {
      await interpretAll(interpreter, junkReplies());
    }),
    portCase(interpreters, "interpret() says what is wrong with a reply", async (interpreter) => {
      for (const reply of all) {
        const { decision } = await interpret(interpreter, frozen(reply));
        const isSilent = decision.kind === "invalid" && decision.explanation.trim() === "";
        expect(!isSilent, `${named(reply)} is invalid without an explanation`);
      }
    }),
    portCase(interpreters, "interpret() keeps to its protocol", async (interpreter) => {
      const own = interpreter.toolProtocol;
      expect(
        own === undefined || TOOL_PROTOCOLS.includes(own),
        `toolProtocol is ${JSON.stringify(own)}, neither text nor native`,
      );
      if (toolProtocol !== undefined && own !== undefined) {
        expectEqual(own, toolProtocol, "toolProtocol");
      }
      const protocol = own ?? toolProtocol ?? "text";
      for (const reply of all) {
        const { decision } = await interpret(interpreter, frozen(reply));
        if (decision.kind !== "action") continue;
        const { actions } = decision;
        const what = `the decision of ${named(reply)}`;
        if (protocol === "text") expectEqual(actions.length, 1, `${what}: how many actions`);
        else {
          const areCalls = actions.every(({ toolCall }) => toolCall !== undefined);
          expect(areCalls, `${what} has an action without a tool call`);
        }
      }
    }),
  ];
}

function functionCases(
  interpreters: PortSource<DecisionInterpreter>,
  replies: readonly ModelReply[],
): readonly ContractCase[] {
  return [
    portCase(
      interpreters,
      "interpret() of one reply is the same each time",
      async (interpreter) => {
        const first = await interpretAll(interpreter, replies);
        const second = await interpretAll(interpreter, replies.toReversed());
        expectSame(replies, second.toReversed(), first, "the second time, in another order");
      },
    ),
    portCase(interpreters, "interpret() depends on the reply alone", async (interpreter) => {
      const first = await interpretAll(interpreter, replies);
      const later = { runId: "another-run", stepIndex: 7 };
      const elsewhere = await interpretAll(interpreter, replies, later);
      expectSame(replies, elsewhere, first, "in another step of another run");
      const made = await interpreters.make();
      expectSame(replies, await interpretAll(made, replies), first, "by an interpreter made anew");
    }),
    portCase(interpreters, "interpret() at the same time mixes nothing", async (interpreter) => {
      const first = await interpretAll(interpreter, replies);
      const all = await Promise.all(replies.map((reply) => interpret(interpreter, frozen(reply))));
      expectSame(replies, all, first, "at the same time as others");
    }),
    portCase(interpreters, "interpret() changes nothing of the reply", async (interpreter) => {
      for (const reply of replies) {
        await expectUnchanged(reply, named(reply), (copy) => interpret(interpreter, copy));
      }
    }),
  ];
}

async function interpretAll(
  interpreter: DecisionInterpreter,
  replies: readonly ModelReply[],
  place: Partial<InterpretContext> = {},
): Promise<readonly Interpretation[]> {
  const all: Interpretation[] = [];
  for (const reply of replies) all.push(await interpret(interpreter, frozen(reply), place));
  return all;
}

/** Interprets a reply; fails if that throws, or what comes has another form. */
async function interpret(
  interpreter: DecisionInterpreter,
  reply: ModelReply,
  place: Partial<InterpretContext> = {},
): Promise<Interpretation> {
  let interpretation: Interpretation;
  try {
    interpretation = await interpreter.interpret(reply, { ...context(), ...place });
  } catch (cause) {
    throw new Error(`${named(reply)} is not read as invalid, it threw ${shown(cause)}`, { cause });
  }
  const shape: Shape<Interpretation> = objectShape({
    decision: decisionShape,
    historyText: stringShape,
  });
  expectShape(interpretation, shape, named(reply));
  const { decision } = interpretation;
  const isOwn = decision.kind !== "invalid" || decision.synthetic === undefined;
  expect(isOwn, `${named(reply)} is decided in the library's name`);
  return interpretation;
}

function expectSame(
  replies: readonly ModelReply[],
  actual: readonly Interpretation[],
  expected: readonly Interpretation[],
  when: string,
): void {
  for (const [i, reply] of replies.entries()) {
    expectEqual(
      canonicalJson(actual[i]!),
      canonicalJson(expected[i]!),
      `${named(reply)} as it is read ${when}`,
    );
  }
}

function context({ signal }: AbortController = new AbortController()): InterpretContext {
  return { runId: "contract", stepIndex: 0, signal };
}

function named(reply: ModelReply): string {
  return `the reply ${JSON.stringify(reply).slice(0, 120)}`;
}
