import type { ActionExecutor, ModelPort, RunStore } from "../../ports/mod.ts";
import type { AgentDefinition, RunRequest } from "../../session/mod.ts";
import type { LogEntry } from "../../types/mod.ts";

/** A process that dies at the n-th of its moments: the call of a port at which it does never settles. */
export class CrashProcess {
  /** Every moment that it came to, in words. */
  readonly moments: string[] = [];
  /** The lines that its store acknowledged. */
  readonly acknowledged: string[] = [];
  /** How often each action that may not be replayed was executed. */
  readonly executions: Map<string, number> = new Map();
  /** Resolves with the moment of its death. */
  readonly died: Promise<string>;
  readonly #crashAt: number;
  #dead = false;
  #die: (moment: string) => void = () => {};

  /** One that dies at its moment `crashAt`, from 0; with `Infinity` it lives. */
  constructor(crashAt: number) {
    this.#crashAt = crashAt;
    this.died = new Promise((resolve) => this.#die = resolve);
  }

  /** The agent as this process has it. */
  agent(agent: AgentDefinition): AgentDefinition {
    const { model, interpreter } = agent;
    const watched: ModelPort = {
      call: (call) => this.#call(`model call ${call.callId}`, () => model.call(call)),
      parameters: () => model.parameters(),
    };
    return {
      ...agent,
      model: watched,
      interpreter: {
        interpret: (reply, context) =>
          this.#call(
            `interpretation of step ${context.stepIndex}`,
            () => interpreter.interpret(reply, context),
          ),
        parameters: () => interpreter.parameters(),
      },
    };
  }

  /** The request as this process has it. */
  request(request: RunRequest): RunRequest {
    const { executor } = request;
    const watched: ActionExecutor = {
      execute: (call) =>
        this.#call(`action ${call.actionId}`, () => {
          if (executor.replayPolicy?.(call.action) !== "replayable") {
            this.executions.set(call.actionId, (this.executions.get(call.actionId) ?? 0) + 1);
          }
          return executor.execute(call);
        }),
      replayPolicy: (action) => executor.replayPolicy?.(action) ?? "never",
      completes: (toolName) => executor.completes?.(toolName) ?? false,
      parameters: () => executor.parameters(),
    };
    return { ...request, executor: watched };
  }

  /** The store as this process has it. */
  store(store: RunStore): RunStore {
    const write =
      (method: "startRun" | "writeIntent" | "writeOutcome" | "finishRun") =>
      (runId: string, entry: LogEntry) =>
        this.#call(`write ${entry.seq}`, async () => {
          await store[method](runId, entry);
          this.acknowledged.push(entry.line);
        });
    return {
      ...(store.claimRun !== undefined && {
        claimRun: (runId: string, head: string) =>
          this.#call("claim", async () => await store.claimRun?.(runId, head)),
      }),
      breakLease: async (runId) => await store.breakLease?.(runId),
      readRun: (runId) => store.readRun(runId),
      startRun: write("startRun"),
      writeIntent: write("writeIntent"),
      writeOutcome: write("writeOutcome"),
      finishRun: write("finishRun"),
      releaseRun: (runId) => this.#call("release", () => store.releaseRun(runId)),
      parameters: () => store.parameters(),
    };
  }

  async #call<T>(name: string, call: () => T | Promise<T>): Promise<T> {
    await this.#moment(`before ${name}`);
    const settled = await settle(call);
    await this.#moment(`when ${name} took effect and had not returned`);
    if ("error" in settled) throw settled.error;
    return settled.value;
  }

  async #moment(name: string): Promise<void> {
    if (!this.#dead) {
      this.#dead = this.moments.push(name) - 1 === this.#crashAt;
      if (this.#dead) this.#die(name);
    }
    if (this.#dead) await new Promise<never>(() => {});
  }
}

async function settle<T>(call: () => T | Promise<T>): Promise<{ value: T } | { error: unknown }> {
  try {
    return { value: await call() };
  } catch (error) {
    return { error };
  }
}
