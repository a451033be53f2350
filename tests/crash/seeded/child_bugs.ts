import type { SeededBug } from "./seeded_bug.ts";

/** Faults of the kernel in a run that a tool makes. */
export const CHILD_BUGS: readonly SeededBug[] = [
  {
    name: "begin a run of a tool that is there already",
    edits: [{
      within: "session",
      find: 'BinaryExpression[left.property.name="existing"]',
      put: () => "false",
    }],
    script: "delegated",
    store: "memory",
    by: "crashes",
    invariant: "result",
    alone: false,
  },
  {
    name: "give the run of a replayed action another id",
    edits: [{
      within: "session",
      find:
        'FunctionDeclaration[id.name="childRunId"] CallExpression[callee.property.name="replace"]',
      put: (text) => `${text()} + "." + (globalThis.asked = (globalThis.asked ?? 0) + 1)`,
    }],
    script: "delegated",
    store: "kv",
    by: "crashes",
    invariant: "once",
    alone: true,
  },
];
