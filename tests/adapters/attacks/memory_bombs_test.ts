import { assert, assertEquals } from "@std/assert";
import { CODE_SANDBOX_TEXTS } from "../../../adapters/code_sandbox.ts";
import { actionFate } from "../../../types/mod.ts";
import { MEMORY_BOMBS } from "./memory_bombs.ts";
import { peakOf } from "./memory_peak.ts";

/** Kinds of bombs, and whether the reason is sure to be known: a thread that gets no memory may end all untold. */
const KINDS: readonly (readonly [kind: string, isTold: boolean])[] = [
  ["objects", true],
  ["messages", true],
  ["scrypt on all threads", false],
];

Deno.test("codeSandbox() holds its memory, whatever takes it, and tells that it was the reason", async () => {
  const folder = await Deno.makeTempDir();
  const limits = { memoryMb: 128, timeoutMs: 60_000 };
  try {
    await Promise.all(KINDS.map(async ([kind, isTold]) => {
      const { mib, outcome } = await peakOf(MEMORY_BOMBS[kind]!, folder, limits);
      assertEquals(actionFate(outcome), "failed", kind);
      const told = CODE_SANDBOX_TEXTS.outOfMemory.replace("{mb}", "128");
      if (isTold) assertEquals(outcome.observation, told, kind);
      assert(mib <= 1.3 * 128 + 95, `${kind}: ${mib} MiB`);
    }));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
