/**
 * A program that drives executors until it is ended. What it is to run comes as JSON in its one argument.
 *
 * @module
 */
import { codeSandbox } from "../../../adapters/code_sandbox.ts";
import { shellExecutor } from "../../../adapters/shell_executor.ts";
import type { DriverWork } from "./driver_process.ts";

const { signal } = new AbortController();
const limits = { timeoutMs: 1e9, maxOutputChars: 1_000 };
const { folder, commands, cells }: DriverWork = JSON.parse(Deno.args[0] ?? "");

const shell = shellExecutor({ cwd: "/", env: { PATH: "/usr/bin:/bin" }, ...limits });
for (const command of commands) {
  shell.execute({ action: { command }, actionId: "a", attempt: 1, signal });
}
for (const code of cells) {
  const sandbox = codeSandbox({ ...limits, permissions: { write: [folder] } });
  sandbox.execute({ action: { language: "js", code }, actionId: "a", attempt: 1, signal });
}
