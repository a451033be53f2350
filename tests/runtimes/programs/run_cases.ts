import process from "node:process";
import type { ContractCase } from "@polyloop/polyloop/contract";

/** Runs the cases of each subject one after the other; prints what fails and how many there were, and ends the process. */
export async function runCases(
  what: string,
  subjects: Readonly<Record<string, readonly ContractCase[]>>,
): Promise<never> {
  let failed = 0;
  for (const [subject, cases] of Object.entries(subjects)) {
    for (const { name, run } of cases) {
      try {
        await run();
      } catch (error) {
        failed++;
        process.stdout.write(`${subject} ${name}: ${error}\n`);
      }
    }
  }
  const count = Object.values(subjects).flat().length;
  process.stdout.write(`${count - failed} of ${count} cases of ${what}\n`);
  process.exit(failed === 0 && count > 0 ? 0 : 1);
}
