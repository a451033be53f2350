import { asyncFunction, prepareCell } from "./cell.ts";
import type { SandboxCell, SandboxSignal } from "./protocol.ts";

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
 * needs later it takes before the first cell, which may change any global.
 *
 * @param cells Brings the cells. Code can come by it, as events are dispatched on it.
 * @param signals Takes the signals. Nothing is ever dispatched on it, so that code cannot come by it.
 */
function sandboxWorker(cells: MessagePort, signals: MessagePort): void {
  const send = MessagePort.prototype.postMessage.bind(signals);
  const report = (signal: SandboxSignal): void => send(signal);
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
    let outcome: SandboxSignal = "s";
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
    report(outcome);
  };

  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    tell(event.reason);
  });
  globalThis.addEventListener("error", (event) => {
    event.preventDefault();
    tell(event.error);
  });
  closeDoors(report);
  cells.onmessage = ({ data }) => run(data);
  report("r");
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
    return `${error.name}: ${error.message}${source ? `\n    at ${source}` : ""}`;
  };
  return (error, place = "(?!)", script = "") => {
    try {
      log(describe(error, place, script));
    } catch {
      log("Thrown: something that cannot be shown");
    }
  };
}

/** Takes from code what would end the worker unseen, or read the cells. */
function closeDoors(report: (signal: SandboxSignal) => void): void {
  const ending = <T extends (code?: number) => unknown>(end: T) => (code?: number): never => {
    report("x");
    end(code);
    throw new Error("The sandbox has ended");
  };
  // stdin brings the cells: one that reads it finds its end
  const ended = { read: () => Promise.resolve(null), readSync: () => null, close() {} };
  const stdin = { value: { ...ended, readable: new Blob().stream() } };
  Object.defineProperty(Deno, "stdin", stdin);
  Deno.exit = ending(Deno.exit);
  globalThis.close = ending(globalThis.close.bind(globalThis));
}

/** The source text of the worker, {@link cellSource} not included. Cells may declare the names of globals. */
export function workerSource(): string {
  return `import process from "node:process";
import { Readable } from "node:stream";
const {
  Error, JSON, Map, Number, Object, Promise, RegExp, Set, String, SyntaxError, encodeURIComponent,
} = globalThis;
${[sandboxWorker, publisher, teller, closeDoors].map(String).join("\n")}
Object.defineProperty(process, "stdin", { value: Readable.from([]) });
self.onmessage = (event) => {
  self.onmessage = null;
  sandboxWorker(...event.ports);
};`;
}
