import { type CodeSandbox, codeSandbox } from "../../adapters/code_sandbox.ts";
import { type ShellExecutor, shellExecutor } from "../../adapters/shell_executor.ts";
import { executorContract, type ExecutorContractOptions } from "../contract/mod.ts";
import { REGISTRY_CASES } from "./contracts/registry.ts";
import { inSteps } from "./sandbox_cells.ts";

const LIMITS = { timeoutMs: 60_000, maxOutputChars: 100 };

/** The contract of a sandbox; all that are made run their code in one, as a process is dear. */
const sandboxContract = (one: CodeSandbox) =>
  executorContract({
    makeExecutor: () => ({ ...codeSandbox(LIMITS), execute: one.execute }),
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
  });

const SHELL: ExecutorContractOptions<ShellExecutor> = {
  makeExecutor: () => shellExecutor({ cwd: "/", env: { PATH: "/usr/bin:/bin" }, ...LIMITS }),
  samples: [
    { action: { command: "echo one; echo two >&2" }, result: "succeeds" },
    { action: { command: "printf '\\0\\377%0200d' 7" }, result: "succeeds" },
    { action: { command: "exit 3" }, result: "fails" },
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
  "shellExecutor()": executorContract(SHELL),
};

for (const [subject, cases] of Object.entries(CASES)) {
  for (const { name, run } of cases) Deno.test(`${subject} ${name}`, run);
}

Deno.test("codeSandbox()", async (t) => {
  await using sandbox = codeSandbox(LIMITS);
  const checks = sandboxContract(sandbox).map(({ name, run }) => [name, run] as const);
  await inSteps(t, sandbox, Object.fromEntries(checks));
});
