import {
  type LeaseOptions,
  type LogEntry,
  type PolyLoopError,
  RunConflictError,
  RunExistsError,
  StoreFailedError,
  type StoreTask,
} from "../../types/mod.ts";
import { type Lease, leased, Leases } from "../_lease/leases.ts";
import { checkHead, checkNext, emptyTail, missingRun } from "../_log/tail.ts";
import { attempt, commitBlind, notWritten, unlessFailed } from "./attempt.ts";
import { commitKv } from "./commit.ts";
import type { KvAtomicOperation, KvDatabase } from "./database.ts";
import { entryKey, firstChunkKey, leaseKey, runKey, STRONG, unfinishedKey } from "./keys.ts";
import {
  changeDriver,
  type KvLease,
  lookForClaim,
  putLease,
  readLease,
  readLeases,
} from "./leases.ts";
import {
  chunkCommits,
  entryValue,
  type KvTail,
  lookFor,
  readLines,
  readRun,
  readRunIds,
  removals,
  runRemoval,
} from "./log.ts";

/** What is known of a run that is written to: where its log ends and, if it is about to be taken up, its lease. */
interface FoundRun {
  readonly tail: KvTail;
  /** Absent: this store drives the run. */
  readonly lease?: KvLease;
}

/** The runs in a database, and what is known of those that are driven through this store. */
export class KvRuns {
  readonly #kv: KvDatabase;
  readonly #leases: Leases;
  /** The tails of the runs taken up through this store and not yet released. */
  readonly #held = new Map<string, KvTail>();
  /** The runs of which a write failed: they must be read again. */
  readonly #refused = new Set<string>();

  constructor(kv: KvDatabase, leases: LeaseOptions) {
    this.#kv = kv;
    this.#leases = new Leases(
      "kvStore",
      leases,
      (runIds) => runIds.forEach((id) => this.#renew(id)),
    );
  }

