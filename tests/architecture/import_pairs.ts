import { type Pair, pair } from "./rule_pair.ts";

const IMPORTS: Readonly<Record<string, readonly [path: string, good: string, bad: string]>> = {
  "layers point down": ["types/json.ts", "./budget.ts", "../ports/mod.ts"],
  "ports import types only": ["ports/model_port.ts", "../types/mod.ts", "../logic/tools/mod.ts"],
  "logic does not reach up": ["logic/tools/mod.ts", "../../ports/mod.ts", "../../session/mod.ts"],
  "logic siblings are strangers": [
    "logic/_assembly/mod.ts",
    "../../types/mod.ts",
    "../_stopping/mod.ts",
  ],
  "stores reach ports and types only": [
    "stores/memory.ts",
    "../ports/mod.ts",
    "../logic/serialization/mod.ts",
  ],
  "adapters reach no other logic than tools": [
    "adapters/scripted_model.ts",
    "../logic/tools/mod.ts",
    "../logic/serialization/mod.ts",
  ],
  "session and stores are strangers": [
    "session/run.ts",
    "../logic/_recovery/mod.ts",
    "../stores/memory.ts",
  ],
  "session and adapters are strangers": [
    "session/run.ts",
    "./resume.ts",
    "../adapters/scripted_model.ts",
  ],
  "stores and adapters are strangers": [
    "stores/memory.ts",
    "./_log/tail.ts",
    "../adapters/scripted_model.ts",
  ],
  "callers reach no private logic": [
    "cli/mod.ts",
    "../session/mod.ts",
    "../logic/_recovery/mod.ts",
  ],
  "the way round by another folder's path leads nowhere": [
    "stores/memory.ts",
    "../stores/_log/tail.ts",
    "../ports/../session/mod.ts",
  ],
  "mod.ts loads no store": ["mod.ts", "./session/mod.ts", "./stores/memory.ts"],
  "mod.ts loads no context": ["mod.ts", "./logic/tools/mod.ts", "./logic/context/mod.ts"],
  "specifiers have an extension": ["session/run.ts", "./resume.ts", "./resume"],
  "specifiers have the extension .ts": ["session/run.ts", "./resume.ts", "./resume.json"],
  "specifiers hide nothing behind a percent sign": [
    "session/run.ts",
    "./resume.ts",
    "../types/..%2fstores/memory.ts",
  ],
  "specifiers hide nothing behind a query": ["session/run.ts", "./resume.ts", "./resume.ts?a"],
  "specifiers stay inside": ["types/json.ts", "./budget.ts", "../../elsewhere/x.ts"],
  "specifiers name known folders": ["types/json.ts", "./budget.ts", "../plugins/x.ts"],
  "no npm": ["adapters/shell_executor.ts", "../types/mod.ts", "npm:zod"],
  "no jsr": ["adapters/shell_executor.ts", "../types/mod.ts", "jsr:@std/fs"],
  "no https": ["adapters/shell_executor.ts", "../types/mod.ts", "https://example.com/x.ts"],
  "no bare name": ["adapters/shell_executor.ts", "../types/mod.ts", "@std/fs"],
  "no consumer": ["session/run.ts", "../types/mod.ts", "@example/consumer"],
  "no import of itself by name": [
    "adapters/shell_executor.ts",
    "../types/mod.ts",
    "@polyloop/polyloop/types",
  ],
  "no third party in the contract suite": [
    "tests/contract/store_contract.ts",
    "../../ports/mod.ts",
    "@std/assert",
  ],
  "node:crypto in one file": ["types/digest.ts", "node:crypto", "node:fs"],
  "node:sqlite in one file": ["stores/sqlite.ts", "node:sqlite", "node:fs"],
  "private files stay at home": ["session/run.ts", "./_drive.ts", "../types/_json.ts"],
  "private files stay at home in logic": [
    "session/run.ts",
    "../logic/_assembly/mod.ts",
    "../logic/_assembly/_history.ts",
  ],
  "private folders stay at home": [
    "session/run.ts",
    "./_reading/read_log.ts",
    "../types/_shape/shape.ts",
  ],
  "private folders stay at home in logic": [
    "logic/tools/mod.ts",
    "./_schema/compile.ts",
    "../../types/_shape/shape.ts",
  ],
  "private folders reach each other and what is around them": [
    "adapters/_wire/sse.ts",
    "../_process/lines.ts",
    "../../types/_shape/shape.ts",
  ],
  "private files in private folders stay in those": [
    "adapters/_wire/sse.ts",
    "./_line.ts",
    "../_process/_line.ts",
  ],
  "examples use the package's name": [
    "examples/hello.ts",
    "@polyloop/polyloop/session",
    "../session/mod.ts",
  ],
  "tests import the standard library": ["tests/session/run_test.ts", "@std/assert", "npm:chai"],
  "tests take npm from nowhere": [
    "tests/closed_network/assert.ts",
    "npm:deno-std@1.4.0/assert/mod.js",
    "npm:chai",
  ],
  "only the closed network has npm's standard library": [
    "tests/session/run_test.ts",
    "@std/fs",
    "npm:deno-std@1.4.0/assert/mod.js",
  ],
};

/** Every form in which one file can name another. */
const FORMS: readonly ((specifier: string) => string)[] = [
  (specifier) => `import { x } from "${specifier}";\nexport const y = () => x;`,
  (specifier) => `import type { X } from "${specifier}";\nexport type Y = X;`,
  (specifier) => `import "${specifier}";`,
  (specifier) => `export * from "${specifier}";`,
  (specifier) => `export type * from "${specifier}";`,
  (specifier) => `export { x } from "${specifier}";`,
  (specifier) => `export const x = () => import("${specifier}");`,
  (specifier) => `export const x = () => import(\`${specifier}\`);`,
  (specifier) => `export type X = import("${specifier}").X;`,
  (specifier) => `export type X = typeof import("${specifier}");`,
];

/** What may import what: the pairs of the rule `imports`. */
export const IMPORT_PAIRS: readonly Pair[] = [
  ...Object.values(IMPORTS).flatMap(([path, good, bad]) =>
    FORMS.map((form) => pair("imports", path, form(good), form(bad)))
  ),
  {
    rule: "imports",
    good: ["types/digest.ts", `import { hash } from "node:crypto";\nexport const x = () => hash;`],
    bad: ["types/json.ts", `import { hash } from "node:crypto";\nexport const x = () => hash;`],
  },
  {
    rule: "imports",
    good: ["stores/sqlite.ts", `export type X = import("node:sqlite").DatabaseSync;`],
    bad: ["stores/jsonl.ts", `export type X = import("node:sqlite").DatabaseSync;`],
  },
  {
    rule: "imports",
    good: ["tests/session/run_test.ts", `export * from "../../session/_drive.ts";`],
    bad: ["tests/contract/store_contract.ts", `export * from "../../session/_drive.ts";`],
  },
];
