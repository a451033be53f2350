import type { KvAtomicOperation, KvDatabase, KvStoreKey } from "../../../stores/_kv/database.ts";

type CommitAnswer = Awaited<ReturnType<KvAtomicOperation["commit"]>>;

/** What was put into an operation. */
export interface KvOperationRecord {
  readonly checks: { key: KvStoreKey; versionstamp: string | null }[];
  readonly sets: { key: KvStoreKey; value: unknown }[];
  readonly deletes: KvStoreKey[];
}

/** What a database of {@link faultyKv} does beside its work. */
export interface KvFaults {
  /** Every operation that was to be committed, in order. */
  readonly commits: KvOperationRecord[];
  /** Called instead of a commit; `commit` is the real one. */
  onCommit?: (
    commit: () => Promise<CommitAnswer>,
    operation: KvOperationRecord,
  ) => Promise<CommitAnswer>;
  /** Called before each `get` and `list`. */
  onRead?: () => void;
}

/** The real database with faults put in between. */
export function faultyKv(kv: KvDatabase, faults: KvFaults): KvDatabase {
  return {
    get(key, options) {
      faults.onRead?.();
      return kv.get(key, options);
    },
    list(selector, options) {
      faults.onRead?.();
      return kv.list(selector, options);
    },
    atomic: () => recordedOperation(kv.atomic(), faults),
  };
}

function recordedOperation(real: KvAtomicOperation, faults: KvFaults): KvAtomicOperation {
  const record: KvOperationRecord = { checks: [], sets: [], deletes: [] };
  const operation: KvAtomicOperation = {
    check(...checks) {
      record.checks.push(...checks);
      real.check(...checks);
      return operation;
    },
    set(key, value) {
      record.sets.push({ key, value });
      real.set(key, value);
      return operation;
    },
    delete(key) {
      record.deletes.push(key);
      real.delete(key);
      return operation;
    },
    async commit() {
      faults.commits.push(record);
      const commit = () => real.commit();
      return await (faults.onCommit?.(commit, record) ?? commit());
    },
  };
  return operation;
}
