import { digest } from "../../../types/mod.ts";
import type { LogFile, LogFiles } from "../../../stores/_jsonl/files.ts";
import type { InnerPoints } from "./medium.ts";

/** A change of a file that no sync has brought to the disk. */
export type Pending =
  | { readonly kind: "append"; readonly bytes: Uint8Array }
  | { readonly kind: "truncate"; readonly size: number };

/** A file: what the system shows of it, and what is on the disk. Its arrays are never changed in place. */
export interface SimulatedFile {
  readonly ino: number;
  /** What a reader sees. */
  data: Uint8Array;
  /** What is on the disk. */
  durable: Uint8Array;
  /** What led from `durable` to `data`. */
  pending: readonly Pending[];
  /** Bytes that a failed sync gave up: no later sync writes them. */
  dropped: readonly (readonly [from: number, to: number])[];
  /** Whether its name is on the disk. */
  named: boolean;
  mtime: number;
}

/** A disk with one folder. */
export interface Disk {
  folder: "absent" | "made" | "durable";
  readonly files: Map<string, SimulatedFile>;
  readonly locks: Map<number, object>;
  /** Called after each change. */
  changed(): void;
}

/** The folder that the store is over. */
export const FOLDER = "/runs";

let nextIno = 1;
let nextTime = 1;

/** A file that has the bytes on the disk. */
export function fileOf(bytes: Uint8Array): SimulatedFile {
  const settled = { pending: [], dropped: [], named: true };
  return { ino: nextIno++, data: bytes, durable: bytes, mtime: nextTime++, ...settled };
}

/** Names bytes. */
export function keyOf(bytes: Uint8Array): string {
  return `${bytes.length}.${digest(new TextDecoder("latin1").decode(bytes)).slice(7, 27)}`;
}

/** The files of a disk as a process sees them. */
export function simulatedFiles(disk: Disk, points: InnerPoints): LogFiles {
  const find = (path: string): SimulatedFile => {
    const file = disk.folder === "absent" ? undefined : disk.files.get(path);
    if (file === undefined) throw new Deno.errors.NotFound(`no such file: ${path}`);
    return file;
  };
  return {
    openSync(path, options) {
      if (path === FOLDER || path === `${FOLDER}/..`) return folderHandle(disk, path, points);
      if (!options.createNew) {
        return points.look("file-open", (fault) => {
          if (fault !== undefined) throw ioError(fault);
          return fileHandle(disk, path, find(path), points, options.append ?? false);
        });
      }
      if (disk.folder === "absent") throw new Deno.errors.NotFound(path);
      if (disk.files.has(path)) throw new Deno.errors.AlreadyExists(path);
      return points.inner("file-create", (fault) => {
        if (fault !== undefined) throw ioError(fault);
        const file = { ...fileOf(new Uint8Array()), named: false };
        disk.files.set(path, file);
        disk.changed();
        return fileHandle(disk, path, file, points, true);
      });
    },
    lstatSync: (path) => infoOf(find(path)),
    // deno-lint-ignore require-await -- what it throws must reject
    async readFile(path) {
      return points.look("file-read", (fault) => {
        if (fault !== undefined) throw ioError(fault);
        return find(path).data.slice();
      });
    },
    async *readDir(path) {
      for (const name of disk.files.keys()) {
        const entry = { isFile: true, isDirectory: false, isSymlink: false };
        yield await Promise.resolve({ ...entry, name: name.slice(path.length + 1) });
      }
    },
    mkdirSync() {
      if (disk.folder !== "absent") throw new Deno.errors.AlreadyExists(FOLDER);
      points.inner("folder-make", (fault) => {
        if (fault !== undefined) throw ioError(fault);
        disk.folder = "made";
        disk.changed();
      });
    },
    removeSync(path) {
      points.inner("file-remove", () => {
        if (path === FOLDER) disk.folder = "absent";
        else disk.files.delete(path);
        disk.changed();
      });
    },
  };
}

function ioError(kind: string): Error {
  return new Error(
    kind === "full" ? "No space left on device (os error 28)" : `${kind} (os error 5)`,
  );
}

function infoOf({ ino, data, mtime }: SimulatedFile): Deno.FileInfo {
  const kind = { isFile: true, isDirectory: false, isSymlink: false };
  return { ...kind, ino, dev: 1, size: data.length, mtime: new Date(mtime) } as Deno.FileInfo;
}

