import { assert, assertEquals } from "@std/assert";
import { type Attack, makeTarget, permissionSets } from "./attack.ts";
import { READING_ATTACKS, WRITING_ATTACKS } from "./file_attacks.ts";
import { MODULE_ATTACKS } from "./module_attacks.ts";
import { ENDING_ATTACKS, ENDLESS_ATTACKS, PROCESS_ATTACKS } from "./process_attacks.ts";
import { tryAttacks } from "./try_attacks.ts";
import { LIMITS } from "../sandbox_cells.ts";

const { timeoutMs } = LIMITS;

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
        assertEquals(
          await tryAttacks(ATTACKS, target, { permissions, timeoutMs }),
          [],
          `with ${set}`,
        );
      } finally {
        await target.remove();
      }
    }),
  );
});

Deno.test("codeSandbox() takes no end of its process for a cell that succeeded, and tells which it was", async () => {
  const target = await makeTarget();
  try {
    const won = await Promise.all([
      tryAttacks(ENDING_ATTACKS, target, { timeoutMs }),
      tryAttacks(ENDLESS_ATTACKS, target, { timeoutMs: 500 }),
    ]);
    assertEquals(won.flat(), []);
  } finally {
    await target.remove();
  }
});
