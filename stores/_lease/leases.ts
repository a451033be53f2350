import { setInterval } from "node:timers";
import {
  InvalidRequestError,
  type KnownFields,
  type LeaseOptions,
  RunLockedError,
} from "../../types/mod.ts";

/** The options, for whoever refuses others. */
export const LEASE_FIELDS: KnownFields<LeaseOptions> = {
  leaseMs: true,
  leaseOwner: true,
  now: true,
  every: true,
};

const DEFAULT_LEASE_MS = 30_000;

/** No timer waits longer. */
const LONGEST_MS = 2_147_483_647;

/** No date is later: what lies in a database may say that a lease is. */
const LATEST_DATE_MS = 8.64e15;

/** How many times a lease is renewed while it lasts. */
const RENEWALS = 3;

/** Who has a run, and until when: milliseconds since the epoch, 0 where it was given back. */
export interface Lease {
  readonly owner: string;
  readonly until: number;
}

/** The leases that a store has: their owner and length, and the timer that has them renewed. */
export class Leases {
  /** Whose they are. */
  readonly owner: string;
  /** How long they last, in milliseconds; 0: there are none. */
  readonly ms: number;
  readonly #now: () => number;
  readonly #every: (ms: number, call: () => void) => () => void;
  readonly #renew: (runIds: readonly string[]) => void;
  /** The runs whose leases are renewed. */
  readonly #kept = new Set<string>();
  /** The runs whose leases are no longer renewed and were not given back. */
  readonly #resting = new Set<string>();
  #stop: (() => void) | undefined;

  /**
   * Takes the options of a store, and what renews the leases of runs. What that throws is not heard: the next write
   * tells what is wrong.
   *
   * @throws {InvalidRequestError} For an option that is not as it must be.
   */
  constructor(store: string, options: LeaseOptions, renew: (runIds: readonly string[]) => void) {
    checkOptions(store, options);
    this.owner = options.leaseOwner ?? crypto.randomUUID();
    this.ms = options.leaseMs ?? DEFAULT_LEASE_MS;
    this.#now = options.now ?? Date.now;
    this.#every = options.every ?? everyUnlessAlone;
    this.#renew = renew;
  }

  /** The lease of a run that this store drives, from now on. */
  renewed(): Lease {
    return this.lasting(this.owner, this.ms);
  }

  /** The lease of an owner that has so many milliseconds left, in the words of this store's clock. */
  lasting(owner: string, leftMs: number): Lease {
    return { owner, until: leftMs === 0 ? 0 : Math.ceil(this.#now() + leftMs) };
  }

  /** Whether a lease keeps this store from taking its run. */
  isForeign(lease: Lease): boolean {
    return this.isDriven(lease, false);
  }

  /** Whether somebody has the run of a lease: another store, or this one if it holds the run. */
  isDriven(lease: Lease, holds: boolean): boolean {
    return (holds || lease.owner !== this.owner) && lease.until > this.#now();
  }

  /** Has the lease of a run renewed from time to time. */
  keep(runId: string): void {
    if (this.ms === 0) return;
    this.#resting.delete(runId);
    this.#kept.add(runId);
    this.#stop ??= this.#every(this.ms / RENEWALS, () => this.#renewAll());
  }

  /** Has it renewed no more, after a failure: it is still to be given back. */
  rest(runId: string): void {
    if (this.#kept.has(runId)) this.#resting.add(runId);
    this.#forget(runId);
  }

  /** Forgets it; whether it is to be given back. */
  drop(runId: string): boolean {
    const isLent = this.#kept.has(runId) || this.#resting.delete(runId);
    this.#forget(runId);
    return isLent;
  }

  #forget(runId: string): void {
    this.#kept.delete(runId);
    if (this.#kept.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
  }

  #renewAll(): void {
    try {
      this.#renew([...this.#kept]);
    } catch {
      // The database is closed, or not to be had right now.
    }
  }
}

/** What a driver meets whose run another one has. */
export function leased(runId: string, lease: Pick<Lease, "until">): RunLockedError {
  const until = Math.min(lease.until, LATEST_DATE_MS);
  const detail = `its lease lasts until ${new Date(until).toISOString()}`;
  return new RunLockedError(runId, detail, { until });
}

function checkOptions(store: string, { leaseMs, leaseOwner, now, every }: LeaseOptions): void {
  const refuse = (name: keyof LeaseOptions, value: unknown, reason: string): never => {
    throw new InvalidRequestError(`${store}.${name}`, value, reason);
  };
  const isTime = Number.isInteger(leaseMs) && Number(leaseMs) >= 0 && Number(leaseMs) <= LONGEST_MS;
  if (leaseMs !== undefined && !isTime) {
    refuse("leaseMs", leaseMs, `it must be a whole number from 0 to ${LONGEST_MS}`);
  }
  if (leaseOwner !== undefined && (typeof leaseOwner !== "string" || leaseOwner === "")) {
    refuse("leaseOwner", leaseOwner, "it must be a string that is not empty");
  }
  for (const [name, value] of [["now", now], ["every", every]] as const) {
    if (value !== undefined && typeof value !== "function") {
      refuse(name, value, "it must be a function");
    }
  }
}

/** An interval that does not keep a process alive which waits for nothing else. */
function everyUnlessAlone(ms: number, call: () => void): () => void {
  const timer = setInterval(call, ms);
  timer.unref();
  return () => clearInterval(timer);
}
