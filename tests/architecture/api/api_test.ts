import { assert, assertEquals } from "@std/assert";
import { projectConfig } from "../../tasks/project_config.ts";
import { type ApiChange, apiChange, apiLines, documentation, publicApi } from "./public_api.ts";

const ROOT = new URL("../../../", import.meta.url);

Deno.test("the public API keeps every promise of the baseline", async () => {
  const { exports } = await projectConfig(ROOT);
  const text = await Deno.readTextFile(new URL("api.txt", import.meta.url));
  const change = apiChange(text.trim().split("\n"), await publicApi(ROOT, exports));
  assertEquals(
    change.broken,
    [],
    "Cannot take back what is public: names, signatures and union members are only added within a major version",
  );
  assertEquals(
    change.added,
    [],
    "Cannot leave an addition to the public API unwritten: run `deno task api-baseline` and commit the baseline",
  );
});

/** A module before and after a change. */
type Change = readonly [before: string, after: string];

const BREAKS: Readonly<Record<string, Change>> = {
  "a function is removed": ["export function f(): void {}", "export {};"],
  "a function is renamed": ["export function f(): void {}", "export function g(): void {}"],
  "a union member is removed": [`export type T = "a" | "b";`, `export type T = "a";`],
  "a value of a list is removed": [
    `export const X = ["a", "b"] as const;`,
    `export const X = ["a"] as const;`,
  ],
  "a parameter takes less": [
    "export function f(x: string | number): void { x; }",
    "export function f(x: string): void { x; }",
  ],
  "a parameter is demanded": [
    "export function f(x?: string): void { x; }",
    "export function f(x: string): void { x; }",
  ],
  "a parameter is added and demanded": [
    "export function f(): void {}",
    "export function f(x: string): void { x; }",
  ],
  "a result gives something else": [
    "export function f(): number { return 1; }",
    "export function f(): number | undefined { return 1; }",
  ],
  "a property is removed": [
    "export interface T { readonly a: 1; readonly b?: 2 }",
    "export interface T { readonly a: 1 }",
  ],
  "a property becomes optional": [
    "export interface T { readonly a: 1 }",
    "export interface T { readonly a?: 1 }",
  ],
  "a property is added and demanded": [
    "export interface T { readonly a: 1 }",
    "export interface T { readonly a: 1; readonly b: 2 }",
  ],
  "a method is added and demanded": [
    "export interface T { a(): void }",
    "export interface T { a(): void; b(): void }",
  ],
  "a parameter of a method is added and demanded": [
    "export interface T { a(): void }",
    "export interface T { a(x: string): void }",
  ],
  "an error has another base": [
    "export class E extends Error {}",
    "export class E extends TypeError {}",
  ],
  "a constructor demands more": [
    "export class E { constructor(x: 1) { x; } }",
    "export class E { constructor(x: 1, y: 2) { x; y; } }",
  ],
};

const ADDITIONS: Readonly<Record<string, Change>> = {
  "a function": ["export {};", "export function f(x: string): void { x; }"],
  "an interface": ["export {};", "export interface T { readonly a: 1 }"],
  "a union member": [`export type T = "a";`, `export type T = "a" | "b";`],
  "a value of a list": [
    `export const X = ["a"] as const;`,
    `export const X = ["a", "b"] as const;`,
  ],
  "an optional parameter": [
    "export function f(): void {}",
    "export function f(x?: string): void { x; }",
  ],
  "an optional parameter of a method": [
    "export interface T { a(): void }",
    "export interface T { a(x?: string): void }",
  ],
  "an optional method": [
    "export interface T { a(): void }",
    "export interface T { a(): void; b?(x: string): void }",
  ],
  "a method of a class": [
    "export class T { a(): void {} }",
    "export class T { a(): void {} b(x: string): void { x; } }",
  ],
  "an optional property": [
    "export interface T { readonly a: 1 }",
    "export interface T { readonly a: 1; readonly b?: 2 }",
  ],
};

const RENAMED: Change = [
  "/** A doc. */\nexport function f(x: string): void { x; }",
  "\n/** Another doc. */\nexport function f(renamed: string): void { renamed; }",
];

/** The public API of modules, each by its source. They are documented at once: starting Deno is what takes long. */
async function apisOf(sources: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const directory = await Deno.realPath(await Deno.makeTempDir());
  const root = new URL(`file://${encodeURI(directory)}/`);
  try {
    const paths = sources.map((_, index) => `${index}.ts`);
    for (const [index, path] of paths.entries()) {
      await Deno.writeTextFile(new URL(path, root), sources[index]!);
    }
    const docs = await documentation(root, paths);
    return new Map(
      sources.map((source, index) => [source, apiLines(root, { ".": paths[index]! }, docs)]),
    );
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

const APIS = await apisOf([...Object.values(BREAKS), ...Object.values(ADDITIONS), RENAMED].flat());

const changed = (before: string, after: string): ApiChange =>
  apiChange(APIS.get(before)!, APIS.get(after)!);

for (const [what, [before, after]] of Object.entries(BREAKS)) {
  Deno.test(`apiChange() calls it broken when ${what}`, () => {
    assert(changed(before, after).broken.length > 0);
    assertEquals(changed(before, before), { broken: [], added: [] });
  });
}

Deno.test("apiChange() calls what asks nothing of a caller an addition", () => {
  for (const [what, [before, after]] of Object.entries(ADDITIONS)) {
    const { broken, added } = changed(before, after);
    assertEquals(broken, [], what);
    assert(added.length > 0, what);
  }
});

Deno.test("apiChange() does not mind words, places and the names of parameters", () => {
  assertEquals(changed(...RENAMED), { broken: [], added: [] });
});
