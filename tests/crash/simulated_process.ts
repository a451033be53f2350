import type { LogEntry, RunStore } from "../../mod.ts";
import type { LogRecord } from "../../types/mod.ts";
import type { RunLog } from "../../session/mod.ts";
import type { InnerPoints, Medium } from "./media/medium.ts";
import type { CrashPoint, Effect, Fault, Issued, Moment, Phase } from "./moment.ts";

/** What a process of the harness is made of. */
export interface ProcessOptions {
  readonly medium: Medium;
  /** What the log said that the process started from. */
  readonly log?: RunLog | undefined;
  /** The run that a tool makes, and what its log said. */
  readonly child?: { readonly runId: string; readonly log: RunLog | undefined } | undefined;
  readonly crashAt?: CrashPoint | undefined;
  readonly faults?: readonly Fault[] | undefined;
  /** Called before each call and each step of a store; another driver may come first. */
  readonly gate?: ((point: string) => Promise<void>) | undefined;
  /** Called at the place of a fault that is not the store's own. */
  readonly onFault?: ((kind: string) => void | Promise<void>) | undefined;
}

/** What a store says that it did not do. */
const NOT_DONE = ["run_conflict", "run_exists", "run_locked", "run_not_found"];

/** How the ports of a run are points of a process. */
export type PortPoints = Pick<SimulatedProcess, "call" | "inner" | "effect">;

/** A process that drives a run: it counts its calls, remembers every moment, and can die at any of them. */
export class SimulatedProcess implements InnerPoints {
  readonly moments: Moment[] = [];
  /** Every place that it came to, those too at which nothing changes. */
  readonly points: string[] = [];
  readonly effects: Effect[] = [];
  readonly childEffects: Effect[] = [];
  /** The process as the run that a tool makes sees it. */
  readonly child: PortPoints;
  readonly issued: Issued[] = [];
  readonly acked: Issued[] = [];
  /** Whether the store has said that the run is this process's. */
  holds = false;
  /** Resolves at the moment of its death. */
  readonly died: Promise<Moment>;
  readonly #options: ProcessOptions;
  readonly #counts = new Map<string, number>();
  readonly #intents = new Set<string>();
  #durable = 0;
  #dead = false;
  /** Whether a write failed: the store may have let go of the run, and its release is then no barrier. */
  #failed = false;
  #die: (moment: Moment) => void = () => {};

