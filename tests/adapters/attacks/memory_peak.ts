import { codeSandbox } from "../../../adapters/code_sandbox.ts";
import { execute, observe } from "../sandbox_cells.ts";

/** What came of a bomb. */
export interface Peak {
  /** The most memory that the process ever held, in MiB, as Linux counts it. */
  readonly mib: number;
  /** Whether the cell was an executed action that failed, as it must be. */
  readonly isFailure: boolean;
}

/** Runs a bomb in a sandbox of its own. */
export async function peakOf(bomb: string, folder: string, memoryMb: number): Promise<Peak> {
  const permissions = { read: [folder], write: [folder] };
  const limits = { timeoutMs: 5_000, maxOutputChars: 1_000, memoryMb };
  await using sandbox = codeSandbox({ ...limits, permissions });
  const code = `const FOLDER = ${JSON.stringify(folder)}; process.pid`;
  const pid = await observe(sandbox, code);
  let kib = 0;
  const watch = setInterval(() => kib = Math.max(kib, peakSoFar(pid)), 2);
  const { status, failed } = await execute(sandbox, bomb).finally(() => clearInterval(watch));
  return { mib: Math.round(kib / 1024), isFailure: status === "executed" && failed };
}

/** The most that a process has held, in KiB; 0 if it is gone. */
function peakSoFar(pid: string): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(Deno.readTextFileSync(`/proc/${pid}/status`))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
