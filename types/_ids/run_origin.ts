/** What a run goes on from: the place in another run's log where its context was taken. */
export interface RunOrigin {
  /** That run. */
  readonly runId: string;
  /** The hash of the entry in its log that holds the last record that was used: what came later bears on nothing. */
  readonly logHead: string;
  /** How many of its own steps were used, from its first. */
  readonly steps: number;
  /**
   * How many steps of the whole conversation were used: those of the runs that it goes on from, too. Under the native
   * protocol history numbers its tool calls from here, so that a prompt that was carried over stays as it was.
   */
  readonly historySteps: number;
  /** The run that the conversation began with. */
  readonly root: string;
}

/** The action of another run whose tool makes a run. */
export interface ParentAction {
  /** The run that the action belongs to. */
  readonly runId: string;
  /** The action's id. */
  readonly actionId: string;
}
