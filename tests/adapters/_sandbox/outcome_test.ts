import { assertEquals } from "@std/assert";
import { boundedOutput } from "../../../adapters/_process/bounded_output.ts";
import { type CellEnd, cellOutcome } from "../../../adapters/_sandbox/outcome.ts";
import { CODE_SANDBOX_TEXTS } from "../../../adapters/_sandbox/texts.ts";

/** The observation of a cell of which the process wrote something to stderr and that ended so. */
function observationOf(stderr: string, end: CellEnd): string {
  const output = { stdout: boundedOutput(9_000), stderr: boundedOutput(9_000) };
  output.stdout.write(new TextEncoder().encode("before\n"));
  output.stderr.write(new TextEncoder().encode(stderr));
  const limits = { timeoutMs: 1, maxOutputChars: 2_000, memoryMb: 512 };
  return cellOutcome(output, end, CODE_SANDBOX_TEXTS, limits).observation;
}

Deno.test("cellOutcome() takes the engine's word for it that memory was the reason of a death", () => {
  const outOfMemory = CODE_SANDBOX_TEXTS.outOfMemory.replace("{mb}", "512");
  const reports = [
    "<--- Last few GCs --->\n# Fatal JavaScript out of memory: Reached heap limit",
    "# Fatal process out of memory: Zone",
    "FATAL ERROR: JavaScript heap out of memory",
    "memory allocation of 4096 bytes failed",
  ];
  for (const report of reports) {
    assertEquals(observationOf(report, "died"), `before\n${outOfMemory}`, report);
    const failed = `before\n${CODE_SANDBOX_TEXTS.stderr}\n${report}`;
    assertEquals(observationOf(report, "f"), failed, "one that goes on wrote it itself");
  }
  const other = `before\n${CODE_SANDBOX_TEXTS.stderr}\nx\n${CODE_SANDBOX_TEXTS.died}`;
  assertEquals(observationOf("x", "died"), other);
});
