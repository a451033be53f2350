import type { ActionCall, ActionExecutor } from "../../ports/mod.ts";
import type { ExecutedOutcome, JsonValue } from "../../types/mod.ts";
import { executorContract, type ExecutorContractOptions } from "../contract/mod.ts";
import { type BrokenPort, testSuite, unstable } from "./broken_ports.ts";

type Execute = ActionExecutor["execute"];
type Options = ExecutorContractOptions<ActionExecutor>;

function outcome(parts: Partial<Omit<ExecutedOutcome, "error">>): ExecutedOutcome {
  return {
    status: "executed",
    failed: false,
    observation: "done",
    observationSynthetic: false,
    completed: false,
    truncatedChars: 0,
    ...parts,
  };
}

/** Executes a few words. */
const execute: Execute = ({ action, actionId, attempt, signal }) => {
  switch (action) {
    case "work":
      return Promise.resolve(outcome({}));
    case "fail":
      return Promise.resolve(outcome({ failed: true }));
    case "ids":
      return Promise.resolve(outcome({ observation: `${actionId}, attempt ${attempt}` }));
    case "wait":
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
        if (signal.aborted) reject(signal.reason);
      });
    default:
      return Promise.resolve({
        status: "not_executed",
        observation: "no such word",
        observationSynthetic: true,
        truncatedChars: 0,
      });
  }
};

const SOUND_PORT: ActionExecutor = {
  toolNames: ["work"],
  concurrent: (action) => action !== "fail" && action !== "wait",
  execute,
  replayPolicy: (action) => action === "fail" || action === "wait" ? "never" : "replayable",
  completes: (toolName) => toolName === "work",
  parameters: () => ({ kind: "words" }),
};

const SOUND: Options = {
  makeExecutor: () => SOUND_PORT,
  samples: [
    { action: "work", toolName: "work", result: "succeeds" },
    { action: "fail", result: "fails" },
    { action: { word: ["work"] }, result: "refused" },
  ],
  endlessAction: "wait",
  idAction: "ids",
  isShared: true,
};

function broken(
  fault: string,
  caughtBy: string,
  make: () => Partial<Record<keyof ActionExecutor, unknown>>,
): BrokenPort {
  const makeExecutor = () => ({ ...SOUND_PORT, ...make() }) as ActionExecutor;
  return { fault, caughtBy, cases: executorContract({ ...SOUND, graceMs: 20, makeExecutor }) };
}

/** A port that executes otherwise. */
function executes(fault: string, caughtBy: string, execute: (call: ActionCall) => unknown) {
  return broken(fault, caughtBy, () => ({ execute }));
}

/** A port whose outcome of one action has another part. */
function leads(fault: string, caughtBy: string, on: JsonValue, parts: Record<string, unknown>) {
  return executes(
    fault,
    caughtBy,
    async (call) =>
      JSON.stringify(call.action) === JSON.stringify(on)
        ? { ...await execute(call), ...parts }
        : await execute(call),
  );
}

const FLAT = "parameters() gives a flat map of strings";
const WHAT = "execute() leads to what each action is";
const UNCHANGED = "execute() changes nothing of the action";
const ANY = "replayPolicy() answers for any action, the same each time";
const REPLAYABLE = "replayPolicy() of a refused action is replayable";
const NAMES = "completes() answers for any name, the same each time";
const TOGETHER = "concurrent() answers for any action, the same each time";
const REFUSED_TOGETHER = "concurrent() of a refused action is true";
const TOOLS = "toolNames has the tools that it dispatches to";
const IDS = "execute() hands on the id and the attempt";
const AT_ONCE = "execute() at the same time mixes nothing";
const ABORT = "execute() settles soon after an abort";

const JUNK = { word: ["work"] };
let made = 0;

function pin(action: JsonValue): void {
  if (typeof action === "object" && action !== null && !Object.isFrozen(action)) {
    Object.assign(action, { seen: true });
  }
}

