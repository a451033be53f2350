import {
  type Durability,
  errorInfo,
  type LogEntry,
  PolyLoopError,
  RunConflictError,
  RunExistsError,
  type StoredRun,
  StoreFailedError,
  type StoreTask,
} from "../../types/mod.ts";
import { checkRunId } from "../_log/run_id.ts";
import { checkNext, emptyTail, missingRun } from "../_log/tail.ts";
import { commitKv, type KvOutcome, untilUnlocked } from "./commit.ts";
import type { KvAtomicOperation, KvDatabase } from "./database.ts";
import {
  chunkCommits,
  entryKey,
  entryValue,
  firstChunkKey,
  type KvTail,
  lookFor,
  readLines,
  readRunIds,
  readTail,
  removals,
  runKey,
  runRemoval,
  streamLines,
  unfinishedKey,
} from "./log.ts";

/** The runs in a database, and what is known of those that are driven through this store. */
export class KvRuns {
  readonly #kv: KvDatabase;
  /** The tails of the runs written through this store and not yet released. */
  readonly #held = new Map<string, KvTail>();
  /** The runs of which a write failed: they must be read again. */
  readonly #refused = new Set<string>();

  constructor(kv: KvDatabase) {
    this.#kv = kv;
  }

  async read(runId: string): Promise<readonly string[] | null> {
    const log = await attempt({ action: "read", runId }, () => readLines(this.#kv, runId));
    const held = this.#held.get(runId);
    if (held && (held.origin !== log?.origin || held.length < log.lines.length)) {
      this.#held.delete(runId);
    }
    this.#refused.delete(runId);
    return log?.lines ?? null;
  }

  async list(unfinished: boolean): Promise<string[]> {
    return await attempt({ action: "list" }, () => readRunIds(this.#kv, unfinished));
  }

  async *lines(runId: string): AsyncGenerator<readonly string[]> {
    checkRunId(runId);
    try {
      yield* streamLines(this.#kv, runId);
    } catch (error) {
      throw asStoreError({ action: "read", runId }, error);
    }
  }

  async *runs(): AsyncGenerator<StoredRun> {
    for (const runId of (await this.list(false)).sort()) yield { runId, lines: this.lines(runId) };
  }

  async start(runId: string, entry: LogEntry): Promise<void> {
    const task = notWritten(runId);
    if (await this.#has(task, runId)) throw new RunExistsError(runId);
    checkNext(runId, emptyTail(runId), entry);
    const [key, origin] = [runKey(runId), crypto.randomUUID()];
    const versionstamp = await this.#publish(runId, entry, origin, origin, (atomic) => {
      atomic.check({ key, versionstamp: null }).set(key, origin).set(unfinishedKey(runId), true);
    });
    if (versionstamp === null) {
      if (await this.#has(task, runId)) throw new RunExistsError(runId);
      throw new RunConflictError(runId, entry.seq, "the run was removed while it was started");
    }
    this.#hold(runId, { length: 1, hash: entry.hash, origin, versionstamp });
  }

  async append(runId: string, entry: LogEntry, finishes: boolean): Promise<void> {
    if (this.#refused.has(runId)) {
      throw new StoreFailedError(
        notWritten(runId),
        "a write of it failed: read the run again first",
      );
    }
    let mustRead = !this.#held.has(runId);
    try {
      const tail = this.#held.get(runId) ??
        await attempt(notWritten(runId), () => readTail(this.#kv, runId));
      if (tail === null) throw missingRun(runId, entry);
      checkNext(runId, tail, entry);
      mustRead = true;
      const token = crypto.randomUUID();
      const versionstamp = await this.#publish(runId, entry, tail.origin, token, (atomic) => {
        atomic.check({ key: runKey(runId), versionstamp: tail.versionstamp });
        if (finishes) atomic.delete(unfinishedKey(runId));
      });
      if (versionstamp === null) {
        const detail = "another driver has written to the run, or removed it";
        throw new RunConflictError(runId, entry.seq, detail);
      }
      this.#hold(runId, { ...tail, length: entry.seq + 1, hash: entry.hash });
    } catch (error) {
      const overtaken = (this.#held.get(runId)?.length ?? 0) > entry.seq;
      if (mustRead && !overtaken) this.#refused.add(runId);
      throw error;
    }
  }

  release(runId: string): void {
    this.#held.delete(runId);
  }

  async remove(runId: string): Promise<boolean> {
    const task = { action: "delete", runId, durability: "none" } as const;
    const isThere = await this.#has(task, runId);
    if (isThere) unlessFailed(task, await commitBlind(runRemoval(this.#kv, runId)));
    const partly = { ...task, durability: "unknown" } as const;
    await attempt(partly, async () => {
      for await (const operation of removals(this.#kv, runId)) {
        const outcome = unlessFailed(task, await commitBlind(operation), "unknown");
        if (outcome.kind === "refused") return;
      }
    });
    return isThere;
  }

  async #has(task: StoreTask, runId: string): Promise<boolean> {
    const get = () => this.#kv.get(runKey(runId), { consistency: "strong" });
    return (await attempt(task, get)).versionstamp !== null;
  }

  #hold(runId: string, tail: KvTail): void {
    this.#held.set(runId, tail);
    this.#refused.delete(runId);
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

/** A task that changes a run. */
type StoreChange = Extract<StoreTask, { readonly durability: Durability }>;

/** A write that has not reached the database. */
function notWritten(runId: string): StoreChange {
  return { action: "write", runId, durability: "none" };
}

/** Commits what may be done twice: there is nothing to look for. */
function commitBlind(operation: () => KvAtomicOperation): Promise<KvOutcome> {
  return commitKv(operation, () => Promise.resolve("absent"));
}

/** What became of a commit that did not fail; its durability is the commit's where none is given. */
function unlessFailed(
  task: StoreChange,
  outcome: KvOutcome,
  durability?: Durability,
): Exclude<KvOutcome, { kind: "failed" }> {
  if (outcome.kind !== "failed") return outcome;
  throw kvFailure({ ...task, durability: durability ?? outcome.durability }, outcome.cause);
}

async function attempt<T>(task: StoreTask, read: () => Promise<T>): Promise<T> {
  try {
    return await untilUnlocked(read);
  } catch (error) {
    throw asStoreError(task, error);
  }
}

function asStoreError(task: StoreTask, error: unknown): PolyLoopError {
  return error instanceof PolyLoopError ? error : kvFailure(task, error);
}

function kvFailure(task: StoreTask, cause: unknown): StoreFailedError {
  const { message } = errorInfo(cause);
  return new StoreFailedError(task, `the KV database failed: ${message}`, { cause });
}
