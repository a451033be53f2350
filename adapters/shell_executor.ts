/**
 * An executor for models that act by writing shell commands. It protects nothing: what the command may do is what the
 * user that runs it may do. Put it in a container.
 *
 * @example
 * ```ts
 * import { shellExecutor } from "@polyloop/polyloop/adapters/shell-executor";
 * import { assertEquals } from "@std/assert";
 *
 * await using shell = shellExecutor({
 *   cwd: "/",
 *   env: { PATH: "/usr/bin:/bin" },
 *   timeoutMs: 10_000,
 *   maxOutputChars: 4_000,
 * });
 * const { signal } = new AbortController();
 * const call = { action: { command: "echo hi; exit 3" }, actionId: "r/s0_a0", attempt: 1, signal };
 * const { failed, observation } = await shell.execute(call);
 * assertEquals([failed, observation], [true, "hi\n[exit code 3]"]);
 * ```
 *
 * @module
 */
import {
  type ActionOutcome,
  EnvironmentError,
  errorInfo,
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
import { withinTime } from "./_process/within_time.ts";
import { observedOutput } from "./_process/observed_output.ts";
import { notExecuted } from "./_process/not_executed.ts";
import {
  type ShellCommand,
  type ShellProcess,
  startShellProcess,
} from "./_process/shell_process.ts";
import { checkWhole } from "./_check_whole.ts";

/** What a {@link shellExecutor} writes for the model. `{name}` stands for a value, put in literally. */
export interface ShellTexts {
  /** The action is neither `{ command }` nor `{ code, language }`. */
  readonly badAction: string;
  /** There is no such shell. `{language}`: the one that the action names. `{languages}`: those that there are. */
  readonly badLanguage: string;
  /** The action asks for a command that goes on in the background. */
  readonly background: string;
  /** No shell can take the command as it is. `{bytes}`: how many bytes it may have. */
  readonly unusableCommand: string;
  /** Goes before what was written to stderr. */
  readonly stderr: string;
  /** Stands in the place of what was cut out of an output. `{truncatedChars}`: how many code points. */
  readonly truncationNotice: string;
  /** The command ended. `{code}`: its exit code. */
  readonly exitCode: string;
  /** A signal ended the command. `{signal}`: its name. */
  readonly killed: string;
  /** The command took too long. `{ms}`: the limit in milliseconds. */
  readonly timedOut: string;
}

/** The texts of a {@link shellExecutor} where none are given. */
export const SHELL_TEXTS: ShellTexts = Object.freeze({
  badAction:
    'The action must be {"command"} with a string, or {"code", "language"} with strings. Nothing was run.',
  badLanguage: "There is no shell {language} here, only {languages}. Nothing was run.",
  background:
    "Nothing runs in the background here: what a command starts ends with it. Whoever runs this agent can keep a server by a tool of its own. Nothing was run.",
  unusableCommand:
    "A command must have no NUL character, no lone surrogate, and at most {bytes} bytes. Nothing was run.",
  stderr: "[stderr]",
  truncationNotice: "[{truncatedChars} more characters were cut off]",
  exitCode: "[exit code {code}]",
  killed: "[ended by the signal {signal}]",
  timedOut: "[The command was stopped as it ran for more than {ms} ms.]",
});

/** How commands are run. */
export interface ShellExecutorOptions {
  /** The folder that each command starts in. */
  readonly cwd: string;
  /** The whole environment of a command: nothing of this process's own is added. */
  readonly env: Readonly<Record<string, string>>;
  /** How long one command may take, in milliseconds: a whole number, 1 or more. */
  readonly timeoutMs: number;
  /** How many code points of output the observation may hold, notices not counted: a whole number, 0 or more. */
  readonly maxOutputChars: number;
  /**
   * Replaces texts of {@link SHELL_TEXTS}.
   *
   * @default {SHELL_TEXTS}
   */
  readonly texts?: Partial<ShellTexts>;
}

/** An executor that may hold processes: close it when the run is over. */
export interface ShellExecutor extends ActionExecutor, AsyncDisposable {
  /** Kills what still runs, and waits until it is gone. Later actions are refused. */
  close(): Promise<void>;
}

const OPTIONS: KnownFields<ShellExecutorOptions> = {
  cwd: true,
  env: true,
  timeoutMs: true,
  maxOutputChars: true,
  texts: true,
};

/** The shells that there are. */
const SHELLS: readonly string[] = ["sh", "bash"];

/**
 * Executes actions `{ command }` by `sh`, and `{ code, language }` by the language, `sh` or `bash`, as
 * `codeFenceInterpreter` makes them; each in a shell of its own with an empty stdin: nothing but files lives from one to
 * the next. The observation is what the command wrote to stdout and stderr, of long output the beginning and the end, and
 * its exit code; another code than 0 is a failed action. A command that no shell can take as it is (with a NUL or a lone
 * surrogate, or of more than 131,071 bytes) is refused. It needs a POSIX system and `--allow-run` for `sh`, and for
 * `bash` where that is used.
 *
 * When the shell ends, when the time is over, on abort, and when this process ends, be it by SIGKILL, what the command
 * started is killed: its process group, and on Linux also what made a session of its own (`setsid`) and still descends
 * from it. A daemon escapes, which is one whose parent has ended; its output is not waited for. So no server lives from
 * one action to the next, and an action with `background: true` is refused. After an abort `execute` rejects with the
 * signal's reason. A shell that cannot be started is an environment failure.
 *
 * @throws {InvalidRequestError} If `cwd` is not a string, `env` holds something else than strings, or a limit is not a
 * whole number in its range; on another runtime than Deno.
 */
export function shellExecutor(options: ShellExecutorOptions): ShellExecutor {
  requireDeno("shellExecutor", "give the model a tool of your own that starts the program");
  refuseUnknownFields(options, OPTIONS);
  const texts = modelTexts(SHELL_TEXTS, options.texts);
  const { cwd, timeoutMs, maxOutputChars } = options;
  checkWhole("timeoutMs", timeoutMs, 1);
  checkWhole("maxOutputChars", maxOutputChars, 0);
  if (typeof cwd !== "string" || cwd === "") {
    throw new InvalidRequestError("cwd", cwd, "it must be the path of a folder");
  }
  const env = { ...options.env };
  for (const [name, value] of Object.entries(env)) {
    if (typeof value !== "string") {
      throw new InvalidRequestError(`env.${name}`, value, "it must be a string");
    }
  }
  const running = new Set<ShellProcess>();
  let isClosed = false;

  const runCommand = async (
    command: ShellCommand,
    signal: AbortSignal,
  ): Promise<ActionOutcome> => {
    const shell = start(() => startShellProcess({ ...command, cwd, env, maxOutputChars }));
    running.add(shell);
    const end = await withinTime(shell.status, timeoutMs, signal);
    await shell.kill();
    running.delete(shell);
    if (end === "aborted") throw signal.reason;
    if (isClosed) throw closed();
    return outcomeOf(shell, end, texts, { timeoutMs, maxOutputChars });
  };
  const close = async (): Promise<void> => {
    isClosed = true;
    await Promise.all([...running].map((shell) => shell.kill()));
  };

  return {
    async execute({ action, signal }: ActionCall): Promise<ActionOutcome> {
      const command = readAction(action, texts);
      if (typeof command === "string") return notExecuted(command);
      if (isClosed) throw closed();
      signal.throwIfAborted();
      return await runCommand(command, signal);
    },
    replayPolicy: (action) =>
      typeof readAction(action, texts) === "string" ? "replayable" : "never",
    parameters: () => ({
      kind: "shell",
      env_names: Object.keys(env).sort().join(","),
      timeout_ms: String(timeoutMs),
      max_output_chars: String(maxOutputChars),
      ...textDigests(texts),
    }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function outcomeOf(
  shell: ShellProcess,
  end: Deno.CommandStatus | "timed_out",
  texts: ShellTexts,
  { timeoutMs, maxOutputChars }: Pick<ShellExecutorOptions, "timeoutMs" | "maxOutputChars">,
): ActionOutcome {
  const parts = [
    { label: "", ...shell.stdout.take() },
    { label: texts.stderr, ...shell.stderr.take() },
  ];
  const notes = [noteOf(end, texts, timeoutMs)];
  const { truncationNotice } = texts;
  return {
    status: "executed",
    failed: end === "timed_out" || !end.success,
    ...observedOutput(parts, { maxOutputChars, truncationNotice, noOutput: "", notes }),
    completed: false,
  };
}

function noteOf(
  end: Deno.CommandStatus | "timed_out",
  texts: ShellTexts,
  timeoutMs: number,
): string {
  if (end === "timed_out") return fillText(texts.timedOut, { ms: timeoutMs });
  if (end.signal !== null) return fillText(texts.killed, { signal: end.signal });
  return fillText(texts.exitCode, { code: end.code });
}

/** The command of an action; a string says why there is none. */
function readAction(action: JsonValue, texts: ShellTexts): ShellCommand | string {
  if (!isJsonObject(action)) return texts.badAction;
  if (action.background === true) return texts.background;
  const form = Object.keys(action).sort().join();
  const isCode = form === "code,language";
  if (!isCode && form !== "command") return texts.badAction;
  const [command, shell] = isCode ? [action.code, action.language] : [action.command, "sh"];
  if (typeof command !== "string" || typeof shell !== "string") return texts.badAction;
  if (!SHELLS.includes(shell)) {
    return fillText(texts.badLanguage, { language: shell, languages: SHELLS.join(" and ") });
  }
  if (!isUsable(command)) return fillText(texts.unusableCommand, { bytes: MAX_COMMAND_BYTES });
  return { shell, command };
}

/** The longest argument that Linux hands to a process, without the NUL after it. */
const MAX_COMMAND_BYTES = 131_071;

function isUsable(command: string): boolean {
  return !command.includes("\0") && command.isWellFormed() &&
    new TextEncoder().encode(command).length <= MAX_COMMAND_BYTES;
}

function start(spawn: () => ShellProcess): ShellProcess {
  try {
    return spawn();
  } catch (error) {
    throw new EnvironmentError(
      `Cannot run the command as no shell can be started: ${errorInfo(error).message}`,
      { cause: error },
    );
  }
}

function closed(): EnvironmentError {
  return new EnvironmentError("Cannot run the command as the executor is closed");
}