testSuite("executorContract()", executorContract(SOUND), [
  broken("reports null", FLAT, () => ({ parameters: () => ({ cwd: null }) })),
  broken(
    "counts how often it was asked",
    "parameters() gives the same before and after use",
    () => ({
      parameters: unstable(),
    }),
  ),
  broken("reports what it has done", "parameters() gives the same before and after use", () => {
    let done = 0;
    return {
      execute: (call: ActionCall) => (done++, execute(call)),
      parameters: () => ({ done: String(done) }),
    };
  }),
  broken("reports when it was made", "parameters() of a port made anew are the same", () => {
    const id = String(made++);
    return { parameters: () => ({ id }) };
  }),
  executes("throws what fails by itself", WHAT, (call) => {
    if (call.action === "fail") throw new Error("as it should");
    return execute(call);
  }),
  executes(
    "rejects what it cannot read",
    WHAT,
    (call) =>
      typeof call.action === "string" ? execute(call) : Promise.reject(new TypeError("no word")),
  ),
  executes("gives no promise", WHAT, () => outcome({})),
  executes("writes on the action", WHAT, (call) => {
    if (typeof call.action === "object") Object.assign(call.action!, { seen: true });
    return execute(call);
  }),
  leads("calls a failure an environment's", WHAT, "fail", {
    status: "environment_failed",
    failed: undefined,
    completed: undefined,
  }),
  leads("executes what it must refuse", WHAT, JUNK, {
    status: "executed",
    failed: false,
    completed: false,
  }),
  leads("fails what it refused", WHAT, JUNK, { failed: true }),
  leads("does not know", WHAT, "work", { status: "unknown" }),
  leads("observes bytes", WHAT, "work", { observation: new Uint8Array(1) }),
  leads("observes nothing", WHAT, "work", { observation: undefined }),
  leads("cuts half a character", WHAT, "work", { truncatedChars: 0.5 }),
  leads("cuts less than none", WHAT, "work", { truncatedChars: -1 }),
  leads("perhaps completes", WHAT, "work", { completed: null }),
  leads("adds what it was not asked for", WHAT, "work", { exitCode: 0 }),
  leads("completes by a refusal", WHAT, JUNK, { completed: true }),
  executes(
    "refuses a replay",
    "execute() takes an action again after a crash",
    (call) => call.attempt > 1 ? Promise.reject(new Error("seen before")) : execute(call),
  ),
  executes("marks the action", UNCHANGED, (call) => {
    pin(call.action);
    return execute(call);
  }),
  broken("has a policy of its own", ANY, () => ({ replayPolicy: () => "sometimes" })),
  broken("has no policy for some", ANY, () => ({ replayPolicy: () => undefined })),
  broken("has a policy that turns", ANY, () => {
    let asked = 0;
    return { replayPolicy: () => asked++ % 2 === 0 ? "replayable" : "never" };
  }),
  broken("has a policy for objects alone", ANY, () => ({
    replayPolicy: (action: JsonValue) =>
      "word" in Object(action!.valueOf()) ? "replayable" : "never",
  })),
  broken("promises a policy", ANY, () => ({ replayPolicy: () => Promise.resolve("never") })),
  broken(
    "marks the action that it is asked about",
    "replayPolicy() changes nothing of the action",
    () => ({
      replayPolicy: (action: JsonValue) => (pin(action), "replayable"),
    }),
  ),
  broken("never replays what it refused", REPLAYABLE, () => ({ replayPolicy: () => "never" })),
  broken("completes by something", NAMES, () => ({ completes: (name: string) => name.length })),
  broken("does not say whether it completes", NAMES, () => ({ completes: () => undefined })),
  broken("completes the second time", NAMES, () => {
    const seen = new Set<string>();
    return { completes: (name: string) => seen.has(name) || !seen.add(name) };
  }),
  broken("completes by names it can encode", NAMES, () => ({
    completes: (name: string) => encodeURIComponent(name) === "work",
  })),
  broken("runs together by something", TOGETHER, () => ({ concurrent: () => 1 })),
  broken("runs together every other time", TOGETHER, () => {
    let asked = 0;
    return { concurrent: () => asked++ % 2 === 0 };
  }),
  broken("runs only words together", TOGETHER, () => ({
    concurrent: (action: JsonValue) => (action as string).length > 0,
  })),
  broken("keeps what it refused apart", REFUSED_TOGETHER, () => ({ concurrent: () => false })),
  broken("names its tools in a text", TOOLS, () => ({ toolNames: "work" })),
  broken("names another tool than it has", TOOLS, () => ({ toolNames: ["rest"] })),
  executes(
    "hangs if the signal was aborted",
    "execute() settles if the signal was aborted before",
    (call) => call.signal.aborted ? new Promise(() => {}) : execute(call),
  ),
  broken(
    "is over after an abort",
    "execute() is not harmed by an abort after the outcome",
    () => {
      let isOver = false;
      return {
        execute(call: ActionCall) {
          call.signal.addEventListener("abort", () => isOver = true);
          return isOver ? Promise.reject(new Error("it is over")) : execute(call);
        },
      };
    },
  ),
  executes(
    "never looks at the signal",
    ABORT,
    (call) => call.action === "wait" ? new Promise(() => {}) : execute(call),
  ),
  executes(
    "settles an abort by junk",
    ABORT,
    (call) => execute(call).catch(() => ({ status: "cancelled" })),
  ),
  executes("makes up ids", IDS, (call) => execute({ ...call, actionId: "a0" })),
  executes(
    "counts attempts from 0",
    IDS,
    (call) => execute({ ...call, attempt: call.attempt - 1 }),
  ),
  broken("does one thing at a time", AT_ONCE, () => {
    let isBusy = false;
    return {
      async execute(call: ActionCall) {
        if (isBusy) throw new Error("busy");
        isBusy = true;
        await Promise.resolve();
        isBusy = false;
        return await execute(call);
      },
    };
  }),
  broken("mixes actions at the same time", AT_ONCE, () => {
    let latest: ActionCall;
    return {
      async execute(call: ActionCall) {
        latest = call;
        await Promise.resolve();
        return await execute(latest);
      },
    };
  }),
]);
