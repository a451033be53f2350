import { duration, harmlessLine, writeText } from "../../types/mod.ts";
import { type Command, type CommandWords, UsageError } from "../_command.ts";
import { readRunList } from "../_report/run_list.ts";
import { openToWrite } from "../_open_to_write.ts";
import type { Screen } from "../_screen.ts";
import { STORE_OPTION } from "../_store/open_store.ts";
import { REDACT_OPTION } from "../_store/redaction_options.ts";
import { AbsentRunError, linesOf, type ReadStore, readStore } from "../_store/read_store.ts";
import { writeGrowingView } from "../_view/growing_view.ts";
import type { Markup } from "../_view/markup.ts";
import { listView } from "../_view/list_view.ts";
import { type PageServer, servePages } from "../_view/page_server.ts";
import { smallPartsOf } from "../_view/log_size.ts";
import { writePairView } from "../_view/pair_view.ts";
import { type RunViewOptions, writeRunView } from "../_view/run_view.ts";
import { HIDDEN_TEXTS, WHOLE_TEXTS } from "../_view/shown_text.ts";

/** `view`: a run as a page for a browser, or the runs of a store. */
export const VIEW: Command = {
  name: "view",
  summary: "Make a page of a run, or of the store's runs, for a browser",
  operands: [],
  more: "run",
  options: {
    out: { value: "FILE", help: "the file to write, - for standard output (default: RUN.html)" },
    follow: { help: "serve the page on this machine; it grows as the run goes on; Ctrl-C ends it" },
    against: { value: "RUN", help: "another run beside it, step by step" },
    port: { value: "N", help: "the port to serve on (default: any that is free)" },
    prompts: { help: "what is new in each prompt, folded" },
    steps: { value: "A..B", help: "these steps alone, both included" },
    "no-text": { help: "no text of the run: of each its size and digest" },
    redact: REDACT_OPTION,
    store: STORE_OPTION,
  },
  details: `The page is one file without a script: it loads nothing and can be sent to others.
It holds all that the log holds, secrets included: --no-text leaves the texts out, --redact
hides what a pattern finds.
A log with a fault is shown as far as it can be read, with the fault on top, and the exit
code is 1. With --against two runs stand side by side, below the first thing in which they
differ. Without a run it is the list of the store's runs; with --follow its lines lead
to the runs.`,
  async run(words, screen) {
    const [runId, more] = words.more;
    if (more !== undefined) throw new UsageError("Cannot view more than one run at a time");
    const options = viewOptions(words);
    if (words.lists.has("redact") && (runId === undefined || words.flags.has("follow"))) {
      throw new UsageError("Cannot use --redact but for one run that is written to a file");
    }
    if (words.values.has("against") && (runId === undefined || options.steps !== undefined)) {
      throw new UsageError("Cannot use --against but for one run, and all of its steps");
    }
    const ofRuns = ["prompts", "steps", "no-text"].find((name) =>
      words.flags.has(name) || words.values.has(name)
    );
    if (runId === undefined && ofRuns !== undefined && !words.flags.has("follow")) {
      throw new UsageError(`Cannot use --${ofRuns} but for one run: the list of runs has no steps`);
    }
    if (words.flags.has("follow")) return await follow(words, runId, options, screen);
    if (words.values.has("port")) throw new UsageError("Cannot use --port without --follow");
    return await readStore(words, (open) => writeFile(open, words, runId, options, screen));
  },
};

function viewOptions({ flags, values }: CommandWords): RunViewOptions {
  return {
    texts: flags.has("no-text") ? HIDDEN_TEXTS : WHOLE_TEXTS,
    prompts: flags.has("prompts"),
    steps: stepsOf(values.get("steps")),
  };
}

function stepsOf(text: string | undefined): RunViewOptions["steps"] {
  if (text === undefined) return undefined;
  const [, first = "", last = ""] = /^(\d{1,9})\.\.(\d{1,9})$/.exec(text) ?? [];
  if (first !== "" && Number(first) <= Number(last)) return [Number(first), Number(last)];
  throw new UsageError(`Cannot view the steps "${text}": say 0..20 for the first 21`);
}

