import { asyncFunction, prepareCell } from "./cell.ts";
import type { SandboxCell } from "./protocol.ts";
import { closeWaysOut, PROCESS_MEMBERS } from "./ways_out.ts";

/** The words of the memory that the host and the worker share: which cell it is, what came of it, its length. */
export const WORDS = { TURN: 0, ANSWER: 1, LENGTH: 2 } as const;

/** How a cell's names are read and written: made inside the cell, where its variables are in scope. */
type Accessors = Readonly<
  Record<string, readonly [get: () => unknown, set: (value: unknown) => void]>
>;

/** Publishes the names of a cell; at its start the functions alone, whose variables have their values then. */
type Publish = (accessors: Accessors, isStart: boolean) => void;

/** Writes an error to the output, with the line of the script that threw it where it is known. */
type Tell = (error: unknown, place?: string, script?: string) => void;

/**
 * The sandbox's worker, where the code of cells runs. Each name that a cell declares becomes a property of
 * `globalThis` that reads and writes the cell's own variable; that is the state that lives between cells. All that it
 * needs later it takes before the first cell, which may change any global: cells come and answers go by memory that is
 * handed to nothing but what was taken then, so that no code of a cell can come by it.
 *
 * @param words See {@link WORDS}.
 * @param text The cell, as JSON in UTF-8.
 * @param ended A stream of Node's that is at its end.
 */
function sandboxWorker(words: Int32Array, text: SharedArrayBuffer, ended: object): void {
  const { load, notify, store, waitAsync } = Atomics;
  const { TURN, ANSWER, LENGTH } = WORDS;
  const answers = { r: 114, s: 115, f: 102, x: 120 } as const; // the letters' codes
  const answer = (letter: keyof typeof answers): void => {
    store(words, ANSWER, answers[letter]);
    notify(words, ANSWER);
  };
  const { parse } = JSON;
  const decoder = new TextDecoder();
  const decode = decoder.decode.bind(decoder);
  const copyTo = Function.prototype.call.bind(Uint8Array.prototype.set);
  const Bytes = Uint8Array;
  const nextCell = (): SandboxCell => {
    const bytes = new Bytes(load(words, LENGTH));
    copyTo(bytes, new Bytes(text, 0, bytes.length));
    return parse(decode(bytes));
  };
  const output = globalThis.console;
  const { log } = output;
  const { inspect } = Deno;
  const later = setTimeout;
  const publish = publisher();
  const tell = teller();
  const parameter = `cell_${crypto.randomUUID().replaceAll("-", "")}`;
  output.error = output.warn = log;

  let count = 0;
  const run = async (cell: SandboxCell): Promise<void> => {
    const place = `${parameter}_${++count}`;
    let accessors: Accessors = {};
    let script = "";
    let outcome: "s" | "f" = "s";
    try {
      const prepared = await prepareCell(cell.code, cell.isTypeScript);
      const pairs = prepared.names.map((name) =>
        `[${JSON.stringify(name)}]: [() => ${name}, (${parameter}) => { ${name} = ${parameter}; }]`
      );
      script = prepared.script;
      const body = `${parameter}({${pairs.join(", ")}});${prepared.body}\n//# sourceURL=${place}`;
      const result = await asyncFunction(parameter, body)((made: Accessors) => {
        accessors = made;
        publish(accessors, true);
      });
      const values = result as [unknown] | undefined;
      if (values !== undefined && values[0] !== undefined) log(inspect(values[0]));
    } catch (error) {
      outcome = "f";
      tell(error, place, script);
    }
    publish(accessors, false);
    await new Promise((resolve) => later(resolve, 0)); // so that rejections nobody handles are told
    answer(outcome);
  };

  tellUnhandled(tell);
  globalThis.addEventListener("message", () => {}); // a worker that listens to nothing would end
  replaceEnds(() => answer("x"), ended);
  const runCells = async (): Promise<never> => {
    for (let turn = 0;; turn++) {
      await waitAsync(words, TURN, turn).value;
      await run(nextCell());
    }
  };
  answer("r");
  runCells();
}

function publisher(): Publish {
  const { defineProperty, entries } = Object;
  const settersOf = new Map<string, ((value: unknown) => void)[]>();
  /** Gives a variable of an earlier cell the new value; a constant stays as it is. */
  const isSet = (set: (value: unknown) => void, value: unknown): boolean => {
    try {
      set(value);
      return true;
    } catch {
      return false;
    }
  };
  return (accessors, isStart) => {
    for (const [name, [get, set]] of entries(accessors)) {
      try {
        const value = get();
        if (isStart && typeof value !== "function") continue;
        const earlier = settersOf.get(name) ?? [];
        const living = earlier.filter((other) => other !== set && isSet(other, value));
        settersOf.set(name, [...living, set]);
        defineProperty(globalThis, name, { configurable: true, enumerable: true, get, set });
      } catch { /* it was never initialised, or is a global that cannot be replaced */ }
    }
  };
}

function teller(): Tell {
  const { log } = globalThis.console;
  const { inspect } = Deno;
  const describe = (error: unknown, place: string, script: string): string => {
    if (!(error instanceof Error)) return `Thrown: ${inspect(error)}`;
    const line = new RegExp(`${place}(?:, <anonymous>)?:(\\d+):`).exec(String(error.stack))?.[1];
    const source = line === undefined ? undefined : script.split("\n")[Number(line) - 3]?.trim();
    const message = error.message.replace(/data:[^\s"]{99,}/g, "data:…"); // the URL of this module
    return `${error.name}: ${message}${source ? `\n    at ${source}` : ""}`;
  };
  return (error, place = "(?!)", script = "") => {
    try {
      log(describe(error, place, script));
    } catch {
      log("Thrown: something that cannot be shown");
    }
  };
}

/** Tells what no cell catches, which would end the worker otherwise. */
function tellUnhandled(tell: Tell): void {
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    tell(event.reason);
  });
  globalThis.addEventListener("error", (event) => {
    event.preventDefault();
    tell(event.error);
  });
}

/** Takes from code what would end the worker unseen, or read the cells. */
function replaceEnds(tellEnd: () => void, ended: object): void {
  const { process } = globalThis as unknown as { readonly process: object };
  const { exit } = Deno;
  const end = (code?: number): void => {
    tellEnd();
    exit(code);
  };
  // stdin brings the cells: one that reads it finds its end
  const stdin = { read: () => Promise.resolve(null), readSync: () => null, close() {} };
  Object.defineProperty(Deno, "stdin", { value: { ...stdin, readable: new Blob().stream() } });
  Object.defineProperty(process, "stdin", { value: ended });
  for (const owner of [Deno, process]) Object.defineProperty(owner, "exit", { value: end });
  Object.defineProperty(globalThis, "close", { value: end });
}

/** The source text of the worker, {@link cellSource} not included. Cells may declare the names of globals. */
export function workerSource(): string {
  return `import { Readable } from "node:stream";
const {
  Atomics, Error, JSON, Map, Number, Object, Promise, RegExp, Set, String, SyntaxError, encodeURIComponent,
} = globalThis;
const WORDS = ${JSON.stringify(WORDS)};
${
    [closeWaysOut, sandboxWorker, publisher, teller, tellUnhandled, replaceEnds].map(String).join(
      "\n",
    )
  }
closeWaysOut(${JSON.stringify(PROCESS_MEMBERS)});
addEventListener("message", ({ data }) => sandboxWorker(...data, Readable.from([])), { once: true });`;
}
