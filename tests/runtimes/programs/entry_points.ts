/**
 * Loads every entry point whose key it is given, as a module and as CommonJS does, and makes what runs on Deno alone:
 * each must be refused by one typed error.
 */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import process from "node:process";
import { codeSandbox } from "@polyloop/polyloop/adapters/code-sandbox";
import { connectMcpStdio } from "@polyloop/polyloop/adapters/mcp-tools";
import { consoleEvents } from "@polyloop/polyloop/adapters/console-events";
import { shellExecutor } from "@polyloop/polyloop/adapters/shell-executor";
import { main } from "@polyloop/polyloop/cli";
import { jsonlStore } from "@polyloop/polyloop/stores/jsonl";
import { type KvDatabase, kvStore } from "@polyloop/polyloop/stores/kv";
import { EnvironmentError, InvalidRequestError } from "@polyloop/polyloop/types";

const require = createRequire(import.meta.url);
const keys = process.argv.slice(2);
for (const key of keys) {
  const specifier = `@polyloop/polyloop${key.slice(1)}`;
  const names = Object.keys(await import(specifier));
  assert(names.length > 0, `${key} exports nothing`);
  assert.deepEqual(Object.keys(require(specifier)), names);
}

const LIMITS = { timeoutMs: 1_000, maxOutputChars: 1_000 };
const no = (): never => {
  throw new Error("it was asked");
};
const kv: KvDatabase = { get: no, list: no, atomic: no };

assert.throws(() => codeSandbox(LIMITS), InvalidRequestError);
assert.throws(() => shellExecutor({ cwd: "/", env: {}, ...LIMITS }), InvalidRequestError);
assert.throws(() => jsonlStore({ dir: "runs" }), InvalidRequestError);
assert.throws(() => kvStore({ kv }), InvalidRequestError);
await assert.rejects(main(["--help"]), InvalidRequestError);
await assert.rejects(connectMcpStdio({ command: "sh", env: {} }), EnvironmentError);

const at = new Date(0).toISOString();
consoleEvents().emit({ type: "run_started", runId: "r", sequence: 0, at, parameters: {} });
process.stdout.write(`${keys.length} entry points; what needs Deno is refused\n`);
