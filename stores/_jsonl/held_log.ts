import { type LogEntry, RunConflictError, RunLockedError, writeBytes } from "../../types/mod.ts";
import { emptyTail, type LogTail } from "../_log/tail.ts";
import {
  type FileIdentity,
  isSameFile,
  type LogFile,
  type LogFiles,
  type LogPlace,
  lookAt,
  openIfThere,
  readFrom,
  release,
  storeFailure,
  syncFolder,
  tryLock,
} from "./files.ts";
import { type ReadLog, readLog } from "./read_log.ts";
import { setTornTailAside } from "./torn_tail.ts";

/** A log that this store has open and locked. */
export interface HeldLog {
  readonly runId: string;
  readonly place: LogPlace;
  readonly file: LogFile;
  readonly identity: FileIdentity;
  /** Where the log ends. */
  tail: LogTail;
  /** The size of the file's whole entries: what it has unless something else wrote to it. */
  size: number;
  /** The size of the file with the torn tail that was found and that the first write removes. */
  tornSize: number;
  /** Whether the last entry has its line feed. */
  terminated: boolean;
  /** How many of its bytes a sync of this store has brought to the disk. */
  synced: number;
  /** Whether something was written since the last sync. */
  unsynced: boolean;
  /** Whether the name in the folder may not have reached the disk. */
  unsyncedName: boolean;
  /** Set while a barrier is under way: it resolves when that has succeeded, or failed and been dealt with. */
  syncing: Promise<void> | null;
}

/** What a read found, and of which state of which file. */
export interface SeenLog extends FileIdentity, Omit<ReadLog, "lines"> {
  readonly size: number;
  readonly mtime: Date | null;
}

/** Makes the file of a new run and locks it; `null` if there is a file of that name. */
export function createLog(files: LogFiles, runId: string, place: LogPlace): HeldLog | null {
  let file: LogFile;
  try {
    file = files.openSync(place.path, { read: true, append: true, createNew: true });
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return null;
    throw error;
  }
  return locked(runId, place, file, () => {
    const nothing = { tail: emptyTail(runId), end: 0, terminated: true };
    return held(runId, place, file, { ...file.statSync(), ...nothing });
  });
}

/**
 * Opens a run's file and locks it; `null` if there is no file.
 *
 * @throws {RunLockedError} If another process or store holds it.
 */
export function openLocked(files: LogFiles, runId: string, place: LogPlace): LogFile | null {
  const file = openIfThere(files, place.path, { read: true, append: true });
  if (file === null) return null;
  return locked(runId, place, file, () => {
    const named = lookAt(files, place.path);
    if (named === null || !isSameFile(named, file.statSync())) {
      throw new Error("it was deleted or replaced while it was opened");
    }
    return file;
  });
}

/**
 * Opens a run's file as {@link openLocked} does, and finds where its log ends.
 *
 * @param seen What the last read found: it spares reading the file again if that has not changed.
 */
export function openLog(
  files: LogFiles,
  runId: string,
  place: LogPlace,
  seen: SeenLog | undefined,
): HeldLog | null {
  const file = openLocked(files, runId, place);
  if (file === null) return null;
  return onError(() => release(file), () => {
    const info = file.statSync();
    const known = seen !== undefined && isSameFile(seen, info) && seen.size === info.size &&
      seen.mtime?.getTime() === info.mtime?.getTime();
    const log = known ? seen : readLog(runId, readFrom(file, 0, info.size));
    return held(runId, place, file, { ...info, ...log });
  });
}

function held(
  runId: string,
  place: LogPlace,
  file: LogFile,
  { dev, ino, size, tail, end, terminated }: SeenLog,
): HeldLog {
  return {
    runId,
    place,
    file,
    identity: { dev, ino },
    tail,
    size: end,
    tornSize: size,
    terminated,
    synced: 0,
    unsynced: false,
    unsyncedName: true,
    syncing: null,
  };
}

