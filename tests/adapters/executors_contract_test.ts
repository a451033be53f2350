import { type CodeSandbox, codeSandbox } from "../../adapters/code_sandbox.ts";
import { type ShellExecutor, shellExecutor } from "../../adapters/shell_executor.ts";
import { executorContract, type ExecutorContractOptions } from "../contract/mod.ts";
import { REGISTRY_CASES } from "./contracts/registry.ts";

const LIMITS = { timeoutMs: 60_000, maxOutputChars: 100 };

const SANDBOX: ExecutorContractOptions<CodeSandbox> = {
  makeExecutor: () => codeSandbox(LIMITS),
  samples: [
    { action: { language: "ts", code: "1 + 2" }, result: "succeeds" },
    { action: { language: "js", code: '"x\\ud800\\0".repeat(99)' }, result: "succeeds" },
    { action: { language: "ts", code: "'a\0b\u2028🌊'.length" }, result: "succeeds" },
    { action: { language: "ts", code: "throw new Error('as it should')" }, result: "fails" },
    { action: { language: "ts", code: "}" }, result: "fails" },
    { action: { language: "python", code: "1" }, result: "refused" },
    { action: { language: "ts", code: "1", then: "2" }, result: "refused" },
    { action: "1 + 2", result: "refused" },
  ],
  endlessAction: { language: "ts", code: "for (;;);" },
  dispose: (sandbox) => sandbox.close(),
};

const SHELL: ExecutorContractOptions<ShellExecutor> = {
  makeExecutor: () => shellExecutor({ cwd: "/", env: { PATH: "/usr/bin:/bin" }, ...LIMITS }),
  samples: [
    { action: { command: "echo one; echo two >&2" }, result: "succeeds" },
    { action: { command: "printf '\\0\\377%0200d' 7" }, result: "succeeds" },
    { action: { command: `: ${"x".repeat(131_069)}` }, result: "succeeds" },
    { action: { command: "exit 3" }, result: "fails" },
    { action: { command: "no-such-command" }, result: "fails" },
    { action: { command: 1 }, result: "refused" },
    { action: { command: "echo", cwd: "/" }, result: "refused" },
    { action: { command: "echo a\0b" }, result: "refused" },
    { action: { command: "echo \ud800" }, result: "refused" },
    { action: { command: `: ${"x".repeat(131_070)}` }, result: "refused" },
    { action: { command: `: ${"é".repeat(65_535)}` }, result: "refused" },
    { action: [], result: "refused" },
  ],
  endlessAction: { command: "sleep 1000" },
  isShared: true,
  dispose: (shell) => shell.close(),
};

const CASES = {
  ...REGISTRY_CASES,
  "codeSandbox()": executorContract(SANDBOX),
  "shellExecutor()": executorContract(SHELL),
};

for (const [subject, cases] of Object.entries(CASES)) {
  for (const { name, run } of cases) Deno.test(`${subject} ${name}`, run);
}
