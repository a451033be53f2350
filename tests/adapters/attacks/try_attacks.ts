import {
  CODE_SANDBOX_TEXTS,
  codeSandbox,
  type CodeSandboxOptions,
  type CodeSandboxTexts,
} from "../../../adapters/code_sandbox.ts";
import { fillText } from "../../../types/mod.ts";
import { execute, observe } from "../sandbox_cells.ts";
import { type Attack, REACHED, type Target } from "./attack.ts";

/**
 * Tries attacks one after the other in one sandbox; what they may name is defined anew where one has ended the process.
 * An attack that the time limit stops counts as one, as what comes after that in it was not tried, but where that is its
 * own end.
 *
 * @returns A line for each that got what it wanted, or of which the observation tells the wrong end.
 */
export async function tryAttacks(
  attacks: readonly Attack[],
  target: Target,
  options: Pick<CodeSandboxOptions, "permissions" | "isolation" | "timeoutMs">,
): Promise<readonly string[]> {
  const won: string[] = [];
  const text = (name: keyof CodeSandboxTexts): string =>
    fillText(CODE_SANDBOX_TEXTS[name], { ms: options.timeoutMs });
  await using sandbox = codeSandbox({ maxOutputChars: 20_000, ...options });
  let isPrepared = false;
  for (const { name, code, says } of attacks) {
    if (!isPrepared) await observe(sandbox, target.prelude);
    const { status, failed, observation } = await execute(sandbox, code);
    const changes = target.changes();
    const isHeld = status === "executed" && changes.length === 0 &&
      !observation.includes(REACHED) && !observation.includes(target.secret);
    const isToldRight = says === undefined
      ? !observation.includes(text("timedOut"))
      : failed && observation.includes(text(says));
    if (!isHeld || !isToldRight) won.push([name, ...changes, observation].join("\n"));
    isPrepared = !observation.includes("starts anew");
    target.clean();
  }
  return won;
}
