/**
 * How a store without locks keeps a run for the driver that it has: the options of `sqliteStore`, `kvStore` and
 * `postgresStore`.
 */
export interface LeaseOptions {
  /**
   * How long a run stays with its driver after the last word of it, in milliseconds. Each write renews the lease, and so
   * does a timer, every third of this time, until the run is released. 0: there are no leases, and whoever writes next
   * has the run.
   * @default {30_000}
   */
  readonly leaseMs?: number;
  /**
   * Whose the leases are. A store of the same name takes them over at once: so a program that was killed and started
   * again goes on without a wait. The name must be that of one process at a time, such as a host's where one process
   * runs on it. Default: a name that no other store has.
   */
  readonly leaseOwner?: string;
  /**
   * The clock, in milliseconds since the epoch. Hosts whose clocks differ take a run too early or too late by that
   * difference; that costs the slower one its run, and never lets two of them act.
   * @default {Date.now}
   */
  readonly now?: () => number;
  /**
   * Calls a function every so many milliseconds until what it gave is called. Default: an interval that does not keep
   * the process alive.
   */
  readonly every?: (ms: number, call: () => void) => () => void;
}
