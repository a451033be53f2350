/**
 * An executor for models that act by writing JavaScript or TypeScript: a notebook in a process of its own that may
 * touch nothing.
 *
 * @example
 * ```ts
 * import { codeSandbox } from "@polyloop/polyloop/adapters/code-sandbox";
 * import { assertEquals } from "@std/assert";
 *
 * await using sandbox = codeSandbox({ timeoutMs: 10_000, maxOutputChars: 4_000 });
 * const { signal } = new AbortController();
 * const run = (actionId: string, code: string) =>
 *   sandbox.execute({ action: { language: "ts", code }, actionId, attempt: 1, signal });
 *
 * await run("sum/s0_a0", "const numbers: number[] = [1, 2, 3];");
 * const { observation } = await run("sum/s1_a0", "numbers.reduce((a, b) => a + b)");
 * assertEquals(observation, "6");
 * ```
 *
 * @module
 */
import {
  type ActionOutcome,
  EnvironmentError,
  fillText,
  InvalidRequestError,
  isJsonObject,
  type JsonValue,
  modelTexts,
  refuseUnknownFields,
  textDigests,
} from "../types/mod.ts";
import type { ActionCall, ActionExecutor } from "../ports/mod.ts";
import { withinTime } from "./_process/within_time.ts";
import { observedOutput } from "./_process/observed_output.ts";
import { notExecuted } from "./_process/not_executed.ts";
import { type SandboxEnd, type SandboxProcess, startSandboxProcess } from "./_sandbox/process.ts";
import type { SandboxCell } from "./_sandbox/protocol.ts";
import { checkWhole } from "./_check_whole.ts";

/** What a {@link codeSandbox} writes for the model. `{name}` stands for a value, put in literally. */
export interface CodeSandboxTexts {
  /** The action is not `{ language, code }`, or has another language. `{languages}`: those that there are. */
  readonly badAction: string;
  /** The code wrote nothing and has no value. */
  readonly noOutput: string;
  /** Goes before what was written to stderr. */
  readonly stderr: string;
  /** Stands in the place of what was cut out of an output. `{count}`: how many characters. */
  readonly truncated: string;
  /** The code took too long. `{ms}`: the limit in milliseconds. */
  readonly timedOut: string;
  /** The code held too much memory. `{mb}`: the limit in MiB. */
  readonly outOfMemory: string;
  /** The code ended the sandbox itself. */
  readonly exited: string;
  /** The sandbox died while the code ran. */
  readonly died: string;
  /** The sandbox was found dead before the code could run. */
  readonly foundDead: string;
}

const LOST = "All variables and functions of earlier code are lost; the next code starts anew.";

/** The texts of a {@link codeSandbox} where none are given. */
export const CODE_SANDBOX_TEXTS: CodeSandboxTexts = Object.freeze({
  badAction:
    'The action must be {"language", "code"} with texts, and one of the languages {languages}. Nothing was run.',
  noOutput: "(no output)",
  stderr: "[stderr]",
  truncated: "[{count} more characters were cut off]",
  timedOut: `[The code was stopped as it ran for more than {ms} ms. ${LOST}]`,
  outOfMemory: `[The code was stopped as it held more than {mb} MiB of memory. ${LOST}]`,
  exited: `[The code ended its own process. ${LOST}]`,
  died: `[The sandbox died while the code ran. ${LOST}]`,
  foundDead: `[The sandbox died before the code could run. The code was not run. ${LOST}]`,
});

/**
 * What the code of a {@link codeSandbox} may touch; nothing but what is named. A symbolic link that stands in a named
 * folder is followed, wherever it leads; code cannot make one.
 */
export interface SandboxPermissions {
  /** Files and folders, absolute, that it may read. Absent: none. */
  readonly read?: readonly string[];
  /** Files and folders, absolute, that it may write. Absent: none. */
  readonly write?: readonly string[];
  /** Hosts, such as `example.com:443`, that it may connect to or listen on. Absent: none. */
  readonly net?: readonly string[];
}

