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
  type KnownFields,
  modelTexts,
  refuseUnknownFields,
  requireDeno,
  textDigests,
} from "../types/mod.ts";
import type { ActionCall, ActionExecutor } from "../ports/mod.ts";
import { checkWhole } from "./_check_whole.ts";
import { notExecuted } from "./_process/not_executed.ts";
import type { SandboxIsolation } from "./_sandbox/isolation.ts";
import { notebook } from "./_sandbox/notebook.ts";
import { type CellLimits, cellOutcome } from "./_sandbox/outcome.ts";
import {
  permissionFlags,
  readPermissions,
  type SandboxPermissions,
} from "./_sandbox/permissions.ts";
import type { SandboxCell } from "./_sandbox/protocol.ts";
import { CODE_SANDBOX_TEXTS, type CodeSandboxTexts } from "./_sandbox/texts.ts";

export {
  CODE_SANDBOX_TEXTS,
  type CodeSandboxTexts,
  type SandboxIsolation,
  type SandboxPermissions,
};

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
  readonly memoryMb?: number;
  /**
   * What keeps the code apart from the rest of the machine: Deno's permissions alone, or also `bwrap` of bubblewrap,
   * which must be installed and may make namespaces; where it is not or may not, an action is refused by an
   * `EnvironmentError`. See {@link codeSandbox} for what either holds.
   *
   * @default {"deno"}
   */
  readonly isolation?: SandboxIsolation;
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

/**
 * Executes actions `{ language, code }`, the language being `js`, `javascript`, `ts` or `typescript`, in a separate
 * `deno` process that starts with the first action and has no permission but those named, no environment, and no
 * folder, module cache or file of its own. It needs Deno 2.9.5, `--allow-run` for `sh` (on Windows for `deno`), and
 * `--allow-read` of the folders that are named.
 *
 * State lives as in a notebook: variables, functions, classes and imports of the top level are there for later actions,
 * and may be declared again (functions of earlier code then see the new value). Top-level `await` works. What the code
 * writes to the console and the value of its last expression are the observation; of long output it has the beginning
 * and the end. Types are taken off, not checked; the namespaces and decorators of TypeScript are not supported. `import`
 * reaches files that may be read, but no CommonJS, and those modules of Node's that load no code and start nothing;
 * nothing is ever fetched. There are no workers. What code left running in the background writes is shown with the next
 * action.
 *
 * Code that throws, does not compile, ends or kills its process, or exceeds the time or memory limit is an executed
 * action that failed. If the process died before the code could begin, that is an environment failure. Whenever the
 * process is gone, the observation says that its state is lost, and the next action starts a new one. On abort the
 * process is killed and `execute` rejects with the signal's reason. The process ends when this one does, however that
 * dies. One action runs at a time.
 *
 * What an isolation holds is what was tried against it (on Linux, with the Deno of its release), and no more:
 *
 * | `isolation` | holds | does not hold |
 * | --- | --- | --- |
 * | `deno` | Code touches nothing but what is named, never /proc, /sys or /dev; it makes no symbolic link, and no link leads it out: where one does, the sandbox does not start, or is ended after the code. Time, memory and output have limits. It can forge no end of its own. | A hole in Deno or in its engine: the process is one of this user's. A hard link in a named folder to a file outside. A link that somebody else makes while code runs. How much is written to a named folder. |
 * | `bubblewrap` | The same, but that links need not be looked for; and, should Deno's permissions fall, the process sees only the named folders and the system's libraries, no other process, and no network unless `net` is named. | A hole in the kernel. With `net`, should Deno's permissions fall: any host, and the services of this machine. |
 *
 * Code of an origin that you do not trust, with rights to files, wants `bubblewrap`.
 *
 * @throws {InvalidRequestError} If a limit is not a whole number in its range, a permission is not an array of strings
 * without commas, absolute where it is a path, or there is no such isolation here; on another runtime than Deno, or an older one.
 */
export function codeSandbox(options: CodeSandboxOptions): CodeSandbox {
  requireDeno("codeSandbox", "reach one over MCP here, or as a tool of your own", "2.9.5");
  const limits = checkedLimits(options);
  const texts = modelTexts(CODE_SANDBOX_TEXTS, options.texts);
  const isolation = checkedIsolation(options.isolation ?? "deno");
  const permissions = readPermissions(options.permissions ?? {});
  const cells = notebook({ ...limits, isolation, permissions });
  let isBusy = false;
  let isClosed = false;
  const close = async (): Promise<void> => {
    isClosed = true;
    await cells.close();
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
        const [process, end] = await cells.run(cell, signal);
        return cellOutcome(process, end, texts, limits);
      } finally {
        isBusy = false;
      }
    },
    replayPolicy: (action) => readAction(action) === undefined ? "replayable" : "never",
    parameters: () => ({
      kind: "code_sandbox",
      permissions: permissionFlags(permissions).join(" "),
      isolation,
      timeout_ms: String(limits.timeoutMs),
      max_output_chars: String(limits.maxOutputChars),
      memory_mb: String(limits.memoryMb),
      ...textDigests(texts),
    }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function readAction(action: JsonValue): SandboxCell | undefined {
  if (!isJsonObject(action)) return undefined;
  const { language, code, ...rest } = action;
  if (typeof language !== "string" || typeof code !== "string") return undefined;
  const isTypeScript = LANGUAGES.get(language);
  if (isTypeScript === undefined || Object.keys(rest).length > 0) return undefined;
  return { code, isTypeScript };
}

const OPTIONS: KnownFields<CodeSandboxOptions> = {
  permissions: true,
  timeoutMs: true,
  maxOutputChars: true,
  memoryMb: true,
  isolation: true,
  texts: true,
};

function checkedLimits(options: CodeSandboxOptions): CellLimits {
  refuseUnknownFields(options, OPTIONS);
  const { timeoutMs, maxOutputChars, memoryMb = 512 } = options;
  checkWhole("timeoutMs", timeoutMs, 1);
  checkWhole("maxOutputChars", maxOutputChars, 0);
  checkWhole("memoryMb", memoryMb, 128);
  return { timeoutMs, maxOutputChars, memoryMb };
}

function checkedIsolation(isolation: SandboxIsolation): SandboxIsolation {
  if (isolation === "deno" || isolation === "bubblewrap" && Deno.build.os === "linux") {
    return isolation;
  }
  const detail = isolation === "bubblewrap"
    ? "there is bubblewrap on Linux only"
    : 'it must be "deno" or "bubblewrap"';
  throw new InvalidRequestError("isolation", isolation, detail);
}
