import { errorInfo, StoreFailedError } from "../../types/mod.ts";
import type { CommandWords } from "../_command.ts";
import { DEFAULT_STORE, type OpenStore, openStore, storeName } from "./open_store.ts";

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
