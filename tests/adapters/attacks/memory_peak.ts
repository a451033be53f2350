import { codeSandbox } from "../../../adapters/code_sandbox.ts";
import type { ActionOutcome } from "../../../types/mod.ts";
import { execute, observe } from "../sandbox_cells.ts";

/** What came of a bomb. */
export interface Peak {
  /** The most memory that the process ever held, in MiB, as Linux counts it; elsewhere 0. */
  readonly mib: number;
  /** What the bomb's cell led to: an executed action that failed, as it must be. */
  readonly outcome: ActionOutcome;
}

/** Runs a bomb in a sandbox of its own. */
export async function peakOf(
  bomb: string,
  folder: string,
  limits: { readonly memoryMb: number; readonly timeoutMs: number },
): Promise<Peak> {
  const permissions = { read: [folder], write: [folder] };
  await using sandbox = codeSandbox({ ...limits, maxOutputChars: 1_000, permissions });
  const code = `const FOLDER = ${JSON.stringify(folder)}; process.pid`;
  const pid = await observe(sandbox, code);
  let kib = 0;
  const watch = setInterval(() => kib = Math.max(kib, peakSoFar(pid)), 2);
  const outcome = await execute(sandbox, bomb).finally(() => clearInterval(watch));
  return { mib: Math.round(kib / 1024), outcome };
}

/** The most that a process has held, in KiB; 0 if it is gone. */
function peakSoFar(pid: string): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(Deno.readTextFileSync(`/proc/${pid}/status`))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
