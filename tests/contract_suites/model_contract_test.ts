import type { ModelCall, ModelPort } from "../../ports/mod.ts";
import type { ModelReply } from "../../types/mod.ts";
import { modelContract, type ModelContractOptions } from "../contract/mod.ts";
import { type BrokenPort, testSuite, unstable } from "./broken_ports.ts";

type Call = ModelPort["call"];
type Options = ModelContractOptions<ModelPort>;

const echo: Call = (call) => {
  const text = textOf(call);
  call.onDelta?.({ kind: "text", text });
  return Promise.resolve({ text });
};
const fail: Call = () => Promise.reject(new Error("no"));
const wait: Call = ({ signal }) =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
    if (signal.aborted) reject(signal.reason);
  });

function textOf({ messages }: ModelCall): string {
  const block = messages.at(-1)?.content[0];
  return block?.type === "text" ? block.text : "";
}

function port(call: Call, parameters: ModelPort["parameters"] = () => ({ kind: "echo" })) {
  return { call, parameters };
}

const SOUND: Options = {
  makeModel: () => port(echo),
  makeSilentModel: () => port(wait),
  makeFailingModel: () => port(fail),
  expectedText: (prompt) => prompt,
};

function cases(options: Partial<Options>) {
  return modelContract({ ...SOUND, graceMs: 20, ...options });
}

function answers(fault: string, caughtBy: string, makeCall: () => Call): BrokenPort {
  return { fault, caughtBy, cases: cases({ makeModel: () => port(makeCall()) }) };
}

function reports(
  fault: string,
  caughtBy: string,
  make: () => () => unknown,
): BrokenPort {
  const makeModel = () => port(echo, make() as ModelPort["parameters"]);
  return { fault, caughtBy, cases: cases({ makeModel }) };
}

function isSilent(fault: string, caughtBy: string, call: Call): BrokenPort {
  return { fault, caughtBy, cases: cases({ makeSilentModel: () => port(call) }) };
}

const FLAT = "parameters() gives a flat map of strings";
const FORM = "call() gives a reply of the right form";
const EVERY = "call() takes messages of every kind, and tools, all frozen";
const HOSTILE = "call() of a hostile text gives a reply or rejects";
const PIECES = "call() tells the reply in pieces, and none after it";
const MIXES = "call() at the same time as others mixes nothing";
const LATE = "call() without an answer rejects soon after an abort";
const EARLY = "call() without an answer rejects if it was aborted before";
const AT_ONCE = "call() without an answer rejects if it is aborted at once";

/** A model whose replies have one more part. */
function withPart(part: Record<string, unknown>): () => Call {
  return () => (call) => Promise.resolve({ text: textOf(call), ...part } as ModelReply);
}

let made = 0;

testSuite("modelContract()", modelContract(SOUND), [
  reports("reports a number", FLAT, () => () => ({ temperature: 0 })),
  reports("reports a list", FLAT, () => () => ["echo"]),
  reports("reports under a symbol", FLAT, () => () => ({ [Symbol("kind")]: "echo" })),
  reports("reports a promise", FLAT, () => () => Promise.resolve({ kind: "echo" })),
  reports("throws from parameters()", FLAT, () => () => {
    throw new TypeError("not now");
  }),
  reports(
    "counts how often it was asked",
    "parameters() gives the same before and after use",
    unstable,
  ),
  reports("reports when it was made", "parameters() of a port made anew are the same", () => {
    const id = String(made++);
    return () => ({ id });
  }),
  answers(
    "gives a text for a reply",
    FORM,
    () => () => Promise.resolve("4" as unknown as ModelReply),
  ),
  answers("gives what it was not asked for", FORM, withPart({ cost: 1 })),
  answers("gives a finish reason of its own", FORM, withPart({ finishReason: "end_turn" })),
  answers("gives a date", FORM, withPart({ providerData: { at: new Date(0) } })),
  answers("gives NaN", FORM, withPart({ usage: { inputTokens: NaN } })),
  answers("gives -0", FORM, withPart({ providerData: -0 })),
  answers("throws rather than rejects", FORM, () => () => {
    throw new Error("no");
  }),
  answers("gives no promise", FORM, () => (() => ({ text: "" })) as unknown as Call),
  answers("knows no tool results", EVERY, () => (call) => {
    if (call.messages.some(({ role }) => role === "tool")) throw new TypeError("what is a tool");
    return echo(call);
  }),
  answers("writes on the call", EVERY, () => (call) => {
    Object.assign(call, { messages: [...call.messages] });
    return echo(call);
  }),
  answers("adds to the prompt", "call() changes nothing of what it is given", () => (call) => {
    const { messages } = call;
    if (!Object.isFrozen(messages)) Object.assign(messages, { [messages.length]: messages[0] });
    return echo(call);
  }),
  answers("throws at a lone surrogate", HOSTILE, () => (call) => {
    encodeURIComponent(textOf(call));
    return echo(call);
  }),
  answers(
    "answers a NUL with nothing",
    HOSTILE,
    () => (call) => textOf(call).includes("\0") ? Promise.resolve({} as ModelReply) : echo(call),
  ),
  answers(
    "refuses a replay",
    "call() is made again with the same id",
    () => (call) => call.attempt > 1 ? Promise.reject(new Error("seen before")) : echo(call),
  ),
  answers("tells pieces of another form", PIECES, () => (call) => {
    call.onDelta?.("a piece" as never);
    return echo(call);
  }),
  answers("tells pieces of another text", PIECES, () => (call) => {
    call.onDelta?.({ kind: "text", text: "Well, " });
    return echo(call);
  }),
  answers("tells pieces of other reasoning", PIECES, () => (call) => {
    call.onDelta?.({ kind: "reasoning", text: "Hm." });
    return echo(call);
  }),
  answers("tells pieces after the reply", PIECES, () => ({ onDelta, ...call }) => {
    setTimeout(() => onDelta?.({ kind: "text", text: "" }), 0);
    return echo(call);
  }),
  answers(
    "hangs if the signal was aborted before",
    "call() settles if the signal was aborted before",
    () => (call) => call.signal.aborted ? new Promise(() => {}) : echo(call),
  ),
  answers(
    "aborts every call with one",
    "call() is not harmed by the abort of another call",
    () => {
      const all = new AbortController();
      return async (call) => {
        call.signal.addEventListener("abort", () => all.abort());
        await Promise.resolve();
        all.signal.throwIfAborted();
        return await echo(call);
      };
    },
  ),
  answers("answers the latest prompt", MIXES, () => {
    let latest = "";
    return async (call) => {
      latest = textOf(call);
      await Promise.resolve();
      return { text: latest };
    };
  }),
  isSilent("never looks at the signal", LATE, () => new Promise(() => {})),
  isSilent(
    "resolves on an abort",
    LATE,
    ({ signal }) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve({ text: "" }))),
  ),
  isSilent(
    "waits for an abort that was",
    EARLY,
    ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", reject)),
  ),
  isSilent("listens too late", AT_ONCE, async ({ signal }) => {
    signal.throwIfAborted();
    await Promise.resolve();
    return await new Promise((_, reject) => signal.addEventListener("abort", reject));
  }),
  {
    fault: "answers although it failed",
    caughtBy: "call() that fails rejects",
    cases: cases({ makeFailingModel: () => port(echo) }),
  },
  {
    fault: "throws when it fails",
    caughtBy: "call() that fails rejects",
    cases: cases({
      makeFailingModel: () =>
        port(() => {
          throw new Error("no");
        }),
    }),
  },
]);
