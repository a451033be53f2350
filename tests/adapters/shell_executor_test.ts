import {
  assertEquals,
  assertMatch,
  assertNotEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import {
  SHELL_TEXTS,
  type ShellExecutor,
  shellExecutor,
  type ShellExecutorOptions,
} from "../../adapters/shell_executor.ts";
import {
  actionFate,
  type ActionOutcome,
  EnvironmentError,
  InvalidRequestError,
  type JsonValue,
} from "../../types/mod.ts";

const OPTIONS = {
  cwd: "/",
  env: { PATH: "/usr/bin:/bin" },
  timeoutMs: 20_000,
  maxOutputChars: 2_000,
};
const never = new AbortController().signal;

function execute(
  shell: ShellExecutor,
  command: string,
  signal = never,
): Promise<ActionOutcome> {
  return shell.execute({ action: { command }, actionId: "r/s0_a0", attempt: 1, signal });
}

/** A named pipe: processes that write to it can be seen to be there, and to be gone. */
async function witness() {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/pipe`;
  await new Deno.Command("mkfifo", { args: [path] }).output();
  return {
    path,
    /** Resolves when a process has opened the pipe; then `gone` when none has it open any more. */
    async opened() {
      const pipe = await Deno.open(path);
      return {
        async readNumber() {
          const bytes = new Uint8Array(64);
          const size = await pipe.read(bytes);
          return Number(new TextDecoder().decode(bytes.subarray(0, size ?? 0)));
        },
        async gone() {
          while (await pipe.read(new Uint8Array(64)) !== null);
          pipe.close();
          await Deno.remove(folder, { recursive: true });
        },
      };
    },
  };
}

Deno.test("shellExecutor() shows stdout, stderr and the exit code", async () => {
  await using shell = shellExecutor(OPTIONS);
  const commands: [command: string, failed: boolean, observation: string][] = [
    ["echo hi", false, "hi\n[exit code 0]"],
    ["printf 'a\\nb'; echo c >&2; exit 3", true, "a\nb\n[stderr]\nc\n[exit code 3]"],
    ["echo '$& {code} 🌊'", false, "$& {code} 🌊\n[exit code 0]"],
    ["cat", false, "[exit code 0]"],
    ["kill -TERM $$", true, "[ended by the signal SIGTERM]"],
    ["pwd", false, "/\n[exit code 0]"],
    ["-x 2>/dev/null; echo dashed", false, "dashed\n[exit code 0]"],
  ];
  for (const [command, failed, observation] of commands) {
    const outcome = await execute(shell, command);
    assertEquals(actionFate(outcome), failed ? "failed" : "executed", command);
    assertEquals(outcome.observation, observation);
    assertEquals(outcome.observationSynthetic, observation.startsWith("["));
  }
  assertStringIncludes((await execute(shell, "if")).observation, "[exit code 2]");
});

Deno.test("shellExecutor() gives a command the environment and folder that it was given, and no more", async () => {
  const cwd = await Deno.realPath(await Deno.makeTempDir());
  Deno.env.set("POLYLOOP_SHELL_TEST", "leaked");
  try {
    await using shell = shellExecutor({ ...OPTIONS, cwd, env: { ...OPTIONS.env, A: "b c" } });
    const { observation } = await execute(shell, "pwd; env | sort");
    const [first, ...names] = observation.split("\n").map((line) => line.split("=")[0]);
    assertEquals(first, cwd);
    assertEquals(names.filter((name) => !["PWD", "SHLVL", "OLDPWD", "_"].includes(name!)), [
      "A",
      "PATH",
      "[exit code 0]",
    ]);
  } finally {
    Deno.env.delete("POLYLOOP_SHELL_TEST");
    await Deno.remove(cwd);
  }
});

Deno.test("shellExecutor() bounds output while it comes, in code points", async () => {
  await using shell = shellExecutor({ ...OPTIONS, maxOutputChars: 12 });
  const write = "printf '🌊🌊🌊🌊'; head -c 2000000 /dev/zero | tr '\\0' x; printf '🌊🌊'";
  const outcome = await execute(shell, `${write}; printf bad >&2`);
  assertEquals(outcome.truncatedChars, 1_999_997);
  assertEquals(
    outcome.observation,
    "🌊🌊🌊\n[1999997 more characters were cut off]\nxxxx🌊🌊\n[stderr]\nbad\n[exit code 0]",
  );
  const split = await execute(shell, "printf '\\360\\237'; sleep 0.01; printf '\\214\\212\\377'");
  assertEquals(split.observation, "🌊\ufffd\n[exit code 0]");
});

Deno.test("shellExecutor() kills the whole group when the time is over", async () => {
  const { path, opened } = await witness();
  await using shell = shellExecutor({ ...OPTIONS, timeoutMs: 300 });
  const outcome = execute(shell, `echo a; (trap '' TERM HUP; sleep 1000 > ${path}) & sleep 1000`);
  await (await opened()).gone();
  const stopped = await outcome;
  assertEquals(actionFate(stopped), "failed");
  assertEquals(stopped.observation, `a\n${SHELL_TEXTS.timedOut.replace("{ms}", "300")}`);
});

Deno.test("shellExecutor() leaves nothing in the background when the command ends", async () => {
  const { path, opened } = await witness();
  await using shell = shellExecutor(OPTIONS);
  const outcome = execute(shell, `exec 3> ${path}; sleep 1000 & echo hi`);
  const [pipe, { observation }] = await Promise.all([opened(), outcome]);
  await pipe.gone();
  assertEquals(observation, "hi\n[exit code 0]");
});

Deno.test({
  name: "shellExecutor() kills also what made a session of its own",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const { path, opened } = await witness();
    await using shell = shellExecutor({ ...OPTIONS, timeoutMs: 300 });
    const outcome = execute(shell, `setsid sh -c 'setsid sleep 1000 > ${path} & wait' & wait`);
    await (await opened()).gone();
    assertStringIncludes((await outcome).observation, "stopped");
  },
});

Deno.test("shellExecutor() does not wait for a daemon that escaped with its output", async () => {
  const { path, opened } = await witness();
  await using shell = shellExecutor(OPTIONS);
  const command = `exec 3> ${path}; (setsid sh -c 'echo $$ >&3; exec sleep 1000' &); sleep 1000`;
  const outcome = assertRejects(() => execute(shell, command), EnvironmentError, "closed");
  const pipe = await opened();
  const escaped = await pipe.readNumber();
  await shell.close();
  await outcome;
  Deno.kill(escaped, "SIGKILL");
  await pipe.gone();
});

Deno.test("shellExecutor() kills the group on abort and rejects with its reason", async () => {
  const { path, opened } = await witness();
  await using shell = shellExecutor(OPTIONS);
  const controller = new AbortController();
  const reason = new Error("enough");
  const outcome = execute(shell, `sleep 1000 > ${path} & sleep 1000`, controller.signal);
  const pipe = await opened();
  controller.abort(reason);
  assertEquals(await assertRejects(() => outcome), reason);
  await pipe.gone();
  assertEquals(await assertRejects(() => execute(shell, "echo", controller.signal)), reason);
});

Deno.test("shellExecutor() leaves no shell behind after close()", async () => {
  const { path, opened } = await witness();
  const shell = shellExecutor(OPTIONS);
  const command = `sleep 1000 > ${path} & sleep 1000`;
  const outcome = assertRejects(() => execute(shell, command), EnvironmentError, "closed");
  const pipe = await opened();
  await shell.close();
  await pipe.gone();
  await outcome;
  await assertRejects(() => execute(shell, "echo"), EnvironmentError, "closed");
});

Deno.test("shellExecutor() rejects where no shell can be started", async () => {
  await using shell = shellExecutor({ ...OPTIONS, cwd: "/nowhere/at/all" });
  await assertRejects(() => execute(shell, "echo"), EnvironmentError, "no shell");
});

Deno.test("shellExecutor() does not execute what is no action of its own", async () => {
  await using shell = shellExecutor(OPTIONS);
  const wrong: JsonValue[] = [
    null,
    "ls",
    ["ls"],
    {},
    { command: ["ls"] },
    {
      command: "ls",
      cwd: "/",
    },
    { code: "ls" },
    { language: "sh" },
    { command: "ls", language: "sh" },
    {
      command: "ls",
      background: false,
    },
    { code: 1, language: "sh" },
  ];
  for (const action of wrong) {
    const outcome = await shell.execute({ action, actionId: "a", attempt: 1, signal: never });
    assertEquals([outcome.status, outcome.observation], ["not_executed", SHELL_TEXTS.badAction]);
    assertEquals(shell.replayPolicy!(action), "replayable");
  }
  const refusals: [action: JsonValue, why: RegExp][] = [
    [{ code: "1", language: "python" }, /no shell python here, only sh and bash/],
    [
      { command: "sleep 9", background: true },
      /ends with it.* a tool of its own\. Nothing was run/,
    ],
    [{ code: "sleep 9", language: "sh", background: true }, /tool of its own/],
  ];
  for (const [action, why] of refusals) {
    const outcome = await shell.execute({ action, actionId: "a", attempt: 1, signal: never });
    assertEquals(outcome.status, "not_executed");
    assertMatch(outcome.observation, why);
    assertEquals(shell.replayPolicy!(action), "replayable");
  }
  assertEquals(shell.replayPolicy!({ command: "ls" }), "never");
});

Deno.test("shellExecutor() refuses a command that no shell can take as it is, and tells the model why", async () => {
  await using shell = shellExecutor(OPTIONS);
  const unusable = ["echo a\0b", "echo \ud800", `: ${"x".repeat(131_070)}`];
  for (const command of unusable) {
    const { status, observation } = await execute(shell, command);
    assertEquals(
      [status, observation],
      [
        "not_executed",
        "A command must have no NUL character, no lone surrogate, and at most 131071 bytes. Nothing was run.",
      ],
    );
    assertEquals(shell.replayPolicy!({ command }), "replayable");
  }
  const longest = `: ${"x".repeat(131_069)}`;
  assertEquals((await execute(shell, longest)).status, "executed");
  assertEquals(shell.replayPolicy!({ command: longest }), "never");
});

Deno.test("shellExecutor() tells in parameters() what bears on a run, and no value of its environment", () => {
  const secret = { ...OPTIONS, env: { KEY: "secret" } };
  const parameters = shellExecutor(OPTIONS).parameters();
  assertEquals(JSON.stringify(shellExecutor(secret).parameters()).includes("secret"), false);
  assertEquals(shellExecutor({ ...OPTIONS, cwd: "/tmp" }).parameters(), parameters);
  const others: ShellExecutorOptions[] = [
    secret,
    { ...OPTIONS, timeoutMs: 1 },
    { ...OPTIONS, maxOutputChars: 1 },
    ...Object.keys(SHELL_TEXTS).map((name) => ({ ...OPTIONS, texts: { [name]: "x" } })),
  ];
  for (const other of others) assertNotEquals(shellExecutor(other).parameters(), parameters);
});

Deno.test("shellExecutor() refuses options that it cannot follow", () => {
  const wrong: object[] = [
    { ...OPTIONS, cwd: "" },
    { ...OPTIONS, cwd: undefined },
    { ...OPTIONS, env: { A: 1 } },
    { ...OPTIONS, timeoutMs: 0 },
    { ...OPTIONS, maxOutputChars: -1 },
  ];
  for (const options of wrong) {
    assertThrows(() => shellExecutor(options as ShellExecutorOptions), InvalidRequestError);
  }
});

Deno.test("shellExecutor() keeps the end of a long output, and what was written to stderr", async () => {
  await using shell = shellExecutor(OPTIONS);
  const failed = await execute(shell, "seq 1 5000; echo FAILED one; exit 1");
  assertMatch(
    failed.observation,
    /^1\n2\n[^]*\n\[\d+ more characters were cut off\]\n[^]*\n5000\nFAILED one\n/,
  );
  const both = await execute(shell, "seq 1 5000; seq 6000 9000 >&2; echo bad >&2; exit 2");
  assertMatch(
    both.observation,
    /^1\n[^]*\n5000\n\[stderr\]\n6000\n[^]*\n9000\nbad\n\[exit code 2\]$/,
  );
  assertEquals(both.observation.match(/more characters were cut off/g)?.length, 2);
});