/** How code is run. */
export interface CodeSandboxOptions {
  /**
   * What the code may touch. Absent: nothing.
   */
  readonly permissions?: SandboxPermissions;
  /** How long one action may take, in milliseconds: a whole number, 1 or more. */
  readonly timeoutMs: number;
  /** How many code points of output the observation may hold, notices not counted: a whole number, 0 or more. */
  readonly maxOutputChars: number;
  /**
   * How much memory the process may hold, in MiB: a whole number, 128 or more. An empty sandbox takes about 60.
   *
   * @default {512}
   */
  readonly maxMemoryMb?: number;
  /**
   * Replaces texts of {@link CODE_SANDBOX_TEXTS}.
   *
   * @default {CODE_SANDBOX_TEXTS}
   */
  readonly texts?: Partial<CodeSandboxTexts>;
}

/** An executor that holds a process: close it when the run is over. */
export interface CodeSandbox extends ActionExecutor, AsyncDisposable {
  /** Ends the process, also in the middle of an action, and waits until it is gone. Later actions are refused. */
  close(): Promise<void>;
}

/** Each language, and whether it has types. */
const LANGUAGES: ReadonlyMap<string, boolean> = new Map([
  ["js", false],
  ["javascript", false],
  ["ts", true],
  ["typescript", true],
]);

/** How long a process may take to be ready, in milliseconds. */
const START_TIMEOUT_MS = 60_000;

/**
 * Executes actions `{ language, code }`, the language being `js`, `javascript`, `ts` or `typescript`, in a separate
 * `deno` process that starts with the first action and has no permission but those named, no environment, and no
 * folder, module cache or file of its own. It needs `--allow-run` for the `deno` executable.
 *
 * State lives as in a notebook: variables, functions, classes and imports of the top level are there for later actions,
 * and may be declared again (functions of earlier code then see the new value). Top-level `await` works. What the code
 * writes to the console and the value of its last expression are the observation. Types are taken off, not checked; the
 * namespaces and decorators of TypeScript are not supported. `import` reaches `node:` modules, and files that may be
 * read; nothing is ever fetched. What code left running in the background writes is shown with the next action.
 *
 * Code that throws, does not compile, ends its process, or exceeds the time or memory limit is an executed action that
 * failed; if the process dies otherwise, that is an environment failure. Whenever the process is gone, the observation
 * says that its state is lost, and the next action starts a new one. On abort the process is killed and `execute`
 * rejects with the signal's reason. The process ends when this one does, however it dies. One action runs at a time.
 *
 * @throws {InvalidRequestError} If a limit is not a whole number in its range, or a permission is not an array of
 * strings without commas, absolute where it is a path.
 */
