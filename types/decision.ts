import type { JsonValue } from "./json.ts";

/**
 * How the model asks for actions.
 *
 * - `text`: in its text, one action for each reply.
 * - `native`: by the tool calls of its provider, any number for each reply.
 */
export type ToolProtocol = (typeof TOOL_PROTOCOLS)[number];

/** Every {@link ToolProtocol}. */
export const TOOL_PROTOCOLS = ["text", "native"] as const;

/** A tool call as the native protocol shows it in history. */
export interface ToolCall {
  /** The provider's id, kept as data. Absent: the provider gave none. */
  readonly id?: string;
  /** The tool's name. */
  readonly name: string;
  /** The arguments, as the model gave them. */
  readonly arguments: JsonValue;
}

/** An action that a decision asks for. Its form is the project's own; the library never looks inside. */
export interface PlannedAction {
  /** The action, for the executor. */
  readonly action: JsonValue;
  /** The tool that it names, where it names one: it decides whether executing it completes the run. */
  readonly toolName?: string;
  /** The tool call that it came from; each action has one under the native protocol. */
  readonly toolCall?: ToolCall;
}

/** The model wants something done: one action, or several in order under the native protocol. */
export interface ActionDecision {
  /** Tells the decision's kind. */
  readonly kind: "action";
  /** The actions, at least one, to be tried in order: one at a time, or several at once where the run lets them. */
  readonly actions: readonly PlannedAction[];
}

/** The model says that it is done. */
export interface FinalAnswerDecision {
  /** Tells the decision's kind. */
  readonly kind: "final_answer";
  /** The answer. */
  readonly answer: JsonValue;
}

/** The reply cannot be understood. It counts as a failure. */
export interface InvalidDecision {
  /** Tells the decision's kind. */
  readonly kind: "invalid";
  /** What was wrong, for the model: it becomes the step's observation. */
  readonly explanation: string;
  /**
   * That the library decided so, in its own words, as the reply asks for several actions by the text protocol. Absent:
   * the interpreter did, which never sets it.
   */
  readonly synthetic?: true;
}

/** What a reply means. */
export type Decision = ActionDecision | FinalAnswerDecision | InvalidDecision;

/** The `kind` of every {@link Decision}. */
export const DECISION_KINDS = ["action", "final_answer", "invalid"] as const;
