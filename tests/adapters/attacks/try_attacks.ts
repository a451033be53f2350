import { codeSandbox, type CodeSandboxOptions } from "../../../adapters/code_sandbox.ts";
import { execute, observe } from "../sandbox_cells.ts";
import { type Attack, REACHED, type Target } from "./attack.ts";

/**
 * Tries attacks one after the other in one sandbox; what they may name is defined anew where one has ended the process.
 *
 * @returns A line for each that got what it wanted.
 */
export async function tryAttacks(
  attacks: readonly Attack[],
  target: Target,
  options: Pick<CodeSandboxOptions, "permissions" | "isolation">,
): Promise<readonly string[]> {
  const won: string[] = [];
  await using sandbox = codeSandbox({ timeoutMs: 20_000, maxOutputChars: 20_000, ...options });
  let isPrepared = false;
  for (const { name, code } of attacks) {
    if (!isPrepared) await observe(sandbox, target.prelude);
    const { status, observation } = await execute(sandbox, code);
    const changes = await target.changes();
    const isHeld = status === "executed" && changes.length === 0 &&
      !observation.includes(REACHED) && !observation.includes(target.secret);
    if (!isHeld) won.push([name, ...changes, observation].join("\n"));
    isPrepared = !observation.includes("starts anew");
    await target.clean();
  }
  return won;
}
