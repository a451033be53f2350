import { GLOBAL_PAIRS } from "./global_pairs.ts";
import { MAIN_SOURCES } from "./layers_plugin.ts";
import { IMPORT_PAIRS } from "./import_pairs.ts";
import { type Pair, pair, PURE_FILE } from "./rule_pair.ts";

const placed = (name: string, good: string, bad: string): Pair => ({
  rule: "names",
  good: [good, `export const ${name} = 1;`],
  bad: [bad, `export const ${name} = 1;`],
});

const impure = (good: string, bad: string): Pair => pair("purity", PURE_FILE, good, bad);

/** Every rule has one pair at least: what it takes, and what it refuses. */
export const PAIRS: readonly Pair[] = [
  ...IMPORT_PAIRS,

  placed("x", "stores/memory.ts", "storage/memory.ts"),
  placed("x", "logic/tools/define_tool.ts", "logic/define_tool.ts"),
  placed("x", "mod.ts", "main.ts"),
  placed("x", "types/_shape/shape.ts", "docs/shape.ts"),
  placed("x", "session/run.ts", "session/utils.ts"),
  placed("x", "session/run.ts", "session/_helpers.ts"),
  placed("x", "session/run.ts", "session/run_helpers.ts"),
  placed("x", "adapters/code_fence_interpreter.ts", "adapters/codeFenceInterpreter.ts"),
  placed("x", "adapters/code_fence_interpreter.ts", "adapters/code-fence-interpreter.ts"),
  placed("x", "adapters/shell/run.ts", "adapters/common/run.ts"),
  placed("x", "session/run.ts", "session/run.js"),
  placed("x", "session/run.ts", "session/run.d.ts"),

  pair(
    "computed-import",
    "adapters/code_sandbox.ts",
    `export const x = () => import("./_sandbox.ts");`,
    `export const x = (name: string) => import(name);`,
  ),
  pair(
    "spread-call",
    "cli/main.ts",
    "export const x = (a: number[]) => [...a].map((b) => ({ ...{ b } }));",
    "export const x = (a: number[]) => Math.max(...a);",
  ),
  pair(
    "spread-call",
    "stores/memory.ts",
    "export const x = (a: number[], ...b: number[]) => a.concat(b);",
    "export const x = (a: number[], ...b: number[]) => a.push(0, ...b);",
  ),
  pair(
    "spread-call",
    "adapters/code_sandbox.ts",
    "export const x = (a: number[]) => new Set(a);",
    "export const x = (a: number[]) => new Uint8Array(...a);",
  ),

  pair(
    "computed-import",
    "session/run.ts",
    "export const x = () => import(`./resume.ts`);",
    "export const x = (name: string) => import(`./${name}.ts`);",
  ),

  pair("other-imports", "types/json.ts", `export const x = 1;`, `declare module "x" {}`),
  pair("other-imports", "types/json.ts", `export const x = 1;`, `declare global { type X = 1 }`),
  pair(
    "other-imports",
    "types/json.ts",
    `export const x = 1;`,
    `namespace X { export type Y = 1 }`,
  ),
  pair("other-imports", "types/json.ts", `export const x = 1;`, `import x = require("./y.ts");`),
  pair(
    "other-imports",
    "types/json.ts",
    `// a reference\nexport const x = 1;`,
    `/// <reference types="./y.d.ts" />\nexport const x = 1;`,
  ),
  pair(
    "other-imports",
    "types/json.ts",
    `// types\nexport * from "./y.ts";`,
    `// @ts-types="./y.d.ts"\nexport * from "./y.ts";`,
  ),

  pair(
    "silencing",
    "session/run.ts",
    `// deno-lint-ignore no-await-in-loop -- in order\nexport const x = 1;`,
    `// deno-lint-ignore\nexport const x = 1;`,
  ),
  pair(
    "silencing",
    "session/run.ts",
    `// deno-lint-ignore-file no-await-in-loop\nexport const x = 1;`,
    `// deno-lint-ignore-file\nexport const x = 1;`,
  ),
  pair(
    "silencing",
    "stores/memory.ts",
    `/* deno-lint-ignore no-explicit-any */ export const x = 1;`,
    `/* deno-lint-ignore no-explicit-any layers/imports */ export const x = 1;`,
  ),

  ...GLOBAL_PAIRS,

  pair(
    "oldest-node",
    "stores/_sqlite/file_header.ts",
    "export const x = (y: Disposable) => y[Symbol.dispose]();",
    "export function x(y: Disposable) { using z = y; }",
  ),
  pair(
    "oldest-node",
    "session/run.ts",
    "export const x = (y: () => 1) => Promise.resolve().then(y);",
    "export const x = (y: () => 1) => Promise.try(y);",
  ),
  pair(
    "oldest-node",
    "cli/main.ts",
    "export function x(y: Disposable) { const using = y; }",
    "export async function x(y: AsyncDisposable) { await using z = y; }",
  ),

  impure(`export function x() {}`, `export async function x() {}`),
  impure(`export const x = () => 1;`, `export const x = async () => 1;`),
  impure(`export const x = (y: number) => y;`, `export const x = async (y: number) => await y;`),
  impure(
    `export function x(y: Iterable<1>) { for (const z of y) z; }`,
    `export async function x(y: AsyncIterable<1>) { for await (const z of y) z; }`,
  ),
  impure(`export const x = () => Math.max(1, 2);`, `export const x = () => Math.random();`),
  impure(`export const x = () => Math["max"](1);`, `export const x = () => Math["random"]();`),
  impure(
    `export const x = () => { const { max } = Math; };`,
    `export const x = () => { const { random } = Math; };`,
  ),
  impure(
    `export const x = (a: string, b: string) => a < b;`,
    `export const x = (a: string, b: string) => a.localeCompare(b);`,
  ),
  impure(`const x = 1;`, `let x = 1;`),
  impure(`export const x = 1;`, `export let x = 1;`),
  impure(`const x: ReadonlySet<string> = new Set(["a"]);`, `const x = new Set(["a"]);`),
  impure(`const x: readonly string[] = [];`, `const x: string[] = [];`),
  impure(`type X = readonly string[];\nconst x: X = [];`, `type X = string[];\nconst x: X = [];`),
  impure(`const x = ["a"] as const;`, `const x = ["a"];`),
  impure(`const x = Object.freeze({ a: 1 });`, `const x = { a: 1 };`),
  impure(`const x = "a";`, `const x = /a/y;`),
  impure(`const x = /a/;`, `const x = /a/g;`),
  impure(`export const x = () => { const y = new Map(); y; };`, `const y = new WeakMap();`),
  impure(`class X { static readonly y = 1; }`, `class X { static y = 1; }`),

  pair("top-level", "stores/memory.ts", `const x = new Map();`, `const x = open("file");`),
  pair("top-level", "stores/memory.ts", `const x = Object.freeze([1]);`, `Object.freeze([1]);`),
  pair("top-level", "stores/memory.ts", `const x = "a b".split(" ");`, `const x = Deno.cwd();`),
  pair(
    "top-level",
    "stores/memory.ts",
    `export const x = () => Date.now();`,
    `const x = Date.now();`,
  ),
  pair("top-level", "stores/memory.ts", `const x = () => 1;`, `const x = (() => 1)();`),
  pair(
    "top-level",
    "stores/memory.ts",
    `class X { y = Date.now(); }`,
    `class X { static y = Date.now(); }`,
  ),
  pair("top-level", "stores/memory.ts", `class X { y() {} }`, `class X { static { x(); } }`),
  pair(
    "top-level",
    "adapters/shell_executor.ts",
    `export const x = async () => await 1;`,
    `export const x = await 1;`,
  ),
  pair("top-level", "adapters/shell_executor.ts", `let x = 1;`, `let x = 1; x = 2;`),
  pair("top-level", "adapters/shell_executor.ts", `function x() {}`, `function x() {} x();`),
  pair("top-level", "adapters/shell_executor.ts", `const x = 1;`, `for (;;) {}`),
  pair("top-level", "adapters/shell_executor.ts", `const x = 1;`, `if (import.meta.main) x();`),
  {
    rule: "top-level",
    good: ["cli/mod.ts", `import { main } from "./main.ts";\nif (import.meta.main) await main();`],
    bad: ["cli/mod.ts", `import { main } from "./main.ts";\nif (Deno.args.length) await main();`],
  },
  {
    rule: "top-level",
    good: ["logic/tools/a.ts", `import { list } from "./b.ts";\nconst x = list(1);`],
    bad: ["stores/a.ts", `import { list } from "./b.ts";\nconst x = list(1);`],
  },
  pair("top-level", "stores/a.ts", "const x = String.raw`a`;", "const x = sql`a`;"),
  pair("top-level", "logic/tools/a.ts", `const x = new Set();`, `const x = setTimeout(() => {});`),

  pair(
    "mod-file",
    "stores/kv/mod.ts",
    `/**\n * A store.\n *\n * @module\n */\nexport * from "./a.ts";`,
    `/**\n * A store.\n *\n * @module\n */\nexport const x = 1;`,
  ),
  pair(
    "mod-file",
    "session/mod.ts",
    `/** The verbs.\n * @module */\nexport * from "./run.ts";`,
    `/** The verbs. */\nexport * from "./run.ts";`,
  ),
  {
    rule: "mod-file",
    good: [
      "cli/mod.ts",
      `/** @module */\nimport { main } from "./main.ts";\nexport { main };\nif (import.meta.main) main();`,
    ],
    bad: [
      "session/mod.ts",
      `/** @module */\nimport { main } from "./main.ts";\nexport { main };`,
    ],
  },
  pair("mod-file", "mod.ts", mainModule(), mainModule().replace(/.*session.*\n/, "")),
  pair(
    "mod-file",
    "mod.ts",
    mainModule(),
    `${mainModule()}export * from "./logic/context/mod.ts";\n`,
  ),

  pair(
    "asks-again",
    "adapters/fx_model.ts",
    `export const x = async (m: M) => { for (const y of []) void y; await m.call(); };`,
    `export const x = async (m: M) => { for (;;) await m.call(); };`,
  ),
  {
    rule: "asks-again",
    good: [
      "adapters/retrying_model.ts",
      `export const x = async (m: M) => { while (y) await m.make(); };`,
    ],
    bad: [
      "adapters/fx_model.ts",
      `export const x = async (m: M) => { while (y) await m.make(); };`,
    ],
  },
  pair(
    "one-fetch",
    "adapters/chat_completions_model.ts",
    `export const x = () => fetch("");`,
    `export const x = () => fetch("").catch(() => fetch(""));`,
  ),
  pair(
    "one-fetch",
    "adapters/chat_completions_model.ts",
    `export const x = async () => { for (;;) 1; await fetch(""); };`,
    `export const x = async () => { for (;;) await fetch(""); };`,
  ),
  pair(
    "one-fetch",
    "adapters/chat_completions_model.ts",
    `export type X = typeof fetch;\nexport const x = () => fetch("");`,
    `export const x = () => { while (true) globalThis.fetch(""); };`,
  ),
];

function mainModule(): string {
  const lines = MAIN_SOURCES.map((source) => `export * from "${source}";\n`);
  return `/**\n * All.\n *\n * @module\n */\n${lines.join("")}`;
}
