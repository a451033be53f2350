import { parseLogLine, RunLogCorruptError } from "../../types/mod.ts";
import type { LogTail } from "../_log/tail.ts";
import type { KvFinding } from "./commit.ts";
import type { KvAtomicOperation, KvDatabase, KvStoreKey } from "./database.ts";
import { chunksOf, entriesOf, leaseKey, ROOT, runKey, STRONG, unfinishedKey } from "./keys.ts";
import { type KvDriver, type KvLease, readLease } from "./leases.ts";

/** Where a run's log ends in the database, and whose it is. */
export interface KvTail extends LogTail, KvDriver {}

/** What is known of a run that is about to be taken up. */
export interface KvRun {
  readonly tail: KvTail;
  readonly lease: KvLease;
}

/** An entry as it lies under its key: with its bytes, or the number of chunks that hold them. */
interface StoredEntry {
  readonly token: string;
  readonly bytes: Uint8Array | number;
}

/** A value of at most 65,536 bytes is allowed; a line up to this size is kept in one. */
const CHUNK_BYTES = 60_000;
/** The sizes of the values of one commit may come to 819,200 bytes. */
const CHUNKS_PER_COMMIT = 10;
/** One commit may have 1,000 mutations. */
const REMOVALS_PER_COMMIT = 500;

/** With a limit, however high, Deno KV asks for 500 keys at once: without one, for 100. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The ids of all runs, or of the unfinished ones, in the order of the keys. */
export async function readRunIds(kv: KvDatabase, unfinished: boolean): Promise<string[]> {
  const ids: string[] = [];
  const prefix = [...ROOT, unfinished ? "unfinished" : "run"];
  const options = { ...STRONG, limit: NO_LIMIT };
  for await (const { key } of kv.list({ prefix }, options)) ids.push(String(key.at(-1)));
  return ids;
}

/** The lines of a run's log and the versionstamp of its key, or `null` if there is no such run. */
export async function readLines(
  kv: KvDatabase,
  runId: string,
): Promise<{ readonly versionstamp: string; readonly lines: readonly string[] } | null> {
  return await readWhole(kv, runId, async (origin, versionstamp) => {
    return { versionstamp, lines: await Array.fromAsync(linesOf(kv, runId, origin)) };
  });
}

/** The lines of a run's log, some at a time; none if there is no such run. */
export async function* streamLines(
  kv: KvDatabase,
  runId: string,
): AsyncGenerator<readonly string[]> {
  const { value, versionstamp } = await kv.get(runKey(runId), STRONG);
  if (versionstamp === null) return;
  let damage: unknown;
  try {
    for await (const line of linesOf(kv, runId, String(value))) yield [line];
  } catch (error) {
    damage = error;
  }
  if ((await kv.get(runKey(runId), STRONG)).value !== value) {
    throw new Error("the run was removed while it was read");
  }
  if (damage !== undefined) throw damage;
}

async function* linesOf(kv: KvDatabase, runId: string, origin: string): AsyncGenerator<string> {
  let seq = 0;
  for await (const { key, value } of kv.list(entriesOf(runId, origin), STRONG)) {
    if (key.at(-1) !== seq) {
      throw new RunLogCorruptError(runId, seq, "chain", "the database has another in its place");
    }
    yield await readLine(kv, runId, origin, seq, value);
    seq++;
  }
}

/** The end of a run's log and who has it, or `null` if there is no such run. */
export async function readRun(kv: KvDatabase, runId: string): Promise<KvRun | null> {
  return await readWhole(kv, runId, async (origin, versionstamp) => {
    const lease = await readLease(kv, runId);
    const last = { ...STRONG, limit: 1, reverse: true };
    for await (const { key, value } of kv.list(entriesOf(runId, origin), last)) {
      const seq = Number(key.at(-1));
      const parsed = parseLogLine(await readLine(kv, runId, origin, seq, value));
      if (!parsed.ok) throw new RunLogCorruptError(runId, seq, "chain", parsed.reason);
      const tail = { length: seq + 1, hash: parsed.entry.hash, origin, versionstamp };
      return { tail, lease };
    }
    return null;
  });
}

/** Reads more than one key of a run. What it finds counts only if the run had the same driver all the time. */
async function readWhole<T>(
  kv: KvDatabase,
  runId: string,
  read: (origin: string, versionstamp: string) => Promise<T>,
): Promise<T | null> {
  for (;;) {
    const { value, versionstamp } = await kv.get(runKey(runId), STRONG);
    if (versionstamp === null) return null;
    const [found] = await Promise.allSettled([read(String(value), versionstamp)]);
    if ((await kv.get(runKey(runId), STRONG)).versionstamp !== versionstamp) continue;
    if (found.status === "rejected") throw found.reason;
    return found.value;
  }
}

