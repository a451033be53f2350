/**
 * A run of two steps, two actions and an answer, that is aborted at a point of its way by the port that stands there.
 *
 * @module
 */
import {
  type ActionExecutor,
  type AgentDefinition,
  type ApproveAction,
  type DecisionInterpreter,
  type EventSink,
  type ModelPort,
  run,
  type RunEvent,
  type RunOptions,
  type RunRequest,
  type RunStore,
} from "../../mod.ts";
import { readLog, type RunLog } from "../../session/mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import {
  agentOf,
  commands,
  hearing,
  never,
  now,
  requestOf,
  scriptModel,
  wordExecutor,
} from "./world.ts";

/**
 * What a port does that has aborted the run: once its own signal aborts it rejects as it should, or throws; or it
 * returns at once all the same, or never settles.
 */
export type Manner = "obeys" | "throws" | "returns" | "never";

/** Where a run is aborted: the name of what is called, and which call of it. */
export interface Point {
  readonly name: string;
  readonly count?: number;
}

/** What became of an aborted run. */
export interface Aborted {
  readonly store: RunStore;
  readonly log: RunLog;
  readonly summary: string;
  readonly events: readonly RunEvent[];
  /** What the promise rejected with; `undefined` if it resolved. */
  readonly error: unknown;
  readonly reason: Error;
  /** What was called after the abort, stores and sinks left out. */
  readonly late: readonly string[];
  /** What was asked of the store, write by write. */
  readonly methods: readonly string[];
}

const NATIVE = { toolProtocol: "native" } as const;
export const SCRIPT: readonly string[] = ["do a; do b", "answer 1"];

/** Runs, aborts at the point in that manner, and tells what became of it. */
export async function aborted(
  point: Point,
  manner: Manner,
  options: Omit<RunOptions, "signal"> & { readonly answer?: object } = {},
): Promise<Aborted> {
  const { answer = { allow: true }, ...rest } = options;
  const controller = new AbortController();
  const reason = new Error("enough");
  const late: string[] = [];
  const methods: string[] = [];
  const counts = new Map<string, number>();

  function at<T>(name: string, value: () => T | Promise<T>, signal?: AbortSignal): T | Promise<T> {
    if (controller.signal.aborted && signal !== undefined) late.push(name);
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    if (name !== point.name || count !== (point.count ?? 0)) return value();
    controller.abort(reason);
    if (signal === undefined || manner === "returns") return value();
    if (manner === "never") return never();
    return told(signal).then(() => {
      throw manner === "throws" ? new TypeError("own trouble") : signal.reason;
    });
  }

  const model = scriptModel(SCRIPT);
  const asking: ModelPort = {
    ...model,
    call: async (call) => await at("model", () => model.call(call), call.signal),
  };
  const inner = commands("native");
  const interpreter: DecisionInterpreter = {
    ...inner,
    interpret: (reply, context) =>
      at("interpreter", () => inner.interpret(reply, context), context.signal),
  };
  const words = wordExecutor();
  const executor: ActionExecutor = {
    ...words,
    execute: async (call) => await at("action", () => words.execute(call), call.signal),
  };
  const approveAction: ApproveAction = {
    id: "me",
    decide: ({ signal }) => at("approval", () => answer as { allow: true }, signal),
  };
  const memory = memoryStore();
  const write =
    (name: "startRun" | "writeIntent" | "writeOutcome" | "finishRun") =>
    async (...args: Parameters<RunStore["startRun"]>) => {
      methods.push(name);
      await at(name, () => memory[name](...args));
    };
  const store: RunStore = {
    ...memory,
    startRun: write("startRun"),
    writeIntent: write("writeIntent"),
    writeOutcome: write("writeOutcome"),
    finishRun: write("finishRun"),
  };
  const ears = hearing();
  const events: EventSink = { ...ears, emit: (event) => at(event.type, () => ears.emit(event)) };
  const { signal } = controller;
  const error = await run(
    agentOf(asking, { interpreter, store, events }),
    requestOf({ executor, ...NATIVE }),
    { now, signal, ...(point.name === "approval" && { approveAction }), ...rest },
  ).then(() => undefined, (error) => error);
  const log = readLog((await memory.readRun("r"))!);
  const summary = summaryOf(log);
  return { store: memory, log, summary, events: ears.heard, error, reason, late, methods };
}

function told(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  else signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}

/** A log in one line: each step with its outcome and what became of its actions, what is open, how it finished. */
export function summaryOf({ steps, open, finished }: RunLog): string {
  const parts: string[] = steps.map(({ outcome, reply, decision, actions }) => {
    const known = [reply && "reply", decision && "decision"].filter((part) => part !== undefined);
    return [outcome, ...known, ...actions.map(({ status, attempts }) => `${status}/${attempts}`)]
      .join(" ");
  });
  if (open !== undefined) {
    parts.push(
      [
        "awaits",
        open.awaits,
        ...open.actions.map(({ status, attempts }) => `${status}/${attempts}`),
      ].join(" "),
    );
  }
  if (finished !== undefined) parts.push(finished.stopConditions.join(" "));
  return parts.join(", ");
}

/** The request and the agent that go on with a run that was suspended here. */
export function fresh(store: RunStore): {
  readonly agent: AgentDefinition;
  readonly request: RunRequest;
  readonly model: ReturnType<typeof scriptModel>;
  readonly executor: ReturnType<typeof wordExecutor>;
} {
  const model = scriptModel(SCRIPT);
  const executor = wordExecutor();
  const agent = agentOf(model, { protocol: "native", store, events: hearing() });
  return { agent, model, executor, request: requestOf({ executor, ...NATIVE }) };
}

/** The option for what an abort does; left out for what is done by default. */
export function abortOptions(onAbort: "finish" | "suspend"): Pick<RunOptions, "onAbort"> {
  return onAbort === "suspend" ? { onAbort } : {};
}
