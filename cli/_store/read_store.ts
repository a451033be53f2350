import {
  readLogInParts,
  type RedactionRules,
  redactLog,
  type RunLogSummary,
} from "../../session/mod.ts";
import {
  errorInfo,
  fitColumns,
  harmlessLine,
  type StepRecord,
  StoreFailedError,
} from "../../types/mod.ts";
import type { CommandWords } from "../_command.ts";
import { copyDatabase, type DatabaseCopy, refuseForeignKv } from "./database_copy.ts";
import { redactionOf } from "./redaction_options.ts";
import { DEFAULT_STORE, type OpenStore, openStore, storeName } from "./open_store.ts";

/** A store to read from. */
export interface ReadStore extends OpenStore {
  /** What an error says, with the path that the command line named. */
  told(error: unknown): string;
  /** What is hidden of the runs that are read. Absent: nothing. */
  readonly redaction: RedactionRules | undefined;
  /** What to do where a run or the store is not there: words that go after an error. */
  readonly advice: string;
}

/**
 * Reads from the store that a command line names. Nothing is made where nothing is, and nothing is changed: a database
 * is read from a copy; of a module's store nothing is asked but what reads.
 *
 * @throws What `read` throws; where the store cannot be read at all, an error that names it.
 */
export async function readStore<T>(
  { values, lists }: CommandWords,
  read: (open: ReadStore) => Promise<T>,
): Promise<T> {
  const redaction = redactionOf(lists.get("redact"));
  const text = values.get("store") ?? DEFAULT_STORE;
  const { kind, path } = storeName(text);
  const advice = values.has("store") ? "" : "; --store names another";
  let copy: DatabaseCopy | undefined;
  let open: OpenStore | undefined;
  const told = (error: unknown) => reasonOf(error).replaceAll(copy?.path ?? path, path);
  try {
    if (kind === "jsonl") await checkFolder(path);
    else if (kind !== "module") {
      await checkFile(path);
      copy = await copyDatabase(path);
      if (kind === "kv") await refuseForeignKv(copy);
    }
    open = await openStore(copy === undefined ? text : `${kind}:${copy.path}`);
    return await read({ ...open, path, told, redaction, advice });
  } catch (error) {
    // What prevents a module from giving its store names the module already.
    const isTold = open !== undefined || kind === "module";
    if (isTold && !(error instanceof StoreFailedError)) throw error;
    if (!(error instanceof Error)) throw error;
    const detail = `Cannot read the store ${text} as ${told(error)}${advice}`;
    throw new Error(detail, { cause: error });
  } finally {
    open?.close();
    await copy?.remove();
  }
}

async function checkFolder(path: string): Promise<void> {
  const info = await Deno.stat(path).catch((error: unknown) => {
    if (error instanceof Deno.errors.NotFound) throw new Error("there is no such folder");
    throw error;
  });
  if (!info.isDirectory) throw new Error("it is not a folder");
}

async function checkFile(path: string): Promise<void> {
  const info = await Deno.stat(path);
  if (!info.isFile) throw new Error("it is not a file");
  if (info.size === 0) throw new Error("the file is empty");
}

function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "there is no such file";
  if (error instanceof StoreFailedError) return error.reason;
  return errorInfo(error).message;
}

/** There is no such run. The message tells what there is instead. */
export class AbsentRunError extends Error {}

/**
 * The lines of a run, some at a time.
 *
 * @throws {AbsentRunError} If there are none.
 */
export async function* linesOf(
  open: ReadStore,
  runId: string,
): AsyncGenerator<readonly string[]> {
  let isThere = false;
  for await (const lines of shownLines(open, runId)) {
    isThere = true;
    yield lines;
  }
  if (!isThere) throw await absentRun(open, runId);
}

/** The lines of a run, with texts hidden where that is asked for; none if there is no such run. */
async function* shownLines(
  { store, redaction }: ReadStore,
  runId: string,
): AsyncGenerator<readonly string[]> {
  if (redaction === undefined) return yield* store.readLines(runId);
  const lines = (await Array.fromAsync(store.readLines(runId))).flat();
  if (lines.length > 0) yield redactLog(lines, redaction);
}

/**
 * Reads the steps of a run again, as far as they were read before.
 *
 * @throws If the log is not that any more.
 */
export async function readAgain(
  open: ReadStore,
  { runId, entries, logHead }: RunLogSummary,
  onStep: (step: StepRecord) => void,
): Promise<void> {
  const again = await readLogInParts(firstLines(entries, shownLines(open, runId)), onStep);
  if (again.logHead === logHead) return;
  throw new Error(`Cannot read run "${runId}" to its end as it was changed while it was read`);
}

/** The first lines of a log, or all of it where there are no more. */
export async function* firstLines(
  count: number,
  parts: AsyncIterable<readonly string[]>,
): AsyncGenerator<readonly string[]> {
  let left = count;
  for await (const lines of parts) {
    yield lines.length <= left ? lines : lines.slice(0, left);
    left -= lines.length;
    if (left <= 0) return;
  }
}

async function absentRun(
  { store, kind, path, advice }: ReadStore,
  runId: string,
): Promise<AbsentRunError> {
  const size = await sizeOf({ kind, path }, runId);
  if (size !== undefined) {
    return new AbsentRunError(
      `Cannot read run "${runId}" as "${path}/${runId}.jsonl" holds no whole entry: the run was never started; run may start it`,
    );
  }
  const ids = await store.listRuns();
  const others = ids.length === 0
    ? "it holds none"
    : `it holds ${ids.slice(0, 5).map((id) => fitColumns(harmlessLine(id), 128)).join(", ")}${
      ids.length > 5 ? `, and ${ids.length - 5} more` : ""
    }`;
  return new AbsentRunError(
    `Cannot read run "${runId}" as the store ${kind}:${path} has no such run: ${others}${advice}`,
  );
}

/** The size of a run's file, in bytes; nothing where there is none, or its store keeps no file for each run. */
export async function sizeOf(
  { kind, path }: Pick<ReadStore, "kind" | "path">,
  runId: string,
): Promise<number | undefined> {
  if (kind !== "jsonl") return undefined;
  try {
    return (await Deno.stat(`${path}/${runId}.jsonl`)).size;
  } catch {
    return undefined;
  }
}
