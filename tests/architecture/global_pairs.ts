import { FOLDERS } from "./layers.ts";
import { type Pair, pair, PURE_FILE } from "./rule_pair.ts";

const global = (path: string, name: string, good = "unknown"): Pair =>
  pair("globals", path, `export type X = ${good};`, `export type X = typeof ${name};`);

/** The globals that each place may name, and those that it may not. */
export const GLOBAL_PAIRS: readonly Pair[] = [
  ...["types/json.ts", "ports/model_port.ts", "logic/tools/mod.ts", "session/run.ts", PURE_FILE]
    .flatMap((path) =>
      ["Deno", "Buffer", "process", "globalThis", "Worker", "eval"].map((name) =>
        global(path, name)
      )
    ),
  ...["types/json.ts", "ports/model_port.ts", PURE_FILE].map((path) => global(path, "fetch")),
  ...Object.entries(FOLDERS).filter(([, { published }]) => published)
    .map(([name]) => global(name === "." ? "mod.ts" : `${name}/a.ts`, "console")),
  ...[
    "setTimeout",
    "setInterval",
    "queueMicrotask",
    "Date",
    "performance",
    "crypto",
    "Intl",
    "eval",
  ]
    .map((name) => global(PURE_FILE, name)),
  pair(
    "globals",
    PURE_FILE,
    `export type X = { readonly Promise: string };`,
    `export type X = Promise<string>;`,
  ),
  pair(
    "globals",
    "session/run.ts",
    `export const x = (y: { Deno: number }) => y.Deno;`,
    `export const x = () => Deno.args;`,
  ),
  ...["stores/memory.ts", "stores/_lease/leases.ts", "adapters/jsonl_events.ts"]
    .map((path) => global(path, "Deno")),
  {
    rule: "globals",
    good: ["stores/_sqlite/database.ts", "export const x = () => Deno.args;"],
    bad: ["stores/_log/tail.ts", "export const x = () => Deno.args;"],
  },
  pair(
    "globals",
    "session/run.ts",
    `export const x = { process: 1 } as const;`,
    `export const x = () => ({ process });`,
  ),
  pair(
    "globals",
    "ports/run_store.ts",
    `export type X = AbortSignal;`,
    `export type X = Deno.Kv;`,
  ),
];
