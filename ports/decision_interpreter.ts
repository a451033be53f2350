import type { Decision, ModelReply, ToolProtocol } from "../types/mod.ts";

/** Where a reply stands. */
export interface InterpretContext {
  /** The run. */
  readonly runId: string;
  /** The step, from 0. */
  readonly stepIndex: number;
  /** The names of the tools that are visible in the run, in registry order. Absent: the run names none. */
  readonly toolNames?: readonly string[];
  /** Aborts when the run is cancelled. */
  readonly signal: AbortSignal;
}

/** What a reply means, and how history shows it. */
export interface Interpretation {
  /** The decision. */
  readonly decision: Decision;
  /** The assistant's text in later prompts. It may differ from the reply: often what follows an action is cut. */
  readonly historyText: string;
}

/**
 * Reads a model's reply as a decision. The library has no default: it would choose an action protocol for everybody.
 *
 * Contract:
 *
 * - It is called once for each recorded reply; after a crash, or after it threw, again with the same reply.
 * - It should be a function of the reply alone. A reply that it cannot read is an `invalid` decision, not a throw: a
 *   throw, or junk, is a bug. It propagates to the caller of `run`; the reply is recorded and the run can be resumed.
 *   So is a decision that it calls `synthetic`: only the library's own is.
 * - On abort it should settle soon; it is not called once the run is aborted.
 * - It must not change what it is given. What it returns is copied.
 */
export interface DecisionInterpreter {
  /**
   * The protocol of the replies that it reads: under `native` each action of a decision has its tool call, under `text`
   * a decision has one action. A run uses it, and refuses another one. Absent: the run says which.
   */
  readonly toolProtocol?: ToolProtocol;
  /** Reads a reply. */
  interpret(reply: ModelReply, context: InterpretContext): Interpretation | Promise<Interpretation>;
  /**
   * What of the configuration bears on the run, digests of every text that it writes for the model included. It
   * enters the parameter snapshot. Called once for each `run` or `resume`; must not throw.
   */
  parameters(): Readonly<Record<string, string>>;
}
