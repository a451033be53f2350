import {
  type LogEntry,
  PolyLoopError,
  RunConflictError,
  RunExistsError,
  StoreFailedError,
} from "../../types/mod.ts";
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
    const log = await attempt(runId, () => readLines(this.#kv, runId));
    const held = this.#held.get(runId);
    if (held && (held.origin !== log?.origin || held.length < log.lines.length)) {
      this.#held.delete(runId);
    }
    this.#refused.delete(runId);
    return log?.lines ?? null;
  }

  async list(unfinished: boolean): Promise<string[]> {
    return await attempt("", () => readRunIds(this.#kv, unfinished));
  }

  async start(runId: string, entry: LogEntry): Promise<void> {
    if (await this.#has(runId)) throw new RunExistsError(runId);
    checkNext(runId, emptyTail(runId), entry);
    const [key, origin] = [runKey(runId), crypto.randomUUID()];
    const versionstamp = await this.#publish(runId, entry, origin, origin, (atomic) => {
      atomic.check({ key, versionstamp: null }).set(key, origin).set(unfinishedKey(runId), true);
    });
    if (versionstamp === null) {
      if (await this.#has(runId)) throw new RunExistsError(runId);
      throw new RunConflictError(runId, entry.seq, "the run was removed while it was started");
    }
    this.#hold(runId, { length: 1, hash: entry.hash, origin, versionstamp });
  }

  async append(runId: string, entry: LogEntry, finishes: boolean): Promise<void> {
    if (this.#refused.has(runId)) {
      throw new StoreFailedError(runId, "none", "a write of it failed: read the run again first");
    }
    let mustRead = !this.#held.has(runId);
    try {
      const tail = this.#held.get(runId) ?? await attempt(runId, () => readTail(this.#kv, runId));
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
    const isThere = await this.#has(runId);
    if (isThere) {
      unlessFailed(runId, await commitBlind(runRemoval(this.#kv, runId)));
    }
    await attempt(runId, async () => {
      for await (const operation of removals(this.#kv, runId)) {
        const outcome = unlessFailed(runId, await commitBlind(operation));
        if (outcome.kind === "refused") return;
      }
    });
    return isThere;
  }

  async #has(runId: string): Promise<boolean> {
    const get = () => this.#kv.get(runKey(runId), { consistency: "strong" });
    return (await attempt(runId, get)).versionstamp !== null;
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
      const outcome = unlessFailed(runId, await commitBlind(operation), "none");
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
    const outcome = unlessFailed(runId, await commitKv(operation, look));
    return outcome.kind === "committed" ? outcome.versionstamp : null;
  }
}

/** Commits what may be done twice: there is nothing to look for. */
function commitBlind(operation: () => KvAtomicOperation): Promise<KvOutcome> {
  return commitKv(operation, () => Promise.resolve("absent"));
}

function unlessFailed(
  runId: string,
  outcome: KvOutcome,
  durability?: "none",
): Exclude<KvOutcome, { kind: "failed" }> {
  if (outcome.kind !== "failed") return outcome;
  throw kvFailure(runId, durability ?? outcome.durability, outcome.cause);
}

async function attempt<T>(runId: string, read: () => Promise<T>): Promise<T> {
  try {
    return await untilUnlocked(read);
  } catch (error) {
    throw error instanceof PolyLoopError ? error : kvFailure(runId, "none", error);
  }
}

function kvFailure(
  runId: string,
  durability: "none" | "unknown",
  cause: unknown,
): StoreFailedError {
  const said = cause instanceof Error ? cause.message : String(cause);
  return new StoreFailedError(runId, durability, `the KV database failed: ${said}`, { cause });
}
