import type { ActionOutcome } from "../../types/mod.ts";

/** What became of a tool's action in the tool's own words: it returns one instead of a result. */
export class ToolOutcome {
  /** What became of the action. */
  readonly outcome: ActionOutcome;

  /** Holds an outcome. */
  constructor(outcome: ActionOutcome) {
    this.outcome = outcome;
    Object.freeze(this);
  }
}
