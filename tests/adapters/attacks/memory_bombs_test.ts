import { assert } from "@std/assert";
import { MEMORY_BOMBS } from "./memory_bombs.ts";
import { peakOf } from "./memory_peak.ts";

Deno.test({
  name: "codeSandbox() holds its memory, whatever takes it",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const folder = await Deno.makeTempDir();
    const kinds = ["objects", "messages", "WebAssembly memories", "scrypt on all threads"];
    try {
      await Promise.all(kinds.map(async (kind) => {
        const { mib, isFailure } = await peakOf(MEMORY_BOMBS[kind]!, folder, 128);
        assert(isFailure, kind);
        assert(mib <= 1.3 * 128 + 95, `${kind}: ${mib} MiB`);
      }));
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
