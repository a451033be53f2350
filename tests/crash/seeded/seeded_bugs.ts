import { CHILD_BUGS } from "./child_bugs.ts";
import { EDIT_BUGS } from "./edit_bugs.ts";
import { KERNEL_BUGS } from "./kernel_bugs.ts";
import { RECOVERY_BUGS } from "./recovery_bugs.ts";
import type { SeededBug } from "./seeded_bug.ts";
import { STORE_BUGS } from "./store_bugs.ts";

/** Every seeded bug. */
export const SEEDED_BUGS: readonly SeededBug[] = [
  ...STORE_BUGS,
  ...KERNEL_BUGS,
  ...RECOVERY_BUGS,
  ...EDIT_BUGS,
  ...CHILD_BUGS,
];
