import { assert, assertEquals } from "@std/assert";
import { codeSandbox } from "../../../adapters/code_sandbox.ts";
import { type Attack, makeTarget, permissionSets } from "./attack.ts";
import { READING_ATTACKS, WRITING_ATTACKS } from "./file_attacks.ts";
import { MEMORY_BOMBS } from "./memory_bombs.ts";
import { peakOf } from "./memory_peak.ts";
import { MODULE_ATTACKS } from "./module_attacks.ts";
import { ENDING_ATTACKS, PROCESS_ATTACKS } from "./process_attacks.ts";
import { tryAttacks } from "./try_attacks.ts";
import { execute, LIMITS } from "../sandbox_cells.ts";

const ATTACKS: readonly Attack[] = [
  ...MODULE_ATTACKS,
  ...READING_ATTACKS,
  ...WRITING_ATTACKS,
  ...PROCESS_ATTACKS,
];

Deno.test("codeSandbox() holds against each of at least sixty attacks, whatever it is permitted", async () => {
  assert(ATTACKS.length >= 60, String(ATTACKS.length));
  await Promise.all(
    Object.keys(permissionSets("")).map(async (set) => {
      const target = await makeTarget();
      try {
        const permissions = permissionSets(target.folder)[set] ?? {};
        assertEquals(await tryAttacks(ATTACKS, target, { permissions }), [], `with ${set}`);
      } finally {
        await target.remove();
      }
    }),
  );
});

Deno.test("codeSandbox() takes no end of its process for a cell that succeeded", async () => {
  await Promise.all(ENDING_ATTACKS.map(async ({ name, code }) => {
    await using sandbox = codeSandbox({ ...LIMITS, timeoutMs: 500 });
    const { status, failed, observation } = await execute(sandbox, code);
    assertEquals([status, failed], ["executed", true], `${name}: ${observation}`);
  }));
});

Deno.test({
  name: "codeSandbox() holds its memory, whatever takes it",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const folder = await Deno.makeTempDir();
    try {
      const kinds = ["objects", "messages", "WebAssembly memories", "scrypt on all threads"];
      for (const kind of kinds) {
        const { mib, isFailure } = await peakOf(MEMORY_BOMBS[kind]!, folder, 128);
        assert(isFailure, kind);
        assert(mib <= 1.3 * 128 + 95, `${kind}: ${mib} MiB`);
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
