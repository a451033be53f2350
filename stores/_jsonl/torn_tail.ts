import { writeBytes } from "../../types/mod.ts";
import {
  type LogFile,
  type LogFiles,
  type LogPlace,
  lookAt,
  readFrom,
  syncFolderSync,
} from "./files.ts";

/**
 * Cuts off the bytes of an open log from an offset on. Recovery deletes no evidence: they are kept in a file of their
 * own first. Doing it again after a crash at any point of it does no harm.
 */
export function setTornTailAside(
  files: LogFiles,
  { folder, path }: LogPlace,
  file: LogFile,
  from: number,
  to: number,
): void {
  keepBytes(files, `${path}.torn-${from}`, readFrom(file, from, to));
  syncFolderSync(files, folder);
  file.truncateSync(from);
  file.syncDataSync();
}

function keepBytes(files: LogFiles, name: string, bytes: Uint8Array): void {
  for (let copy = 1;; copy++) {
    const path = copy === 1 ? name : `${name}-${copy}`;
    if (holdsBytes(files, path, bytes)) return;
    let file: LogFile;
    try {
      file = files.openSync(path, { write: true, createNew: true });
    } catch (error) {
      if (error instanceof Deno.errors.AlreadyExists) continue;
      throw error;
    }
    try {
      writeBytes(file, bytes);
      return file.syncDataSync();
    } catch (error) {
      files.removeSync(path);
      throw error;
    } finally {
      file.close();
    }
  }
}

function holdsBytes(files: LogFiles, path: string, bytes: Uint8Array): boolean {
  const info = lookAt(files, path);
  if (info === null || info.size !== bytes.length) return false;
  const file = files.openSync(path, { read: true });
  try {
    const kept = readFrom(file, 0, bytes.length);
    return kept.length === bytes.length && kept.every((byte, i) => byte === bytes[i]);
  } finally {
    file.close();
  }
}