export function codeSandbox(options: CodeSandboxOptions): CodeSandbox {
  const texts = modelTexts(CODE_SANDBOX_TEXTS, options.texts);
  const limits = checkedLimits(options);
  const flags = permissionFlags(options.permissions ?? {});
  let process: SandboxProcess | undefined;
  let isBusy = false;
  let isClosed = false;

  const discard = async (): Promise<void> => {
    const gone = process;
    process = undefined;
    await gone?.kill();
  };
  const close = async (): Promise<void> => {
    isClosed = true;
    await discard();
  };

  const runCell = async (cell: SandboxCell, signal: AbortSignal): Promise<ActionOutcome> => {
    const current = process ??= startSandboxProcess({ flags, ...limits });
    let end: CellEnd | "aborted";
    const ready = current.isOver()
      ? "died"
      : await withinTime(current.ready, START_TIMEOUT_MS, signal);
    if (ready === "r") end = await withinTime(current.run(cell), limits.timeoutMs, signal);
    else end = ready === "aborted" ? ready : "found_dead";
    if (end !== "s" && end !== "f") await discard();
    if (end === "aborted") throw signal.reason;
    return outcomeOf(current, end, texts, limits);
  };

  return {
    async execute({ action, signal }: ActionCall): Promise<ActionOutcome> {
      const cell = readAction(action);
      if (cell === undefined) {
        const languages = [...LANGUAGES.keys()].join(", ");
        return notExecuted(fillText(texts.badAction, { languages }));
      }
      if (isClosed) throw new EnvironmentError("Cannot run the code as the sandbox is closed");
      if (isBusy) {
        throw new EnvironmentError(
          "Cannot run the code as the sandbox runs other code: give each run a sandbox of its own",
        );
      }
      signal.throwIfAborted();
      isBusy = true;
      try {
        return await runCell(cell, signal);
      } finally {
        isBusy = false;
      }
    },
    replayPolicy: (action) => readAction(action) === undefined ? "replayable" : "never",
    parameters: () => ({
      kind: "code_sandbox",
      permissions: flags.join(" "),
      timeout_ms: String(limits.timeoutMs),
      max_output_chars: String(limits.maxOutputChars),
      max_memory_mb: String(limits.maxMemoryMb),
      ...textDigests(texts),
    }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** How the wait for a cell ended. */
type CellEnd = SandboxEnd | "timed_out" | "found_dead";

/** What the engine says when it dies for want of memory. */
const HEAP_IS_FULL = /Fatal JavaScript out of memory|heap out of memory/;

function outcomeOf(
  from: SandboxProcess,
  end: CellEnd,
  texts: CodeSandboxTexts,
  limits: Required<Pick<CodeSandboxOptions, "timeoutMs" | "maxOutputChars" | "maxMemoryMb">>,
): ActionOutcome {
  const notes: Readonly<Record<CellEnd, string | undefined>> = {
    s: undefined,
    f: undefined,
    x: texts.exited,
    m: fillText(texts.outOfMemory, { mb: limits.maxMemoryMb }),
    timed_out: fillText(texts.timedOut, { ms: limits.timeoutMs }),
    died: texts.died,
    found_dead: texts.foundDead,
  };
  const stdout = from.stdout.take();
  const stderr = from.stderr.take();
  const isHeapFull = end === "died" && HEAP_IS_FULL.test(stderr.head + stderr.tail);
  const note = notes[isHeapFull ? "m" : end];
  const isBroken = !isHeapFull && (end === "died" || end === "found_dead");
  const output = observedOutput(
    isHeapFull // the engine's report is of no use to the model
      ? [{ label: "", ...stdout }]
      : [{ label: "", ...stdout }, { label: texts.stderr, ...stderr }],
    {
      maxOutputChars: limits.maxOutputChars,
      truncated: texts.truncated,
      noOutput: texts.noOutput,
      notes: note === undefined ? [] : [note],
    },
  );
  const status = isBroken ? "environment_failed" : "executed";
  return { status, failed: !isBroken && end !== "s", ...output, completed: false };
}

function readAction(action: JsonValue): SandboxCell | undefined {
  if (!isJsonObject(action)) return undefined;
  const { language, code, ...rest } = action;
  if (typeof language !== "string" || typeof code !== "string") return undefined;
  const isTypeScript = LANGUAGES.get(language);
  if (isTypeScript === undefined || Object.keys(rest).length > 0) return undefined;
  return { code, isTypeScript };
}

function permissionFlags(permissions: SandboxPermissions): string[] {
  const flags: string[] = [];
  for (const [name, entries] of Object.entries(permissions)) {
    const field = `permissions.${name}`;
    if (!["read", "write", "net"].includes(name)) {
      throw new InvalidRequestError(field, entries, "there is no such permission");
    }
    if (!Array.isArray(entries)) {
      throw new InvalidRequestError(field, entries, "a permission must be an array");
    }
    for (const entry of entries) {
      if (typeof entry !== "string" || !/^[^,\s]+$/.test(entry)) {
        throw new InvalidRequestError(field, entry, "it must be a string without comma or space");
      }
      if (name !== "net" && !/^(?:\/|[A-Za-z]:[\\/])/.test(entry)) {
        throw new InvalidRequestError(field, entry, "a path must be absolute");
      }
    }
    if (entries.length > 0) flags.push(`--allow-${name}=${entries.join(",")}`);
  }
  return flags;
}

function checkedLimits(options: CodeSandboxOptions) {
  refuseUnknownFields(options, OPTIONS);
  const { timeoutMs, maxOutputChars, maxMemoryMb = 512 } = options;
  checkWhole("timeoutMs", timeoutMs, 1);
  checkWhole("maxOutputChars", maxOutputChars, 0);
  checkWhole("maxMemoryMb", maxMemoryMb, 128);
  return { timeoutMs, maxOutputChars, maxMemoryMb };
}

const OPTIONS = ["permissions", "timeoutMs", "maxOutputChars", "maxMemoryMb", "texts"];
