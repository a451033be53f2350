import {
  type Durability,
  errorInfo,
  PolyLoopError,
  StoreFailedError,
  type StoreTask,
} from "../../types/mod.ts";
import { commitKv, type KvOutcome, untilUnlocked } from "./commit.ts";
import type { KvAtomicOperation } from "./database.ts";

/** A task that changes a run. */
export type StoreChange = Extract<StoreTask, { readonly durability: Durability }>;

/** A write that has not reached the database. */
export function notWritten(runId: string): StoreChange {
  return { action: "write", runId, durability: "none" };
}

/** Commits what may be done twice: there is nothing to look for. */
export function commitBlind(operation: () => KvAtomicOperation): Promise<KvOutcome> {
  return commitKv(operation, () => Promise.resolve("absent"));
}

/** What became of a commit that did not fail; its durability is the commit's where none is given. */
export function unlessFailed(
  task: StoreChange,
  outcome: KvOutcome,
  durability?: Durability,
): Exclude<KvOutcome, { kind: "failed" }> {
  if (outcome.kind !== "failed") return outcome;
  throw kvFailure({ ...task, durability: durability ?? outcome.durability }, outcome.cause);
}

/** Reads, while a locked database lets it wait, and says what failed. */
export async function attempt<T>(task: StoreTask, read: () => Promise<T>): Promise<T> {
  try {
    return await untilUnlocked(read);
  } catch (error) {
    throw asStoreError(task, error);
  }
}

/** What a read threw, as an error of the library. */
export function asStoreError(task: StoreTask, error: unknown): PolyLoopError {
  return error instanceof PolyLoopError ? error : kvFailure(task, error);
}

function kvFailure(task: StoreTask, cause: unknown): StoreFailedError {
  const { message } = errorInfo(cause);
  return new StoreFailedError(task, `the KV database failed: ${message}`, { cause });
}
