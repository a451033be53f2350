import type { Medium, Snapshot, Survivor } from "./medium.ts";
import {
  type Disk,
  fileOf,
  FOLDER,
  giveUp,
  keyOf,
  type SimulatedFile,
  simulatedFiles,
} from "./simulated_disk.ts";

/** A whole disk as a crash left it: all that is on it is durable, but for what failed syncs gave up. */
interface Remains {
  readonly folder: boolean;
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** What failed syncs gave up of the log, where the system still shows it. */
  readonly dropped?: SimulatedFile["dropped"];
}

const NOTHING: Remains = { folder: false, files: new Map() };

/** The JSON Lines store over a simulated disk. */
export function jsonlMedium(runId: string, remains: Remains = NOTHING): Medium {
  const files = new Map([...remains.files].map(([path, bytes]) => [path, fileOf(bytes)]));
  const log = files.get(`${FOLDER}/${runId}.jsonl`);
  if (log !== undefined && remains.dropped !== undefined) giveUp(log, remains.dropped);
  let snapshot: Snapshot | undefined;
  const disk: Disk = {
    folder: remains.folder ? "durable" : "absent",
    files,
    locks: new Map(),
    changed: () => snapshot = undefined,
  };
  return {
    open: (subject, points) => subject.jsonlStoreOver(simulatedFiles(disk, points), FOLDER),
    snapshot: () => snapshot ??= snapshotOf(runId, disk),
    dispose() {},
  };
}

function snapshotOf(runId: string, disk: Disk): Snapshot {
  const { folder } = disk;
  const files = new Map([...disk.files].map(([path, file]) => [path, { ...file }]));
  const main = `${FOLDER}/${runId}.jsonl`;
  let survivors: readonly Survivor[] | undefined;
  return {
    survivors: () => survivors ??= survivorsOf(runId, main, folder, files),
    *images() {
      const file = files.get(main);
      if (file === undefined || folder !== "durable") return;
      for (const bytes of imagesOf(file, true)) {
        yield survivor(runId, main, true, powerLoss(files, main, bytes, true));
      }
    },
  };
}

type Files = ReadonlyMap<string, SimulatedFile>;

function survivorsOf(
  runId: string,
  main: string,
  folder: Disk["folder"],
  files: Files,
): readonly Survivor[] {
  const shown = new Map([...files].map(([path, { data }]) => [path, data]));
  const found = new Map<string, Survivor>();
  const add = (power: boolean, remains: Remains) => {
    const one = survivor(runId, main, power, remains);
    found.set(`${power} ${one.key}`, one);
  };
  const dropped = files.get(main)?.dropped ?? [];
  add(false, { folder: folder !== "absent", files: shown, dropped });
  if (folder !== "durable") add(true, NOTHING);
  if (folder === "absent") return [...found.values()];
  const file = files.get(main);
  for (const sidesShown of [true, false]) {
    if (file === undefined || !file.named) add(true, powerLoss(files, main, undefined, sidesShown));
    if (file === undefined) continue;
    for (const bytes of imagesOf(file, false)) add(true, powerLoss(files, main, bytes, sidesShown));
  }
  return [...found.values()];
}

/** What is on the disk if the log has the bytes; the torn tails beside it as they were shown, or as they are durable. */
function powerLoss(
  files: Files,
  main: string,
  bytes: Uint8Array | undefined,
  sidesShown: boolean,
): Remains {
  const left = new Map<string, Uint8Array>();
  if (bytes !== undefined) left.set(main, bytes);
  for (const [path, { data, durable, named }] of files) {
    if (path === main || (!sidesShown && !named)) continue;
    left.set(path, sidesShown ? data : durable);
  }
  return { folder: true, files: left };
}

function survivor(runId: string, main: string, power: boolean, remains: Remains): Survivor {
  const names = [...remains.files].map(([path, bytes]) => `${path}=${keyOf(bytes)}`);
  return {
    key: `${remains.folder} ${names.sort().join()} ${remains.dropped?.join(";") ?? ""}`,
    power,
    size: remains.files.get(main)?.length,
    restore: () => jsonlMedium(runId, remains),
  };
}

/**
 * What a power loss may leave of a file: what was last synced, then each change of it, the last one in part, and with
 * NULs where bytes were not written: every part, or one of each kind that a reader can tell apart.
 */
function* imagesOf(file: SimulatedFile, every: boolean): Iterable<Uint8Array> {
  let bytes = file.durable;
  yield bytes;
  for (const change of file.pending) {
    if (change.kind === "truncate") {
      bytes = bytes.slice(0, change.size);
    } else {
      const { length } = change.bytes;
      for (const { cut, nuls } of every ? everyCut(length) : someCuts(length)) {
        yield joined(bytes, change.bytes.subarray(0, cut), nuls);
      }
      bytes = joined(bytes, change.bytes);
    }
    yield bytes;
  }
}

interface Cut {
  readonly cut: number;
  /** How many NULs follow. */
  readonly nuls: number;
}

/** In the middle; all but the line feed; nothing but NULs. */
function someCuts(length: number): readonly Cut[] {
  if (length < 3) return [];
  return [{ cut: length >> 1, nuls: 0 }, { cut: length - 1, nuls: 0 }, { cut: 0, nuls: length }];
}

/** Each byte, with and without NULs behind it; every 50th of a long line but for its end. */
function* everyCut(length: number): Iterable<Cut> {
  for (let cut = 0; cut < length; cut++) {
    if (length > 10_000 && cut % 50 > 0 && cut < length - 200) continue;
    yield { cut, nuls: 0 };
    yield { cut, nuls: length - cut };
  }
}

function joined(a: Uint8Array, b: Uint8Array, nuls = 0): Uint8Array {
  const bytes = new Uint8Array(a.length + b.length + nuls);
  bytes.set(a);
  bytes.set(b, a.length);
  return bytes;
}
