import type { Lease } from "../_lease/leases.ts";
import type { KvFinding } from "./commit.ts";
import type { KvAtomicOperation, KvDatabase } from "./database.ts";
import { leaseKey, ROOT, runKey, STRONG } from "./keys.ts";

/** Which run of an id it is, and that it has the driver that it had. */
export interface KvDriver {
  /** The token of the entry that started the run: a run that was removed and started anew has another. */
  readonly origin: string;
  /** The versionstamp of the run's key: it changes when the run gets another driver, or none, and when it is removed. */
  readonly versionstamp: string;
}

/** A run's lease as it lies in the database. */
export interface KvLease extends Lease {
  /** The token of the commit that put it there. */
  readonly token: string;
  /** The versionstamp of its key; `null` where there is none. */
  readonly versionstamp: string | null;
}

/** The lease of a run; that of nobody where there is none. */
export async function readLease(kv: KvDatabase, runId: string): Promise<KvLease> {
  const { value, versionstamp } = await kv.get(leaseKey(runId), STRONG);
  return { ...leaseIn(value), versionstamp };
}

/** The leases of all runs, by the run's id. */
export async function readLeases(kv: KvDatabase): Promise<ReadonlyMap<string, Lease>> {
  const leases = new Map<string, Lease>();
  for await (const { key, value } of kv.list({ prefix: [...ROOT, "lease"] }, STRONG)) {
    leases.set(String(key.at(-1)), leaseIn(value));
  }
  return leases;
}

function leaseIn(value: unknown): Omit<KvLease, "versionstamp"> {
  const { owner, until, token }: { readonly [name in keyof KvLease]?: unknown } = Object(value);
  return { owner: String(owner ?? ""), until: Number(until ?? 0), token: String(token ?? "") };
}

/** Looks for the token of a commit that took a run up, or kept it. */
export async function lookForClaim(
  kv: KvDatabase,
  runId: string,
  driver: KvDriver,
  token: string,
): Promise<KvFinding> {
  const lease = await readLease(kv, runId);
  if (lease.token === token && lease.versionstamp !== null) {
    return { versionstamp: lease.versionstamp };
  }
  const { versionstamp } = await kv.get(runKey(runId), STRONG);
  return versionstamp === driver.versionstamp ? "absent" : "taken";
}

/** Puts a lease, with the token of the commit, into an operation; one that lasts no time is removed instead. */
export function putLease(
  atomic: KvAtomicOperation,
  runId: string,
  lease: Lease,
  token: string,
): KvAtomicOperation {
  const key = leaseKey(runId);
  return lease.until === 0 ? atomic.delete(key) : atomic.set(key, { ...lease, token });
}

/**
 * Has an operation depend on the driver of a run, and change it: nobody who knew the run as it was can write to it any
 * more, nor renew its lease.
 */
export function changeDriver(
  atomic: KvAtomicOperation,
  runId: string,
  { origin, versionstamp }: KvDriver,
): KvAtomicOperation {
  const key = runKey(runId);
  return atomic.check({ key, versionstamp }).set(key, origin);
}
