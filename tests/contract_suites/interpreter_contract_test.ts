import type { DecisionInterpreter, Interpretation } from "../../ports/mod.ts";
import type { Decision, ModelReply } from "../../types/mod.ts";
import { interpreterContract, type InterpreterContractOptions } from "../contract/mod.ts";
import { type BrokenPort, testSuite, unstable } from "./broken_ports.ts";

type Interpret = DecisionInterpreter["interpret"];

/** Lines that begin with `!` are actions; what is blank cannot be read; the rest is an answer. */
const read = ({ text }: ModelReply): Interpretation => ({
  decision: text.startsWith("!")
    ? { kind: "action", actions: [{ action: text.slice(1) }] }
    : text.trim() === ""
    ? { kind: "invalid", explanation: "The reply is blank." }
    : { kind: "final_answer", answer: text },
  historyText: text,
});

function port(
  interpret: Interpret,
  parameters: DecisionInterpreter["parameters"] = () => ({ kind: "lines" }),
): DecisionInterpreter {
  return { interpret, parameters };
}

const SOUND: InterpreterContractOptions = {
  makeInterpreter: () => port(read),
  samples: [
    { reply: { text: "!look" }, kind: "action" },
    { reply: { text: "It is 4." }, kind: "final_answer" },
    { reply: { text: "" }, kind: "invalid" },
  ],
};

function interprets(
  fault: string,
  caughtBy: string,
  make: () => Interpret,
  options: Partial<InterpreterContractOptions> = {},
): BrokenPort {
  const makeInterpreter = () => port(make());
  const cases = interpreterContract({ ...SOUND, graceMs: 20, makeInterpreter, ...options });
  return { fault, caughtBy, cases };
}

function decides(fault: string, caughtBy: string, decision: unknown): BrokenPort {
  return interprets(fault, caughtBy, () => (reply) => ({
    ...read(reply),
    ...(reply.text === "It is 4." && { decision: decision as Decision }),
  }));
}

function reports(fault: string, caughtBy: string, make: () => () => unknown): BrokenPort {
  const makeInterpreter = () => port(read, make() as DecisionInterpreter["parameters"]);
  return { fault, caughtBy, cases: interpreterContract({ ...SOUND, makeInterpreter }) };
}

/** An interpreter that says another protocol than it reads. */
function speaks(
  fault: string,
  toolProtocol: string,
  options: Partial<InterpreterContractOptions> = {},
): BrokenPort {
  const makeInterpreter = () => Object.assign(port(read), { toolProtocol });
  const cases = interpreterContract({
    ...SOUND,
    ...options,
    makeInterpreter: makeInterpreter as () => DecisionInterpreter,
  });
  return { fault, caughtBy: PROTOCOL, cases };
}

const FLAT = "parameters() gives a flat map of strings";
const KIND = "interpret() takes replies for what they are";
const FORMS = "interpret() reads replies of every form";
const JUNK = "interpret() reads junk and hostile texts";
const SAYS = "interpret() says what is wrong with a reply";
const PROTOCOL = "interpret() keeps to its protocol";
const EACH_TIME = "interpret() of one reply is the same each time";
const ALONE = "interpret() depends on the reply alone";
const AT_ONCE = "interpret() at the same time mixes nothing";
const UNCHANGED = "interpret() changes nothing of the reply";

let made = 0;

testSuite("interpreterContract()", interpreterContract(SOUND), [
  reports("reports a boolean", FLAT, () => () => ({ strict: true })),
  reports(
    "counts how often it was asked",
    "parameters() gives the same before and after use",
    unstable,
  ),
  reports("reports when it was made", "parameters() of a port made anew are the same", () => {
    const id = String(made++);
    return () => ({ id });
  }),
  interprets(
    "takes an action for an answer",
    KIND,
    () => ({ text }) => read({ text: text.replace("!", "") }),
  ),
  interprets("throws at what it cannot read", KIND, () => (reply) => {
    if (reply.text.trim() === "") throw new SyntaxError("the reply is blank");
    return read(reply);
  }),
  decides("gives a decision of its own kind", FORMS, { kind: "ask_user", question: "Sure?" }),
  decides("gives an action without actions", FORMS, { kind: "action", actions: [] }),
  decides("gives an answer that is undefined", FORMS, { kind: "final_answer", answer: undefined }),
  decides("gives a class instance", FORMS, { kind: "final_answer", answer: new Map() }),
  decides("decides in the library's name", FORMS, {
    kind: "invalid",
    explanation: "ask for one action",
    synthetic: true,
  }),
  decides("gives nothing", FORMS, null),
  interprets(
    "leaves out the history text",
    FORMS,
    () => (reply) => ({ decision: read(reply).decision }) as Interpretation,
  ),
  interprets(
    "takes nothing but a rejection",
    FORMS,
    () => () => Promise.reject(new Error("cannot read")),
  ),
  interprets("takes what JSON.parse gives", JUNK, () => ({ text }) => {
    try {
      return { decision: { kind: "final_answer", answer: JSON.parse(text) }, historyText: text };
    } catch {
      return read({ text });
    }
  }),
  interprets("throws at a lone surrogate", JUNK, () => (reply) => {
    encodeURIComponent(reply.text);
    return read(reply);
  }),
  interprets("gives arguments that could not be read", JUNK, () => (reply) => {
    for (const { rawArguments } of reply.toolCalls ?? []) JSON.parse(rawArguments);
    return read(reply);
  }),
  decides("does not say what is wrong", SAYS, { kind: "invalid", explanation: " " }),
  decides("gives several actions under text", PROTOCOL, {
    kind: "action",
    actions: [{ action: 1 }, { action: 2 }],
  }),
  interprets(
    "gives an action without a call under native",
    PROTOCOL,
    () => read,
    { toolProtocol: "native" },
  ),
  speaks("reads a protocol that there is not", "xml"),
  speaks("gives an action without a call though it reads native", "native"),
  speaks("reads another protocol than it is said to", "native", { toolProtocol: "text" }),
  interprets("counts its replies", EACH_TIME, () => {
    let count = 0;
    return (reply) => ({ ...read(reply), historyText: `${count++}: ${reply.text}` });
  }),
  interprets("remembers the reply before", EACH_TIME, () => {
    let before = "";
    return (reply) => {
      const historyText = before;
      before = reply.text.slice(0, 10);
      return { ...read(reply), historyText };
    };
  }),
  interprets(
    "looks at the step",
    ALONE,
    () => (reply, { stepIndex }) => stepIndex > 0 ? read({ text: "" }) : read(reply),
  ),
  interprets("reads by the clock of its making", ALONE, () => {
    const historyText = String(made++);
    return (reply) => ({ ...read(reply), historyText });
  }),
  interprets("mixes replies at the same time", AT_ONCE, () => {
    let latest: ModelReply;
    return async (reply) => {
      latest = reply;
      await Promise.resolve();
      return read(latest);
    };
  }),
  interprets("marks the reply", UNCHANGED, () => (reply) => {
    if (!Object.isFrozen(reply)) Object.assign(reply, { finishReason: "stop" });
    return read(reply);
  }),
  interprets("trims the reply it is given", FORMS, () => (reply) => {
    Object.assign(reply, { text: reply.text.trim() });
    return read(reply);
  }),
  interprets(
    "hangs on an abort",
    "interpret() settles soon after an abort",
    () => async (reply, { signal }) => {
      await Promise.resolve();
      return signal.aborted ? await new Promise<Interpretation>(() => {}) : read(reply);
    },
  ),
]);
