import {
  type Durability,
  type LeaseOptions,
  type LogEntry,
  PolyLoopError,
  RunConflictError,
  RunExistsError,
  StoreFailedError,
  type StoreTask,
} from "../../types/mod.ts";
import { type Lease, leased, Leases } from "../_lease/leases.ts";
import { checkHead, checkNext, emptyTail, type LogTail, missingRun } from "../_log/tail.ts";
import { postgresFailure } from "./client.ts";
import { commitEntry, type PostgresOutcome } from "./commit.ts";
import type { ListedRun, PostgresDriver, PostgresLog, PostgresTail } from "./log.ts";
import type { EntryKind, Fence } from "./statements.ts";

/** The tail of a run that this store drives. */
interface HeldTail extends PostgresTail {
  /** Whether the last entry may be in the server's memory alone. */
  readonly isLazy: boolean;
}

/** A run that is written to or taken up. */
interface FoundRun {
  readonly tail: PostgresTail;
  readonly fence: Fence;
}

/** The runs in a database, and what is known of those that are driven through this store. */
export class PostgresRuns {
  readonly #log: PostgresLog;
  readonly #leases: Leases;
  /** The tails of the runs taken up through this store and not yet released. */
  readonly #held = new Map<string, HeldTail>();
  /** The runs of which a write failed: they must be read again. */
  readonly #refused = new Set<string>();
  /** The runs whose leases are to be renewed once the statement that is under way has its answer. */
  #toRenew: readonly string[] = [];
  #isRenewing = false;

  constructor(log: PostgresLog, leases: LeaseOptions) {
    this.#log = log;
    this.#leases = new Leases("postgresStore", leases, (runIds) => void this.#renewLast(runIds));
  }

