/** What every event has. */
export interface EventBase {
  /** The run. */
  readonly runId: string;
  /** Numbered at emission, from 0 for each `run` or `resume`; a gap is exactly what was dropped. */
  readonly sequence: number;
  /** When: ISO 8601, UTC. */
  readonly at: string;
}
