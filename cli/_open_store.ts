import type { RunStore } from "../ports/mod.ts";
import { jsonlStore } from "../stores/jsonl.ts";
import { type KvDatabase, kvStore } from "../stores/kv.ts";
import { sqliteStore } from "../stores/sqlite.ts";
import { errorInfo, type RunCatalog, StoreFailedError } from "../types/mod.ts";
import { type CommandOption, type CommandWords, UsageError } from "./_command.ts";

/** A store that a command line named. */
export interface OpenStore {
  /** The store. */
  readonly store: RunStore & RunCatalog;
  /** Its kind. */
  readonly kind: StoreKind;
  /** Its folder or file. */
  readonly path: string;
  /** Lets go of it. */
  close(): void;
}

const STORE_KINDS = ["jsonl", "sqlite", "kv"] as const;

type StoreKind = (typeof STORE_KINDS)[number];

/** The store that is meant where none is named. */
export const DEFAULT_STORE = "jsonl:.polyloop";

/** The option that chooses a store. */
export const STORE_OPTION: CommandOption = {
  value: "STORE",
  help: `jsonl:DIR, sqlite:FILE or kv:FILE (default: ${DEFAULT_STORE})`,
};

/**
 * The kind and the path in a text such as `jsonl:runs`.
 *
 * @throws {UsageError} If the text names no store.
 */
export function storeName(text: string): { readonly kind: StoreKind; readonly path: string } {
  const kind = STORE_KINDS.find((kind) => text.startsWith(`${kind}:`));
  const path = text.slice(text.indexOf(":") + 1);
  if (kind === undefined || path === "") {
    throw new UsageError(
      `Cannot use "${text}" as a store: it must be jsonl:DIR, sqlite:FILE or kv:FILE`,
    );
  }
  return { kind, path };
}

/** Opens the store that a text such as `jsonl:runs` names; a file or folder that is not there may be made. */
export async function openStore(text: string): Promise<OpenStore> {
  const { kind, path } = storeName(text);
  const close = () => {};
  switch (kind) {
    case "jsonl":
      return { store: jsonlStore({ dir: path }), kind: "jsonl", path, close };
    case "sqlite":
      return { store: sqliteStore({ path }), kind: "sqlite", path, close };
    case "kv": {
      const kv = await openKv(path);
      return { store: kvStore({ kv }), kind: "kv", path, close: () => kv.close() };
    }
  }
}

async function openKv(path: string): Promise<KvDatabase & { close(): void }> {
  // Without --unstable-kv neither the function nor its type is there.
  const { openKv } = Deno as { openKv?: (path: string) => Promise<KvDatabase & { close(): void }> };
  if (openKv === undefined) {
    throw new Error(`Cannot open kv:${path} as this Deno has no KV: start it with --unstable-kv`);
  }
  return await openKv(path);
}

/**
 * Reads from the store that a command line names. Nothing is made where nothing is.
 *
 * @throws What `read` throws; where the store cannot be read at all, an error that names it.
 */
export async function readStore<T>(
  { values }: CommandWords,
  read: (open: OpenStore) => Promise<T>,
): Promise<T> {
  const text = values.get("store") ?? DEFAULT_STORE;
  const { kind, path } = storeName(text);
  if (kind !== "jsonl") await checkFile(text, path);
  let open: OpenStore | undefined;
  try {
    open = await openStore(text);
    return await read(open);
  } catch (error) {
    if (open !== undefined && !(error instanceof StoreFailedError)) throw error;
    if (!(error instanceof Error)) throw error;
    throw new Error(`Cannot read the store ${text} as ${reasonOf(error)}`, { cause: error });
  } finally {
    open?.close();
  }
}

async function checkFile(text: string, path: string): Promise<void> {
  const info = await Deno.stat(path).catch((error: unknown) => {
    throw new Error(`Cannot read the store ${text} as ${reasonOf(error)}`, { cause: error });
  });
  if (!info.isFile) throw new Error(`Cannot read the store ${text} as it is not a file`);
  if (info.size === 0) throw new Error(`Cannot read the store ${text} as the file is empty`);
}

function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "there is no such file";
  if (error instanceof StoreFailedError) return error.reason;
  return errorInfo(error).message;
}

/** The lines of a run; throws an error that tells what there is instead. */
export async function readLines(
  { store, kind, path }: OpenStore,
  runId: string,
): Promise<readonly string[]> {
  const lines = await store.readRun(runId);
  if (lines !== null) return lines;
  const file = `${path}/${runId}.jsonl`;
  if (kind === "jsonl" && await sizeOf(file) !== undefined) {
    throw new Error(
      `Cannot read run "${runId}" as "${file}" holds no whole entry: the run was never started; run may start it`,
    );
  }
  const ids = await store.listRuns();
  const others = ids.length === 0
    ? "it holds none"
    : `it holds ${ids.slice(0, 5).join(", ")}${
      ids.length > 5 ? `, and ${ids.length - 5} more` : ""
    }`;
  throw new Error(
    `Cannot read run "${runId}" as the store ${kind}:${path} has no such run: ${others}`,
  );
}

/**
 * The lines of a run, and how many bytes follow them in its file: the torn tail of a write that a crash cut off. 0
 * where the store has none.
 */
export async function readWithTail(
  open: OpenStore,
  runId: string,
): Promise<{ readonly lines: readonly string[]; readonly tornBytes: number }> {
  const size = open.kind === "jsonl" ? await sizeOf(`${open.path}/${runId}.jsonl`) : undefined;
  const lines = await readLines(open, runId);
  const whole = new TextEncoder().encode(lines.join("\n")).length + 1;
  return { lines, tornBytes: Math.max(0, (size ?? 0) - whole) };
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await Deno.stat(path)).size;
  } catch {
    return undefined;
  }
}