  async read(runId: string): Promise<readonly string[] | null> {
    const log = await attempt({ action: "read", runId }, () => this.#log.read(runId));
    const held = this.#held.get(runId);
    // A read that a write overtook knows fewer entries than the store does.
    const isHeld = held !== undefined && log !== null && !this.#refused.has(runId) &&
      held.run === log.run && log.driver === this.#leases.owner && held.length >= log.lines.length;
    if (!isHeld) this.#letGo(runId);
    this.#refused.delete(runId);
    return log?.lines ?? null;
  }

  /** The lines of a run, some at a time. */
  async *readLines(runId: string): AsyncGenerator<readonly string[]> {
    try {
      yield* this.#log.parts(runId);
    } catch (error) {
      throw asStoreError({ action: "read", runId }, error);
    }
  }

  /** The ids of the runs that there are, sorted. */
  async list(unfinished: boolean, idle: boolean): Promise<readonly string[]> {
    const runs = await attempt(
      { action: "list" },
      () => this.#log.list(unfinished, idle, this.#leases.owner),
    );
    const isListed = (run: ListedRun) =>
      !(idle && this.#leases.isDriven(this.#leaseOf(run), this.#held.has(run.runId)));
    return runs.filter(isListed).map(({ runId }) => runId);
  }

  async start(runId: string, entry: LogEntry): Promise<void> {
    checkEntry(runId, emptyTail(runId), entry);
    const token = crypto.randomUUID();
    const outcome = await this.#commit(
      runId,
      entry,
      token,
      () => this.#log.start(runId, token, entry.line, this.#leases),
    );
    if (outcome === null) throw new RunExistsError(runId);
    this.#hold(runId, { length: 1, hash: entry.hash, run: outcome.run, token, isLazy: false });
  }

  async append(kind: EntryKind, runId: string, entry: LogEntry): Promise<void> {
    this.#checkRead(runId);
    let mustRead = !this.#held.has(runId);
    try {
      const found = await this.#find(runId, entry);
      checkEntry(runId, found.tail, entry);
      mustRead = true;
      const token = crypto.randomUUID();
      const lease = { owner: this.#leases.owner, ms: kind === "finish" ? 0 : this.#leases.ms };
      const { seq, hash, line } = entry;
      const outcome = await this.#commit(
        runId,
        entry,
        token,
        () => this.#log.append(found, lease, { kind, seq, token, line }),
      );
      if (outcome === null) throw await this.#overtaken(runId, entry, found);
      const isLazy = kind === "outcome";
      this.#hold(runId, { length: seq + 1, hash, run: outcome.run, token, isLazy });
      if (kind === "finish") this.#leases.drop(runId);
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
    const isTaken = await attempt(
      notWritten(runId),
      () => this.#log.claim(found, this.#leases),
    );
    if (!isTaken) throw await this.#overtaken(runId, { seq: tail.length }, found);
    this.#hold(runId, { ...tail, isLazy: false });
  }

  async breakLease(runId: string): Promise<void> {
    await attempt(notWritten(runId), () => this.#log.breakLease(runId));
    this.#letGo(runId);
  }

  /** Lets go of a run. Where its lease cannot be given back it runs out by itself. */
  async release(runId: string): Promise<void> {
    const held = this.#held.get(runId);
    const isLeased = this.#leases.drop(runId);
    this.#held.delete(runId);
    const isUnsure = held?.isLazy === true && !this.#refused.has(runId);
    if (held === undefined || !(isLeased || isUnsure)) return;
    try {
      if (await this.#log.release(held, this.#leases.owner) || !isUnsure) return;
      const last = await this.#log.entry(runId, held.length - 1);
      if (last?.token !== held.token) throw new Error("the last entries are no longer there");
    } catch (error) {
      const task = { action: "release", runId, durability: "unknown" } as const;
      if (isUnsure) throw asStoreError(task, error);
    }
  }

  /** Removes a run; whether there was one. */
  async remove(runId: string): Promise<boolean> {
    const task = { action: "delete", runId, durability: "unknown" } as const;
    return await attempt(task, async () => {
      // A lease of this store's name does not keep it from a run that it does not drive; nobody has the name "".
      const owner = this.#held.has(runId) ? "" : this.#leases.owner;
      for (;;) {
        if (await this.#log.remove(runId, owner)) return true;
        const found = await this.#log.row(runId);
        if (found === null) return false;
        const lease = this.#leaseOf(found);
        if (this.#leases.isDriven(lease, this.#held.has(runId))) throw leased(runId, lease);
      }
    });
  }

  /** A run that this store drives, or that it may take up. */
  async #find(runId: string, entry: Pick<LogEntry, "seq">): Promise<FoundRun> {
    const held = this.#held.get(runId);
    if (held !== undefined) return { tail: held, fence: "held" };
    const found = await attempt(notWritten(runId), () => this.#log.find(runId));
    if (found === null) throw missingRun(runId, entry);
    const lease = this.#leaseOf(found);
    if (this.#leases.isForeign(lease)) throw leased(runId, lease);
    return { tail: found.tail, fence: "free" };
  }

  /** Writes an entry; `null`: it was refused. */
  async #commit(
    runId: string,
    { seq }: LogEntry,
    token: string,
    write: () => Promise<string | null>,
  ): Promise<Extract<PostgresOutcome, { kind: "written" }> | null> {
    const outcome = await commitEntry(token, write, () => this.#log.entry(runId, seq));
    if (outcome.kind === "failed") {
      throw postgresFailure(writing(runId, outcome.durability), outcome.cause);
    }
    return outcome.kind === "refused" ? null : outcome;
  }

  /** Why a run could not be written to or taken up: its driver, or its log, is another one. */
  async #overtaken(
    runId: string,
    entry: Pick<LogEntry, "seq">,
    { tail, fence }: FoundRun,
  ): Promise<PolyLoopError> {
    const found = await attempt(notWritten(runId), () => this.#log.find(runId));
    if (found === null) return missingRun(runId, entry);
    const lease = this.#leaseOf(found);
    if (fence === "free" && this.#leases.isForeign(lease)) return leased(runId, lease);
    const detail = found.tail.length < tail.length
      ? `the server has lost entries that it had acknowledged: it holds ${found.tail.length}`
      : "another driver has written to the run, taken it over, or removed it";
    return new RunConflictError(runId, entry.seq, detail);
  }

  #leaseOf({ driver, leftMs }: PostgresDriver): Lease {
    return this.#leases.lasting(driver, leftMs);
  }

  /** Renews leases; while one statement is under way no other is sent, and then the last that was asked for. */
  async #renewLast(runIds: readonly string[]): Promise<void> {
    this.#toRenew = runIds;
    if (this.#isRenewing) return;
    this.#isRenewing = true;
    while (this.#toRenew.length > 0) {
      const asked = this.#toRenew;
      this.#toRenew = [];
      await this.#renew(asked).catch(() => {}); // The server is not to be had right now: the next write tells.
    }
    this.#isRenewing = false;
  }

  /** Renews leases by one statement. Those that are another driver's by now are renewed no more. */
  async #renew(runIds: readonly string[]): Promise<void> {
    const asked = new Map(runIds.map((runId) => [runId, this.#held.get(runId)?.run]));
    const runs = [...asked.values()].filter((run) => run !== undefined);
    const kept = await this.#log.renew(this.#leases, runs);
    for (const [runId, run] of asked) {
      const isSame = this.#held.get(runId)?.run === run;
      if (isSame && run !== undefined && !kept.has(run)) this.#leases.rest(runId);
    }
  }

  #checkRead(runId: string): void {
    if (!this.#refused.has(runId)) return;
    throw new StoreFailedError(notWritten(runId), "a write of it failed: read the run again first");
  }

  #hold(runId: string, tail: HeldTail): void {
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
}

/** Refuses an entry that may not be the next of a log, or that PostgreSQL cannot keep. */
function checkEntry(runId: string, tail: LogTail, entry: LogEntry): void {
  checkNext(runId, tail, entry);
  if (!entry.line.includes("\0")) return;
  throw new StoreFailedError(
    notWritten(runId),
    "a text in PostgreSQL cannot carry a NUL unescaped",
  );
}

function writing(runId: string, durability: Durability): StoreTask {
  return { action: "write", runId, durability };
}

/** A write that has not reached the database. */
function notWritten(runId: string): StoreTask {
  return writing(runId, "none");
}

async function attempt<T>(task: StoreTask, body: () => Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (error) {
    throw asStoreError(task, error);
  }
}

function asStoreError(task: StoreTask, error: unknown): PolyLoopError {
  return error instanceof PolyLoopError ? error : postgresFailure(task, error);
}