  async read(runId: string): Promise<readonly string[] | null> {
    const log = await attempt({ action: "read", runId }, () => readLines(this.#kv, runId));
    const held = this.#held.get(runId);
    const isHeld = held !== undefined && log !== null &&
      held.versionstamp === log.versionstamp && held.length >= log.lines.length;
    if (!isHeld) this.#letGo(runId);
    this.#refused.delete(runId);
    return log?.lines ?? null;
  }

  /** The ids of the runs that there are, sorted. */
  async list(unfinished: boolean, idle: boolean): Promise<readonly string[]> {
    return await attempt({ action: "list" }, async () => {
      const ids = await readRunIds(this.#kv, unfinished);
      const leases = idle ? await readLeases(this.#kv) : new Map<string, Lease>();
      return ids.filter((runId) => !this.#isDriven(runId, leases.get(runId))).sort();
    });
  }

  async start(runId: string, entry: LogEntry): Promise<void> {
    const task = notWritten(runId);
    if (await this.#has(task, runId)) throw new RunExistsError(runId);
    checkNext(runId, emptyTail(runId), entry);
    const [key, origin] = [runKey(runId), crypto.randomUUID()];
    const versionstamp = await this.#publish(runId, entry, origin, origin, (atomic) => {
      atomic.check({ key, versionstamp: null }).set(key, origin).set(unfinishedKey(runId), true);
      putLease(atomic, runId, this.#leases.renewed(), origin);
    });
    if (versionstamp === null) {
      if (await this.#has(task, runId)) throw new RunExistsError(runId);
      throw new RunConflictError(runId, entry.seq, "the run was removed while it was started");
    }
    this.#hold(runId, { length: 1, hash: entry.hash, origin, versionstamp });
  }

  async append(runId: string, entry: LogEntry, finishes: boolean): Promise<void> {
    this.#checkRead(runId);
    let mustRead = !this.#held.has(runId);
    try {
      const found = await this.#find(runId, entry);
      checkNext(runId, found.tail, entry);
      mustRead = true;
      const token = crypto.randomUUID();
      const versionstamp = await this.#publish(runId, entry, found.tail.origin, token, (atomic) => {
        this.#drive(atomic, runId, found, token, finishes);
        if (finishes) atomic.delete(unfinishedKey(runId));
      });
      if (versionstamp === null) throw await this.#overtaken(runId, entry);
      const tail = finishes ? { ...found.tail, versionstamp } : tailOf(found, versionstamp);
      this.#hold(runId, { ...tail, length: entry.seq + 1, hash: entry.hash });
      if (finishes) this.#leases.drop(runId);
    } catch (error) {
      const overtaken = (this.#held.get(runId)?.length ?? 0) > entry.seq;
      if (mustRead && !overtaken) this.#refuse(runId);
      throw error;
    }
  }

  async claim(runId: string, head: string): Promise<void> {
    this.#checkRead(runId);
    const found = await this.#find(runId, { seq: 0 });
    const { tail } = found;
    checkHead(runId, tail, head);
    const token = crypto.randomUUID();
    const operation = () => this.#drive(this.#kv.atomic(), runId, found, token, false);
    const look = () => lookForClaim(this.#kv, runId, tail, token);
    const outcome = unlessFailed(notWritten(runId), await commitKv(operation, look));
    if (outcome.kind === "refused") throw await this.#overtaken(runId, { seq: tail.length });
    this.#hold(runId, tailOf(found, outcome.versionstamp));
  }

  async breakLease(runId: string): Promise<void> {
    const task = notWritten(runId);
    for (;;) {
      const { value, versionstamp } = await this.#get(task, runId);
      if (versionstamp === null) return;
      const known = { origin: String(value), versionstamp };
      const operation = () => changeDriver(this.#kv.atomic(), runId, known).delete(leaseKey(runId));
      if (unlessFailed(task, await commitBlind(operation)).kind === "committed") break;
    }
    this.#letGo(runId);
  }

  /** Lets go of a run. Where its lease cannot be given back it runs out by itself. */
  async release(runId: string): Promise<void> {
    const tail = this.#held.get(runId);
    const isLeased = this.#leases.drop(runId);
    this.#held.delete(runId);
    if (tail === undefined || !isLeased) return;
    await commitBlind(() => changeDriver(this.#kv.atomic(), runId, tail).delete(leaseKey(runId)));
  }

  async remove(runId: string): Promise<boolean> {
    const task = { action: "delete", runId, durability: "none" } as const;
    let isThere: boolean;
    for (;;) {
      isThere = await this.#has(task, runId);
      if (!isThere) break;
      const lease = await attempt(task, () => readLease(this.#kv, runId));
      if (this.#isDriven(runId, lease)) throw leased(runId, lease);
      const removal = runRemoval(this.#kv, runId, lease);
      if (unlessFailed(task, await commitBlind(removal)).kind === "committed") break;
    }
    const partly = { ...task, durability: "unknown" } as const;
    await attempt(partly, async () => {
      for await (const operation of removals(this.#kv, runId)) {
        const outcome = unlessFailed(task, await commitBlind(operation), "unknown");
        if (outcome.kind === "refused") return;
      }
    });
    return isThere;
  }

  /** A run that this store drives, or that it may take up. */
  async #find(runId: string, entry: Pick<LogEntry, "seq">): Promise<FoundRun> {
    const held = this.#held.get(runId);
    if (held !== undefined) return { tail: held };
    const found = await attempt(notWritten(runId), () => readRun(this.#kv, runId));
    if (found === null) throw missingRun(runId, entry);
    if (this.#leases.isForeign(found.lease)) throw leased(runId, found.lease);
    return found;
  }

  /** Has an operation depend on the run being this store's, or makes it so; after its last entry it is nobody's. */
  #drive(
    atomic: KvAtomicOperation,
    runId: string,
    { tail, lease }: FoundRun,
    token: string,
    finishes: boolean,
  ): KvAtomicOperation {
    if (lease !== undefined) {
      atomic.check({ key: leaseKey(runId), versionstamp: lease.versionstamp });
    }
    if (lease !== undefined || finishes) changeDriver(atomic, runId, tail);
    else atomic.check({ key: runKey(runId), versionstamp: tail.versionstamp });
    const renewed = this.#leases.renewed();
    return putLease(atomic, runId, finishes ? { ...renewed, until: 0 } : renewed, token);
  }

  /** Why a run could not be written to or taken up: its driver, or its log, is another one. */
  async #overtaken(runId: string, { seq }: Pick<LogEntry, "seq">): Promise<PolyLoopError> {
    const lease = await attempt(notWritten(runId), () => readLease(this.#kv, runId));
    if (!this.#held.has(runId) && this.#leases.isForeign(lease)) return leased(runId, lease);
    const detail = "another driver has written to the run, taken it over, or removed it";
    return new RunConflictError(runId, seq, detail);
  }

  #isDriven(runId: string, lease: Lease | undefined): boolean {
    return lease !== undefined && this.#leases.isDriven(lease, this.#held.has(runId));
  }

  /** Renews a lease. If the run has another driver by now, or the database is closed, that was the last time. */
  async #renew(runId: string): Promise<void> {
    const held = this.#held.get(runId);
    if (held === undefined) return;
    const atomic = this.#kv.atomic().check({ key: runKey(runId), versionstamp: held.versionstamp });
    try {
      putLease(atomic, runId, this.#leases.renewed(), crypto.randomUUID());
      const { ok } = await atomic.commit();
      if (!ok && this.#held.get(runId)?.versionstamp === held.versionstamp) {
        this.#leases.rest(runId);
      }
    } catch (error) {
      if (error instanceof Deno.errors.BadResource) this.#leases.rest(runId);
    }
  }

  async #has(task: StoreTask, runId: string): Promise<boolean> {
    return (await this.#get(task, runId)).versionstamp !== null;
  }

  #get(task: StoreTask, runId: string): ReturnType<KvDatabase["get"]> {
    return attempt(task, () => this.#kv.get(runKey(runId), STRONG));
  }

  #checkRead(runId: string): void {
    if (!this.#refused.has(runId)) return;
    throw new StoreFailedError(notWritten(runId), "a write of it failed: read the run again first");
  }

  #hold(runId: string, tail: KvTail): void {
    this.#held.set(runId, tail);
    this.#refused.delete(runId);
    this.#leases.keep(runId);
  }

  #letGo(runId: string): void {
    this.#held.delete(runId);
    this.#leases.drop(runId);
  }

  #refuse(runId: string): void {
    this.#refused.add(runId);
    this.#leases.rest(runId);
  }

  /**
   * Writes an entry's chunks, if it needs any, then the entry itself, unless a removal of the run has taken the chunks.
   * Gives the versionstamp of that commit, or `null` if a check failed.
   */
  async #publish(
    runId: string,
    entry: LogEntry,
    origin: string,
    token: string,
    complete: (atomic: KvAtomicOperation) => void,
  ): Promise<string | null> {
    const bytes = new TextEncoder().encode(entry.line);
    let written: string | undefined;
    for (const operation of chunkCommits(this.#kv, runId, origin, token, bytes)) {
      const outcome = unlessFailed(notWritten(runId), await commitBlind(operation), "none");
      if (outcome.kind === "committed") written ??= outcome.versionstamp;
    }
    const key = entryKey(runId, origin, entry.seq);
    const chunk = firstChunkKey(runId, origin, token);
    const operation = () => {
      const atomic = this.#kv.atomic().check({ key, versionstamp: null });
      if (written !== undefined) atomic.check({ key: chunk, versionstamp: written });
      complete(atomic);
      return atomic.set(key, entryValue(token, bytes));
    };
    const look = () => lookFor(this.#kv, key, token);
    const outcome = unlessFailed(notWritten(runId), await commitKv(operation, look));
    return outcome.kind === "committed" ? outcome.versionstamp : null;
  }
}

/** A run's tail after a commit that took it up, if it was not held. */
function tailOf({ tail, lease }: FoundRun, versionstamp: string): KvTail {
  return lease === undefined ? tail : { ...tail, versionstamp };
}
