import { assert, assertEquals } from "@std/assert";
import { type ApiChange, apiChange, publicApi } from "./public_api.ts";
import { readTree } from "../tree.ts";

Deno.test("the public API keeps every promise of the baseline", async () => {
  const tree = await readTree(new URL("../../../", import.meta.url));
  const text = await Deno.readTextFile(new URL("api.txt", import.meta.url));
  const change = apiChange(text.trim().split("\n"), await publicApi(tree.root, tree.exports));
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

/** What becomes of the public API when a module changes from one text to another. */
async function changed(before: string, after: string): Promise<ApiChange> {
  const directory = await Deno.realPath(await Deno.makeTempDir());
  const root = new URL(`file://${encodeURI(directory)}/`);
  try {
    const api = async (source: string) => {
      await Deno.writeTextFile(`${directory}/mod.ts`, source);
      return await publicApi(root, { ".": "./mod.ts" });
    };
    return apiChange(await api(before), await api(after));
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

const BREAKS: Readonly<Record<string, readonly [before: string, after: string]>> = {
  "a function is removed": ["export function f(): void {}", "export {};"],
  "a function is renamed": ["export function f(): void {}", "export function g(): void {}"],
  "a union member is removed": [`export type T = "a" | "b";`, `export type T = "a";`],
  "a value of a list is removed": [
    `export const X: readonly ["a", "b"] = ["a", "b"];`,
    `export const X: readonly ["a"] = ["a"];`,
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

const ADDITIONS: Readonly<Record<string, readonly [before: string, after: string]>> = {
  "a function": ["export {};", "export function f(x: string): void { x; }"],
  "an interface": ["export {};", "export interface T { readonly a: 1 }"],
  "a union member": [`export type T = "a";`, `export type T = "a" | "b";`],
  "a value of a list": [
    `export const X: readonly ["a"] = ["a"];`,
    `export const X: readonly ["a", "b"] = ["a", "b"];`,
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

for (const [what, [before, after]] of Object.entries(BREAKS)) {
  Deno.test(`apiChange() calls it broken when ${what}`, async () => {
    assert((await changed(before, after)).broken.length > 0);
    assertEquals(await changed(before, before), { broken: [], added: [] });
  });
}

Deno.test("apiChange() calls what asks nothing of a caller an addition", async () => {
  for (const [what, [before, after]] of Object.entries(ADDITIONS)) {
    const { broken, added } = await changed(before, after);
    assertEquals(broken, [], what);
    assert(added.length > 0, what);
  }
});

Deno.test("apiChange() does not mind words, places and the names of parameters", async () => {
  const after = "\n/** Another doc. */\nexport function f(renamed: string): void { renamed; }";
  const change = await changed("/** A doc. */\nexport function f(x: string): void { x; }", after);
  assertEquals(change, { broken: [], added: [] });
});