  constructor(options: ProcessOptions) {
    this.#options = options;
    this.died = new Promise((resolve) => this.#die = resolve);
    this.child = {
      call: (kind, body, returned) => this.call(kind, body, returned),
      inner: (kind, body) => this.inner(kind, body),
      effect: (kind, id, attempt, prompt) => {
        const { runId, log } = options.child ?? {};
        const effect = this.#effectOf(log, kind, id, attempt, prompt);
        // Whatever its run is called: it is to be one run.
        this.childEffects.push({ ...effect, id: `${runId}${id.slice(id.indexOf("/"))}` });
      },
    };
  }

  /** One call of a port. A call of a process that is dead, or dies in it, never settles. */
  async call<T>(kind: string, body: () => T | Promise<T>, returned?: () => void): Promise<T> {
    const point = this.#name(kind);
    await this.pause(point);
    this.#mark(point, "before");
    if (this.#dead) return await never();
    await this.#meet(point, "");
    const settled = await settle(body);
    if (this.#dead) return await never();
    await this.#meet(point, "late-");
    this.#mark(point, "effect");
    if (this.#dead) return await never();
    if ("value" in settled) returned?.();
    this.#mark(point, "returned");
    if (this.#dead) return await never();
    if ("error" in settled) throw settled.error;
    return settled.value;
  }

  inner<T>(kind: string, body: (fault: string | undefined) => T): T {
    this.#breathe();
    const point = this.#name(kind);
    this.#mark(point, "before");
    this.#breathe();
    const value = body(this.#faultAt(point));
    this.#mark(point, "effect");
    this.#breathe();
    return value;
  }

  look<T>(kind: string, body: (fault: string | undefined) => T): T {
    this.#breathe();
    return body(this.#faultAt(this.#name(kind)));
  }

  async pause(kind: string): Promise<void> {
    await this.#options.gate?.(kind);
    if (this.#dead) await never();
  }

  /** Records what reaches the world. */
  effect(kind: Effect["kind"], id: string, attempt: number, prompt?: string): void {
    this.effects.push(this.#effectOf(this.#options.log, kind, id, attempt, prompt));
  }

  #effectOf(
    log: RunLog | undefined,
    kind: Effect["kind"],
    id: string,
    attempt: number,
    prompt: string | undefined,
  ): Effect {
    const backed = this.#intents.has(`${id}#${attempt}`);
    const effect = { kind, id, attempt, backed, known: isKnown(log, kind, id) };
    return prompt === undefined ? effect : { ...effect, prompt };
  }

  /** The store as the run sees it that a tool makes: only its intents are known. */
  watchChild(store: RunStore): RunStore {
    const { claimRun, breakLease } = store;
    return {
      ...store,
      ...(claimRun && {
        claimRun: (runId, head) =>
          this.call("child-claim", () => claimRun.call(store, runId, head)),
      }),
      ...(breakLease && {
        breakLease: (runId) => this.call("child-break", () => breakLease.call(store, runId)),
      }),
      readRun: (runId) => this.call("child-read", () => store.readRun(runId)),
      startRun: (runId, entry) => this.call("child-start", () => store.startRun(runId, entry)),
      writeIntent: (runId, entry) =>
        this.call("child-intent", () => store.writeIntent(runId, entry), () => this.#back(entry)),
      writeOutcome: (runId, entry) =>
        this.call("child-outcome", () => store.writeOutcome(runId, entry)),
      finishRun: (runId, entry) => this.call("child-finish", () => store.finishRun(runId, entry)),
      releaseRun: (runId) => this.call("child-release", () => store.releaseRun(runId)),
    };
  }

  #back(entry: LogEntry): void {
    for (const intent of intentsOf(entry)) this.#intents.add(intent);
  }

  /** The store as the run sees it. */
  watch(store: RunStore): RunStore {
    const write = (
      method: "startRun" | "writeIntent" | "writeOutcome" | "finishRun",
      kind: string,
      barrier: boolean,
    ) =>
    (runId: string, entry: LogEntry) =>
      this.call(kind, () => this.#issue(entry, () => store[method](runId, entry)), () => {
        this.acked.push(this.issued.at(-1)!);
        this.holds = true;
        if (barrier) this.#durable = this.acked.length;
        if (method === "writeIntent") this.#back(entry);
      });
    const { claimRun } = store;
    return {
      ...(claimRun !== undefined && {
        claimRun: (runId: string, head: string) =>
          this.call("claim", () => claimRun.call(store, runId, head), () => this.holds = true),
      }),
      readRun: (runId) => this.call("read", () => store.readRun(runId)),
      startRun: write("startRun", "start", true),
      writeIntent: write("writeIntent", "intent", true),
      writeOutcome: write("writeOutcome", "outcome", false),
      finishRun: write("finishRun", "finish", true),
      releaseRun: (runId) =>
        this.call("release", () => store.releaseRun(runId), () => {
          if (!this.#failed) this.#durable = this.acked.length;
        }),
      parameters: () => store.parameters(),
    };
  }

  async #issue(entry: LogEntry, write: () => Promise<void>): Promise<void> {
    const issued: Issued = { entry, refused: false };
    this.issued.push(issued);
    try {
      await write();
    } catch (error) {
      const { code, durability } = error as { code?: string; durability?: string };
      this.#failed = true;
      issued.refused = durability === "none" || NOT_DONE.includes(code ?? "");
      throw error;
    }
  }

  #name(kind: string): string {
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    const point = `${kind}-${count}`;
    this.points.push(point);
    return point;
  }

  #mark(point: string, phase: Phase): void {
    const moment: Moment = {
      point,
      phase,
      snapshot: this.#options.medium.snapshot(),
      effects: this.effects.length,
      childEffects: this.childEffects.length,
      issued: this.issued.length,
      acked: this.acked.length,
      durable: this.#durable,
    };
    this.moments.push(moment);
    const { crashAt } = this.#options;
    if (crashAt?.point !== point || crashAt.phase !== phase) return;
    this.#dead = true;
    this.#die(moment);
  }

  #breathe(): void {
    if (this.#dead) throw new Error("the process is dead");
  }

  #faultAt(point: string): string | undefined {
    return this.#options.faults?.find((fault) => fault.point === point)?.kind;
  }

  async #meet(point: string, prefix: string): Promise<void> {
    const kind = this.#faultAt(point);
    if (kind === undefined || kind.startsWith("late-") !== (prefix !== "")) return;
    await this.#options.onFault?.(kind.slice(prefix.length));
  }
}

async function settle<T>(body: () => T | Promise<T>): Promise<{ value: T } | { error: unknown }> {
  try {
    return { value: await body() };
  } catch (error) {
    return { error };
  }
}

function never(): Promise<never> {
  return new Promise(() => {});
}

function intentsOf(entry: LogEntry): readonly string[] {
  const { records } = JSON.parse(entry.line) as { records: readonly LogRecord[] };
  return records.flatMap((record) => {
    if (record.type === "model_call_intent") return [`${record.callId}#${record.attempt}`];
    return record.type === "action_intent" ? [`${record.actionId}#${record.attempt}`] : [];
  });
}

/** Whether the log holds the answer to what is asked: it must then not be asked. */
function isKnown(log: RunLog | undefined, kind: Effect["kind"], id: string): boolean {
  if (log === undefined) return false;
  const step = Number(/^(?:.*\/s)?(\d+)/.exec(id)?.[1]);
  if (step < log.steps.length) return true;
  if (/_c\d+$/.test(id)) return log.summaries.some(({ callId }) => callId === id);
  const { open } = log;
  if (open === undefined || step !== open.stepIndex) return false;
  if (kind === "model") return open.reply !== undefined;
  if (kind === "interpret") return open.decision !== undefined;
  return open.actions.some(({ actionId }) => actionId === id);
}
