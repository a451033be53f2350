import type { SeededBug } from "./seeded_bug.ts";
import { methodCall } from "./selectors.ts";

/** Selects the one place that brings an entry to the disk, in place or by another thread. */
const SYNC_OF_ENTRY = `ConditionalExpression:has(${methodCall("syncData")})`;

/** Faults of the stores. */
export const STORE_BUGS: readonly SeededBug[] = [
  {
    name: "skip a sync",
    edits: [{ within: "stores/_jsonl", find: SYNC_OF_ENTRY, put: () => "undefined" }],
    script: "answer",
    store: "jsonl",
    by: "crashes",
    invariant: "acknowledged",
    alone: true,
  },
  {
    name: "skip the directory sync",
    edits: [{
      within: "stores/_jsonl",
      find: `AwaitExpression > ${methodCall("sync")}`,
      put: () => "undefined",
    }],
    script: "answer",
    store: "jsonl",
    by: "crashes",
    invariant: "acknowledged",
    alone: true,
  },
  {
    name: "trust the name of a folder that is there",
    edits: [{
      within: "stores/_jsonl",
      find: 'IfStatement:has(> BinaryExpression > Literal[value="granted"])',
      put: () => "",
    }],
    script: "answer",
    store: "jsonl",
    by: "second crashes",
    invariant: "acknowledged",
    alone: true,
  },
  {
    name: "append after a torn tail",
    edits: [{
      within: "stores/_jsonl",
      find: 'FunctionDeclaration:has(TemplateElement[raw=".torn-"]) > BlockStatement',
      put: () => "{}",
    }],
    script: "answer",
    store: "jsonl",
    by: "crashes",
    invariant: "goes on",
    alone: true,
  },
  {
    name: "retry a sync",
    edits: [{
      within: "stores/_jsonl",
      find: SYNC_OF_ENTRY,
      put: (text) => `Promise.try(() => ${text()}).catch(() => ${text()})`,
    }],
    script: "answer",
    store: "jsonl",
    by: "errors",
    invariant: "acknowledged",
    alone: true,
  },
  {
    name: "drop the short-write loop",
    edits: [{
      within: "types",
      find: `:is(ForStatement, WhileStatement):has(${methodCall("writeSync")}) > BinaryExpression`,
      put: (text) => `${text("left")} < 1`,
    }],
    script: "answer",
    store: "jsonl",
    by: "errors",
    invariant: "acknowledged",
    alone: false,
  },
  {
    name: "leave a failed write in place",
    edits: [{
      within: "stores/_jsonl",
      find: `TryStatement ${methodCall("truncateSync")}`,
      put: () => "undefined",
    }],
    script: "answer",
    store: "jsonl",
    by: "errors",
    invariant: "prefix",
    alone: true,
  },
  {
    name: "take back a failed write without a sync",
    edits: [{
      within: "stores/_jsonl",
      find: `FunctionDeclaration:has(TryStatement ${methodCall("truncateSync")}) ${
        methodCall("syncDataSync")
      }`,
      put: () => "undefined",
    }],
    script: "answer",
    store: "jsonl",
    by: "errors",
    invariant: "prefix",
    alone: true,
  },
  {
    name: "go on from what a failed sync gave up",
    edits: [{
      within: "stores/_jsonl",
      find: `TryStatement ExpressionStatement:has(> ${
        methodCall("seekSync")
      }) + ExpressionStatement`,
      put: () => "",
    }],
    script: "answer",
    store: "jsonl",
    by: "errors",
    invariant: "acknowledged",
    alone: true,
  },
  {
    name: "take NULs after a whole entry for a part of it",
    edits: [{
      within: "stores/_jsonl",
      find: "WhileStatement BinaryExpression[right.value=0]",
      put: () => "false",
    }],
    script: "answer",
    store: "jsonl",
    by: "second crashes",
    invariant: "acknowledged",
    alone: false,
  },
  {
    name: "ignore a fence",
    edits: [{
      within: "stores",
      find:
        'IfStatement:has(> BinaryExpression[operator="<"]):has(NewExpression[callee.name="RunConflictError"])',
      put: (text) => `if (${text("test")}) return;`,
    }],
    script: "never",
    store: "memory",
    by: "drivers",
    invariant: "acknowledged",
    alone: false,
  },
  {
    name: "take an equal entry for one's own",
    edits: [{
      within: "stores",
      find: 'FunctionDeclaration[id.name="memoryStore"] Property[key.name="writeIntent"]',
      put: (text) =>
        `async writeIntent(runId, entry) {
          const lines = await this.readRun(runId);
          if (lines?.at(-1) !== entry.line) await (${text("value")})(runId, entry);
        }`,
    }],
    script: "never",
    store: "memory",
    by: "drivers",
    invariant: "once",
    alone: false,
  },
  {
    name: "take another driver's entry for one's own",
    edits: [{
      within: "stores/_kv",
      find: 'ObjectExpression:has(> Property > Literal[value="refused"])',
      put: () => '{ kind: "committed", versionstamp: "" }',
    }],
    script: "never",
    store: "kv",
    by: "drivers",
    invariant: "once",
    alone: false,
  },
  {
    name: "ignore a lease",
    edits: [{
      within: "stores",
      find: 'BinaryExpression[operator=">"][left.property.name="until"]',
      put: () => "false",
    }],
    script: "never",
    store: "sqlite",
    by: "drivers",
    invariant: "kept",
    alone: true,
  },
  {
    name: "renew no lease",
    edits: [{
      within: "stores",
      find: 'LogicalExpression[left.property.name="every"]',
      put: () => "(() => () => {})",
    }],
    script: "never",
    store: "sqlite",
    by: "drivers",
    invariant: "kept",
    alone: true,
  },
  {
    name: "commit an intent as an outcome is",
    edits: [{
      within: "stores/_sqlite",
      find: 'BinaryExpression[right.value="outcome"]',
      put: (text) => `(${text()} && ${text("left")} !== "intent")`,
    }],
    script: "answer",
    store: "sqlite",
    by: "crashes",
    invariant: "acknowledged",
    alone: true,
  },
  {
    name: "do not check a line's hash",
    edits: [{
      within: "types",
      find: 'FunctionDeclaration[id.name="parseLogLine"] CallExpression[callee.name="digest"]',
      put: () => `arguments[0].slice(-'sha256:"}'.length - 64, -2)`,
    }],
    script: "answer",
    store: "jsonl",
    by: "mutations",
    invariant: "goes on",
    alone: true,
  },
];