/** What `body` makes of a file once it is locked; where either fails, the file is let go. */
function locked<T>(runId: string, { path }: LogPlace, file: LogFile, body: () => T): T {
  onError(() => file.close(), () => {
    if (!tryLock(file)) throw new RunLockedError(runId, `the lock of "${path}" is taken`);
  });
  return onError(() => release(file), body);
}

function onError<T>(letGo: () => void, body: () => T): T {
  try {
    return body();
  } catch (error) {
    letGo();
    throw error;
  }
}

/**
 * Writes an entry at the end of the log. It has then reached the system, not the disk. Where it cannot, the file is
 * brought back to what it was, on the disk too; if that cannot be done either, the durability of the entry is unknown.
 *
 * @throws {RunConflictError} If something else wrote to the file, or took its place.
 */
export function appendEntry(files: LogFiles, log: HeldLog, entry: LogEntry): void {
  const { runId, place, file, size, tornSize } = log;
  checkUntouched(files, log, entry);
  if (tornSize > size) setTornTailAside(files, place, file, size, tornSize);
  const bytes = new TextEncoder().encode(`${log.terminated ? "" : "\n"}${entry.line}\n`);
  try {
    writeBytes(file, bytes);
  } catch (error) {
    const durability = takenBack(files, log) ? "none" : "unknown";
    throw storeFailure({ action: "write", runId, durability }, place.path, error);
  }
  log.tail = { length: entry.seq + 1, hash: entry.hash };
  log.size = log.tornSize = size + bytes.length;
  log.terminated = true;
  log.unsynced = true;
}

/** Writes to a file that was deleted succeed in silence, so its name and its size are looked at first. */
function checkUntouched(files: LogFiles, log: HeldLog, entry: LogEntry): void {
  const named = lookAt(files, log.place.path);
  if (named === null) throw new Error("it was deleted while the run was driven");
  if (!isSameFile(named, log.identity)) {
    throw new RunConflictError(
      log.runId,
      entry.seq,
      `another file took the place of "${log.place.path}"`,
    );
  }
  if (named.size > log.tornSize) {
    throw new RunConflictError(log.runId, entry.seq, `something else wrote to "${log.place.path}"`);
  }
  if (named.size < log.tornSize) throw new Error("it was cut short while the run was driven");
}

function takenBack(files: LogFiles, log: HeldLog): boolean {
  try {
    log.file.truncateSync(log.size);
  } catch {
    return false;
  }
  try {
    log.file.syncDataSync();
    return true;
  } catch {
    writeAgain(files, log);
    return false;
  }
}

/**
 * After a sync that failed, the system takes what it was to write for written, and no later sync writes it: whoever
 * takes the run up would read what is not on the disk, and go on from it. So the bytes are written once more where they
 * are. They are not synced: that is for the next barrier, after a fresh read.
 */
function writeAgain(files: LogFiles, { place, identity, synced, size }: HeldLog): void {
  try {
    const file = files.openSync(place.path, { read: true, write: true });
    try {
      if (!isSameFile(file.statSync(), identity)) return;
      const bytes = readFrom(file, synced, size);
      file.seekSync(synced, Deno.SeekMode.Start);
      writeBytes(file, bytes);
    } finally {
      file.close();
    }
  } catch {
    // The sync that failed is what the caller hears of.
  }
}

/**
 * Brings what was written to the disk, and the file's name when it is the first time. It is tried once: after a sync
 * that failed the next one may succeed without having written anything, so the durability is unknown from then on.
 *
 * @param isAlone Whether no other run is driven that could go on meanwhile: then the sync is made in place, which costs
 * less than to hand it to another thread and wait for that.
 */
export async function syncLog(
  files: LogFiles,
  log: HeldLog,
  action: "write" | "release",
  isAlone: boolean,
): Promise<void> {
  const { runId, place, file, size } = log;
  try {
    await (isAlone ? file.syncDataSync() : file.syncData());
    log.synced = size;
    log.unsynced = false;
    if (log.unsyncedName) await syncFolder(files, place.folder);
    log.unsyncedName = false;
  } catch (error) {
    writeAgain(files, log);
    throw storeFailure({ action, runId, durability: "unknown" }, place.path, error);
  }
}
