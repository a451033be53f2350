import { errorInfo, StoreFailedError, type StoreTask } from "../../types/mod.ts";

/** The part of `Deno.FsFile` that the store uses. */
export interface LogFile {
  /** As of `Deno.FsFile`. */
  statSync(): Deno.FileInfo;
  /** As of `Deno.FsFile`. */
  seekSync(offset: number, whence: Deno.SeekMode): number;
  /** As of `Deno.FsFile`. */
  readSync(bytes: Uint8Array): number | null;
  /** As of `Deno.FsFile`: may write less than it was given. */
  writeSync(bytes: Uint8Array): number;
  /** As of `Deno.FsFile`. */
  truncateSync(size: number): void;
  /** As of `Deno.FsFile`. */
  syncData(): Promise<void>;
  /** As of `Deno.FsFile`. */
  syncDataSync(): void;
  /** As of `Deno.FsFile`. */
  sync(): Promise<void>;
  /** As of `Deno.FsFile`. */
  syncSync(): void;
  /** As of `Deno.FsFile`, since Deno 2.7. */
  tryLockSync(exclusive: boolean): boolean;
  /** As of `Deno.FsFile`, since Deno 2.7. */
  unlockSync(): void;
  /** As of `Deno.FsFile`. */
  close(): void;
}

/** The part of `Deno` that the store uses: tests put a faulty disk in its place. */
export interface LogFiles {
  /** As of `Deno`. */
  openSync(path: string, options: Deno.OpenOptions): LogFile;
  /** As of `Deno`. */
  lstatSync(path: string): Deno.FileInfo;
  /** As of `Deno`. */
  readFile(path: string): Promise<Uint8Array<ArrayBuffer>>;
  /** As of `Deno`. */
  readDir(path: string): AsyncIterable<Deno.DirEntry>;
  /** As of `Deno`. */
  mkdirSync(path: string): void;
  /** As of `Deno`. */
  removeSync(path: string): void;
}

/** How often a lock is tried that others look at. */
const LOCK_TRIES = 1_000;

/**
 * Locks a file unless another has it locked. Who only asks whether it is has a shared lock for a moment: that is waited
 * for, the little that it takes.
 */
export function tryLock(file: LogFile): boolean {
  for (let tries = 1; tries <= LOCK_TRIES; tries++) {
    if (file.tryLockSync(true)) return true;
    if (isLocked(file)) return false;
  }
  return false;
}

/** Whether another has a file locked. */
export function isLocked(file: LogFile): boolean {
  if (!file.tryLockSync(false)) return true;
  file.unlockSync();
  return false;
}

/**
 * Gives the lock of a file back and closes it. Closing alone would not do: a program that another thread is about to
 * start has a copy of every open file, and with it the lock, until the program begins.
 */
export function release(file: LogFile): void {
  file.unlockSync();
  file.close();
}

/** Where the log of a run is. */
export interface LogPlace {
  /** The store's folder. */
  readonly folder: string;
  /** The file in it. */
  readonly path: string;
}

/** What makes a file the same file. */
export type FileIdentity = Pick<Deno.FileInfo, "dev" | "ino">;

/** Whether two files are one. */
export function isSameFile(a: FileIdentity, b: FileIdentity): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}

/** What the path names, or `null` if that is nothing. Anything but a regular file is refused, a link too. */
export function lookAt(files: LogFiles, path: string): Deno.FileInfo | null {
  let info: Deno.FileInfo;
  try {
    info = files.lstatSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
  if (!info.isFile) {
    throw new Error(`it is ${info.isSymlink ? "a symbolic link" : "not a regular file"}`);
  }
  return info;
}

/** Opens the regular file that a path names; `null` if it names nothing. */
export function openIfThere(
  files: LogFiles,
  path: string,
  options: Deno.OpenOptions,
): LogFile | null {
  if (lookAt(files, path) === null) return null;
  try {
    return files.openSync(path, options);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/** Reads an open file from an offset to an end. */
export function readFrom(file: LogFile, offset: number, end: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(end - offset);
  file.seekSync(offset, Deno.SeekMode.Start);
  let length = 0;
  while (length < bytes.length) {
    const read = file.readSync(bytes.subarray(length));
    if (read === null) break;
    length += read;
  }
  return bytes.subarray(0, length);
}

/** Brings the names in a folder to the disk. Windows has no such call and keeps them by itself. */
export async function syncFolder(files: LogFiles, path: string): Promise<void> {
  if (Deno.build.os === "windows") return;
  const folder = files.openSync(path, { read: true });
  try {
    await folder.sync();
  } finally {
    folder.close();
  }
}

/** {@link syncFolder}, at once. */
export function syncFolderSync(files: LogFiles, path: string): void {
  if (Deno.build.os === "windows") return;
  const folder = files.openSync(path, { read: true });
  try {
    folder.syncSync();
  } finally {
    folder.close();
  }
}

/** Makes a folder and brings its name to the disk; `false` if it is there. */
export function makeFolder(files: LogFiles, path: string): boolean {
  try {
    files.mkdirSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    throw error;
  }
  try {
    syncFolderSync(files, `${path}/..`);
  } catch (error) {
    files.removeSync(path);
    throw error;
  }
  return true;
}

/**
 * Brings the name of a folder that is there to the disk: whoever made it may have died before it was. Where the folder
 * above may not be read, that is left to who made it.
 */
export function syncFolderName(files: LogFiles, path: string): void {
  const above = `${path}/..`;
  const { state } = Deno.permissions.querySync({ name: "read", path: above });
  if (state === "granted") syncFolderSync(files, above);
}

/** The error for what a system call on a path threw. What is the library's own error already stays as it is. */
export function storeFailure(
  task: StoreTask,
  path: string,
  cause: unknown,
): StoreFailedError {
  if (cause instanceof StoreFailedError) return cause;
  const { message } = errorInfo(cause);
  return new StoreFailedError(task, `"${path}" cannot be used: ${message}`, { cause });
}
