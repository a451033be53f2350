import type { LogFile, LogFiles } from "../../../stores/_jsonl/files.ts";

/** One call that reached the disk. */
export interface FileCall {
  readonly op:
    | "open"
    | "lstat"
    | "read"
    | "write"
    | "truncate"
    | "sync"
    | "lock"
    | "unlock"
    | "remove";
  readonly path: string;
  /** How many bytes a read or a write has. */
  readonly size: number;
}

/** The real disk, of which a test sees every call before it happens. */
export interface FaultyFiles extends LogFiles {
  /** The files that are open now: closing them is what the death of a process does. */
  readonly open: Set<LogFile>;
  /** The calls so far, each as `op name`. */
  readonly calls: string[];
  /** May throw in place of a call, or give how many of its bytes a write writes. */
  onCall: (call: FileCall) => number | void;
  /** What a sync that is not synchronous waits for. */
  gate: Promise<void>;
}

/** Makes {@link FaultyFiles} that have no fault yet. */
export function faultyFiles(): FaultyFiles {
  function call(op: FileCall["op"], path: string, size = 0): number {
    faulty.calls.push(`${op} ${nameOf(path)}`);
    return faulty.onCall({ op, path, size }) ?? size;
  }
  const faulty: FaultyFiles = {
    open: new Set(),
    calls: [],
    onCall: () => {},
    gate: Promise.resolve(),
    openSync(path, options) {
      call("open", path);
      const file = watched(Deno.openSync(path, options), path, call, {
        closed: () => faulty.open.delete(file),
        unlocked: () => faulty.calls.push(`unlock ${nameOf(path)}`),
        gate: () => faulty.gate,
      });
      faulty.open.add(file);
      return file;
    },
    lstatSync(path) {
      call("lstat", path);
      return Deno.lstatSync(path);
    },
    // deno-lint-ignore require-await -- what the call throws must reject
    async readFile(path) {
      call("read", path);
      return Deno.readFile(path);
    },
    readDir: (path) => Deno.readDir(path),
    mkdirSync: (path) => Deno.mkdirSync(path),
    removeSync(path) {
      call("remove", path);
      Deno.removeSync(path);
    },
  };
  return faulty;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function watched(
  file: Deno.FsFile,
  path: string,
  call: (op: FileCall["op"], path: string, size?: number) => number,
  on: { closed(): void; unlocked(): void; gate(): Promise<void> },
): LogFile {
  return {
    statSync: () => file.statSync(),
    seekSync: (offset, whence) => file.seekSync(offset, whence),
    readSync(bytes) {
      call("read", path, bytes.length);
      return file.readSync(bytes);
    },
    writeSync: (bytes) => file.writeSync(bytes.subarray(0, call("write", path, bytes.length))),
    truncateSync(size) {
      call("truncate", path);
      file.truncateSync(size);
    },
    async syncData() {
      call("sync", path);
      await on.gate();
      await file.syncData();
    },
    syncDataSync() {
      call("sync", path);
      file.syncDataSync();
    },
    async sync() {
      call("sync", path);
      await on.gate();
      await file.sync();
    },
    syncSync() {
      call("sync", path);
      file.syncSync();
    },
    tryLockSync(exclusive) {
      call("lock", path);
      return file.tryLockSync(exclusive);
    },
    unlockSync() {
      on.unlocked();
      file.unlockSync();
    },
    close() {
      on.closed();
      file.close();
    },
  };
}