/** Looks under the key of an entry for the token of a commit. */
export async function lookFor(
  kv: KvDatabase,
  key: KvStoreKey,
  token: string,
): Promise<KvFinding> {
  const { value, versionstamp } = await kv.get(key, STRONG);
  if (versionstamp === null) return "absent";
  return storedEntry(value)?.token === token ? { versionstamp } : "taken";
}

/** The commits that put a line's chunks under its token. None for a line that fits in one value. */
export function chunkCommits(
  kv: KvDatabase,
  runId: string,
  origin: string,
  token: string,
  bytes: Uint8Array,
): (() => KvAtomicOperation)[] {
  const chunks = chunkCount(bytes);
  const commits: (() => KvAtomicOperation)[] = [];
  for (let from = 0; from < chunks; from += CHUNKS_PER_COMMIT) {
    commits.push(() => {
      const atomic = kv.atomic();
      for (let i = from; i < Math.min(chunks, from + CHUNKS_PER_COMMIT); i++) {
        const chunk = bytes.slice(i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES);
        atomic.set([...chunksOf(runId, origin, token), i], chunk);
      }
      return atomic;
    });
  }
  return commits;
}

/** The value under the key of an entry whose chunks, if it has any, were put. */
export function entryValue(token: string, bytes: Uint8Array): StoredEntry {
  return { token, bytes: chunkCount(bytes) || bytes };
}

/** Makes the operation by which a run that still has a lease is no longer there; its driver is refused from then on. */
export function runRemoval(
  kv: KvDatabase,
  runId: string,
  { versionstamp }: KvLease,
): () => KvAtomicOperation {
  const key = leaseKey(runId);
  return () => {
    const atomic = kv.atomic().check({ key, versionstamp });
    return atomic.delete(runKey(runId)).delete(unfinishedKey(runId)).delete(key);
  };
}

/**
 * The operations that remove what is kept of runs whose key is gone: entries, chunks, and chunks that were never
 * published. Each is refused if a run of that id was started meanwhile.
 */
export async function* removals(
  kv: KvDatabase,
  runId: string,
): AsyncIterable<() => KvAtomicOperation> {
  for (const kind of ["entry", "chunk"]) {
    let keys: KvStoreKey[] = [];
    for await (const { key } of kv.list({ prefix: [...ROOT, kind, runId] }, STRONG)) {
      keys.push(key);
      if (keys.length < REMOVALS_PER_COMMIT) continue;
      yield removal(kv, runId, keys);
      keys = [];
    }
    if (keys.length > 0) yield removal(kv, runId, keys);
  }
}

function removal(
  kv: KvDatabase,
  runId: string,
  keys: readonly KvStoreKey[],
): () => KvAtomicOperation {
  return () => {
    const atomic = kv.atomic().check({ key: runKey(runId), versionstamp: null });
    for (const key of keys) atomic.delete(key);
    return atomic;
  };
}

function chunkCount(bytes: Uint8Array): number {
  return bytes.length <= CHUNK_BYTES ? 0 : Math.ceil(bytes.length / CHUNK_BYTES);
}

async function readLine(
  kv: KvDatabase,
  runId: string,
  origin: string,
  seq: number,
  value: unknown,
): Promise<string> {
  const stored = storedEntry(value);
  if (stored === null) {
    throw new RunLogCorruptError(runId, seq, "chain", "it is not kept as an entry is");
  }
  const bytes = typeof stored.bytes === "number"
    ? await readChunks(kv, chunksOf(runId, origin, stored.token), stored.bytes)
    : stored.bytes;
  if (bytes === null) throw new RunLogCorruptError(runId, seq, "chain", "a chunk of it is missing");
  try {
    return UTF8.decode(bytes);
  } catch (cause) {
    throw new RunLogCorruptError(runId, seq, "chain", "it is not UTF-8", { cause });
  }
}

/** The line of an entry that is kept in one value; `null` for any other value. */
export function lineInOneValue(value: unknown): string | null {
  const bytes = storedEntry(value)?.bytes;
  try {
    return bytes instanceof Uint8Array ? UTF8.decode(bytes) : null;
  } catch {
    return null;
  }
}

async function readChunks(
  kv: KvDatabase,
  prefix: KvStoreKey,
  count: number,
): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  for await (const { key, value } of kv.list({ prefix }, STRONG)) {
    if (key.at(-1) !== chunks.length || !(value instanceof Uint8Array)) return null;
    chunks.push(value);
  }
  if (chunks.length !== count) return null;
  const bytes = new Uint8Array(chunks.reduce((total, chunk) => total + chunk.length, 0));
  chunks.forEach((chunk, i) => bytes.set(chunk, i * CHUNK_BYTES));
  return bytes;
}

function storedEntry(value: unknown): StoredEntry | null {
  if (typeof value !== "object" || value === null) return null;
  const { token, bytes }: { readonly token?: unknown; readonly bytes?: unknown } = value;
  if (typeof token !== "string") return null;
  if (!(bytes instanceof Uint8Array) && typeof bytes !== "number") return null;
  return { token, bytes };
}
