/**
 * A program that drives executors until it is ended. What it is to run comes as JSON in its one argument; the ids of the
 * sandboxes' processes go to stdout, as JSON, once the cells before the last are done.
 *
 * @module
 */
import { codeSandbox } from "../../../adapters/code_sandbox.ts";
import { shellExecutor } from "../../../adapters/shell_executor.ts";
import type { DriverWork } from "./driver_process.ts";

const { signal } = new AbortController();
const limits = { timeoutMs: 1e9, maxOutputChars: 1_000 };
const { commands, cells }: DriverWork = JSON.parse(Deno.args[0] ?? "");

const shell = shellExecutor({ cwd: "/", env: { PATH: "/usr/bin:/bin" }, ...limits });
for (const command of commands) {
  shell.execute({ action: { command }, actionId: "a", attempt: 1, signal });
}
const pids = await Promise.all(cells.map(async (cell) => {
  const sandbox = codeSandbox(limits);
  const run = (code: string) =>
    sandbox.execute({ action: { language: "js", code }, actionId: "a", attempt: 1, signal });
  const { observation } = await run("process.pid");
  run(cell);
  return Number(observation);
}));
Deno.stdout.writeSync(new TextEncoder().encode(`${JSON.stringify(pids)}\n`));
