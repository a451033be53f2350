import { assert, assertEquals } from "@std/assert";
import { CODE_SANDBOX_TEXTS } from "../../../adapters/code_sandbox.ts";
import { actionFate } from "../../../types/mod.ts";
import { MEMORY_BOMBS } from "./memory_bombs.ts";
import { peakOf } from "./memory_peak.ts";

Deno.test("codeSandbox() holds its memory, whatever takes it, and tells that it was the reason", async () => {
  const folder = await Deno.makeTempDir();
  const limits = { memoryMb: 128, timeoutMs: 60_000 };
  const kinds = ["objects", "messages", "scrypt on all threads"];
  try {
    await Promise.all(kinds.map(async (kind) => {
      const { mib, outcome } = await peakOf(MEMORY_BOMBS[kind]!, folder, limits);
      assertEquals(actionFate(outcome), "failed", kind);
      assertEquals(outcome.observation, CODE_SANDBOX_TEXTS.outOfMemory.replace("{mb}", "128"));
      assert(mib <= 1.3 * 128 + 95, `${kind}: ${mib} MiB`);
    }));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