function fileHandle(
  disk: Disk,
  path: string,
  file: SimulatedFile,
  points: InnerPoints,
  appends: boolean,
): LogFile {
  let offset = 0;
  const self: LogFile = {
    statSync: () => infoOf(file),
    seekSync: (to) => offset = to,
    readSync(bytes) {
      const part = file.data.subarray(offset, offset + bytes.length);
      bytes.set(part);
      offset += part.length;
      return part.length === 0 ? null : part.length;
    },
    writeSync: (bytes) =>
      points.inner("file-write", (fault) => {
        if (fault === "full") throw ioError("full");
        if (!appends) return writeAgain(disk, file, offset, bytes);
        const short = /^short-(\d)$/.exec(fault ?? "");
        const length = short === null
          ? bytes.length
          : Math.floor(bytes.length * Number(short[1]) / 8);
        if (fault === "all-but-feed") return change(disk, file, bytes.slice(0, -1));
        return change(disk, file, bytes.slice(0, length));
      }),
    truncateSync: (size) =>
      points.inner("file-truncate", (fault) => {
        if (fault !== undefined) throw ioError(fault);
        file.data = file.data.slice(0, size);
        file.pending = [...file.pending, { kind: "truncate", size }];
        file.mtime = nextTime++;
        disk.changed();
      }),
    async syncData() {
      await points.pause("file-sync");
      sync();
    },
    syncDataSync: () => sync(),
    sync: () => Promise.reject(new Error("only a folder is synced whole")),
    syncSync() {
      throw new Error("only a folder is synced whole");
    },
    tryLockSync: () =>
      points.look("file-lock", (fault) => {
        if (fault !== undefined || disk.locks.has(file.ino)) return false;
        disk.locks.set(file.ino, self);
        return true;
      }),
    unlockSync() {
      if (disk.locks.get(file.ino) === self) disk.locks.delete(file.ino);
    },
    close() {
      self.unlockSync();
    },
  };
  function sync(): void {
    points.inner("file-sync", (fault) => {
      syncFile(file, fault !== undefined);
      disk.changed();
      if (fault !== undefined) throw ioError(`the sync of ${path} failed`);
    });
  }
  return self;
}

function change(disk: Disk, file: SimulatedFile, bytes: Uint8Array): number {
  const data = new Uint8Array(file.data.length + bytes.length);
  data.set(file.data);
  data.set(bytes, file.data.length);
  file.data = data;
  file.pending = [...file.pending, { kind: "append", bytes }];
  file.mtime = nextTime++;
  disk.changed();
  return bytes.length;
}

/** A sync that fails gives up the bytes that it was to write: the next one succeeds without them. */
function syncFile(file: SimulatedFile, fails: boolean): void {
  if (fails) {
    const cuts = file.pending.filter(({ kind }) => kind === "truncate");
    const gaveUp = [Math.min(file.durable.length, file.data.length), file.data.length] as const;
    if (cuts.length < file.pending.length) file.dropped = [...file.dropped, gaveUp];
    file.pending = cuts;
    return;
  }
  file.durable = file.data.slice();
  for (const [from, to] of file.dropped) file.durable.fill(0, from, to);
  file.pending = [];
}

/** Writes bytes again where they are: the next sync brings them to the disk. */
function writeAgain(disk: Disk, file: SimulatedFile, offset: number, bytes: Uint8Array): number {
  const end = offset + bytes.length;
  if (!bytes.every((byte, i) => byte === file.data[offset + i])) {
    throw new Error("a store writes the same bytes in place, or at the end");
  }
  file.dropped = file.dropped.filter(([from, to]) => from < offset || to > end);
  const { length } = file.durable;
  if (end > length) {
    file.pending = [...file.pending, { kind: "append", bytes: file.data.slice(length, end) }];
  }
  disk.changed();
  return bytes.length;
}

function folderHandle(disk: Disk, path: string, points: InnerPoints): LogFile {
  function sync(): void {
    points.inner("folder-sync", (fault) => {
      if (fault !== undefined) throw ioError(`the sync of ${path} failed`);
      if (path !== FOLDER) disk.folder = "durable";
      else for (const file of disk.files.values()) file.named = true;
      disk.changed();
    });
  }
  const not = (): never => {
    throw new Error("it is a folder");
  };
  return {
    statSync: not,
    seekSync: not,
    readSync: not,
    writeSync: not,
    truncateSync: not,
    syncData: not,
    syncDataSync: not,
    async sync() {
      await points.pause("folder-sync");
      sync();
    },
    syncSync: sync,
    tryLockSync: not,
    unlockSync: not,
    close() {},
  };
}