async function writeFile(
  open: ReadStore,
  { values }: CommandWords,
  runId: string | undefined,
  options: RunViewOptions,
  screen: Screen,
): Promise<number> {
  const path = values.get("out") ?? (runId === undefined ? "runs.html" : `${runId}.html`);
  let file: Deno.FsFile | undefined;
  // A page that is there already stays where none can be made in its place.
  const opened = () =>
    file ??= openToWrite(
      path,
      () => Deno.openSync(path, { write: true, create: true, truncate: true }),
    );
  const write = (part: Markup) => writeText(path === "-" ? screen.output : opened(), String(part));
  let fault: string | undefined;
  try {
    if (runId === undefined) {
      write(await listPage(open, (id) => `${encodeURIComponent(id)}.html`));
    } else {
      fault = await writePage(open, runId, values.get("against"), options, write);
    }
  } finally {
    file?.close();
  }
  if (path !== "-") screen.complain(`wrote ${harmlessLine(path)}`);
  if (fault === undefined) return 0;
  screen.complain(`error: ${harmlessLine(fault)}`);
  return 1;
}

async function writePage(
  open: ReadStore,
  runId: string,
  against: string | undefined,
  options: RunViewOptions,
  write: (part: Markup) => void,
): Promise<string | undefined> {
  if (against === undefined) return await writeRunView(open, runId, options, write);
  await writePairView(open, [runId, against], options, write);
  return undefined;
}

async function listPage(open: ReadStore, hrefOf: (runId: string) => string): Promise<Markup> {
  return listView(`${open.kind}:${open.path}`, await readRunList(open), hrefOf);
}

/** How long a page waits before it looks for more of its run, in milliseconds. */
const PAUSE_MS = 1_000;

async function follow(
  words: CommandWords,
  only: string | undefined,
  options: RunViewOptions,
  screen: Screen,
): Promise<number> {
  const { texts, prompts, steps } = options;
  const others = ["out", "against"].filter((name) => words.values.has(name));
  if (prompts || steps !== undefined || others.length > 0) {
    throw new UsageError("Cannot use --prompts, --steps, --against or --out with --follow");
  }
  const ended = new AbortController();
  const server = servePages(portOf(words), async (path, write, gone) => {
    const runId = only ?? path;
    if (runId === "") {
      write(await readStore(words, (open) => listPage(open, encodeURIComponent)));
      return true;
    }
    if (only === undefined && !await isThere(words, runId)) return false;
    const signal = AbortSignal.any([gone, ended.signal]);
    await writeGrowingView(
      { runId, read: () => readNow(words, runId), wait: () => pause(signal) },
      texts,
      write,
    );
    return true;
  }, ended.signal);
  return await untilInterrupted(server, ended, screen);
}

async function untilInterrupted(
  { url, finished }: PageServer,
  ended: AbortController,
  screen: Screen,
): Promise<number> {
  const end = () => ended.abort();
  Deno.addSignalListener("SIGINT", end);
  Deno.addSignalListener("SIGTERM", end);
  try {
    screen.print(url);
    screen.complain(`a page looks for more every ${duration(PAUSE_MS)}; Ctrl-C ends it`);
    await finished;
    return 0;
  } finally {
    Deno.removeSignalListener("SIGINT", end);
    Deno.removeSignalListener("SIGTERM", end);
  }
}

function portOf({ values }: CommandWords): number {
  const text = values.get("port") ?? "0";
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new UsageError(`Cannot serve on port "${text}": it is a number up to 65535`);
}

/** The lines that are there now. The store is let go before they are handed on, so that nothing is held while the page waits. */
async function* readNow(words: CommandWords, runId: string): AsyncGenerator<readonly string[]> {
  const advice = "choose some steps with --steps 0..200, without --follow";
  const parts = await readStore(words, (open) => smallPartsOf(open, runId, advice));
  yield* parts;
}

async function isThere(words: CommandWords, runId: string): Promise<boolean> {
  try {
    return await readStore(words, async (open) => {
      for await (const _ of linesOf(open, runId)) return true;
      return false;
    });
  } catch (error) {
    if (error instanceof AbsentRunError) return false;
    throw error;
  }
}

/** Waits a while; gives `false` at once where the signal aborts. */
async function pause(signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, PAUSE_MS, true);
  const abort = () => resolve(false);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}
