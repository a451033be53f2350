import { leaseClock } from "../../stores/drivers/lease_clock.ts";
import type { Medium, Snapshot, Survivor } from "./medium.ts";
import {
  type Disk,
  fileOf,
  FOLDER,
  keyOf,
  type SimulatedFile,
  simulatedFiles,
} from "./simulated_disk.ts";

/** A disk as a crash left it. */
interface Remains {
  readonly folder: Disk["folder"];
  readonly files: Files;
}

type Files = ReadonlyMap<string, Readonly<SimulatedFile>>;

const NOTHING: Remains = { folder: "absent", files: new Map() };

/** The JSON Lines store over a simulated disk. */
export function jsonlMedium(runId: string, { folder, files }: Remains = NOTHING): Medium {
  let snapshot: Snapshot | undefined;
  const disk: Disk = {
    folder,
    files: new Map([...files].map(([path, file]) => [path, { ...file }])),
    locks: new Map(),
    changed: () => snapshot = undefined,
  };
  return {
    clock: leaseClock(),
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

function survivorsOf(
  runId: string,
  main: string,
  folder: Disk["folder"],
  files: Files,
): readonly Survivor[] {
  const found = new Map<string, Survivor>();
  const add = (power: boolean, remains: Remains) => {
    const one = survivor(runId, main, power, remains);
    found.set(`${power} ${one.key}`, one);
  };
  add(false, { folder, files });
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
  const left = new Map<string, SimulatedFile>();
  if (bytes !== undefined) left.set(main, fileOf(bytes));
  for (const [path, { data, durable, named }] of files) {
    if (path === main || (!sidesShown && !named)) continue;
    left.set(path, fileOf(sidesShown ? data : durable));
  }
  return { folder: "durable", files: left };
}

function survivor(runId: string, main: string, power: boolean, remains: Remains): Survivor {
  const { folder, files } = remains;
  const names = [...files].map(([path, file]) => `${path}=${keyOf(file.data)}${unsettled(file)}`);
  const key = `${folder} ${names.sort().join()}`;
  return {
    key,
    power,
    settled: folder !== "made" && [...files.values()].every((file) => unsettled(file) === ""),
    size: files.get(main)?.data.length,
    restore: () => jsonlMedium(runId, remains),
  };
}

/** What of a file is not on the disk, as a part of a key; empty where all of it is. */
function unsettled({ durable, pending, dropped, named }: SimulatedFile): string {
  if (named && pending.length === 0 && dropped.length === 0) return "";
  const changes = pending.map((change) => change.kind === "append" ? change.bytes.length : "cut");
  return `(${durable.length}+${changes.join("+")}-${dropped.join("-")},${named})`;
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

/** Each byte, with and without NULs after it; every 50th of a long line but for its end. */
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
