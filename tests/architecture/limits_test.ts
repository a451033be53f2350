import { assertEquals } from "@std/assert";
import { fileFacts } from "./file_facts.ts";
import { excesses, LIMITS } from "./limits.ts";
import type { Tree } from "./tree.ts";

const NOWHERE = { root: new URL("file:///tree/"), exports: {}, published: [] };

/** A tree of these files. */
function treeOf(sources: Readonly<Record<string, string>>): Tree {
  const files = new Map(
    Object.entries(sources).map(([path, source]) => [path, fileFacts(path, source)]),
  );
  return { ...NOWHERE, paths: [...files.keys()], files };
}

/** A function with this many lines. */
const longFunction = (lines: number) => `export function f() {${"\n".repeat(lines - 1)}}\n`;

const folder = (name: string, files: number) =>
  Object.fromEntries(Array.from({ length: files }, (_, index) => [`${name}/x${index}.ts`, ""]));

/** For each limit a tree that is just within it, and one that is just over. */
const EDGES: Readonly<Record<string, readonly [within: Tree, over: Tree, said: string]>> = {
  "non-null assertions": [
    treeOf({ "types/x.ts": "x!;".repeat(10), "tests/x_test.ts": "x!;".repeat(900) }),
    treeOf({ "types/x.ts": "x!;".repeat(50), "cli/x.ts": "x!;".repeat(900) }),
    "the product (by x!): 950 non-null assertions",
  ],
  "casts": [
    treeOf({
      "types/x.ts": "x as T;".repeat(50) + "[1] as const; export { x as y };",
      "tests/x_test.ts": "x as T;".repeat(900),
    }),
    treeOf({ "types/x.ts": "x as T;".repeat(50), "cli/x.ts": "<T> x;" }),
    "the product (by as): 51 casts, more than 50",
  ],
  "lines of a file": [
    treeOf({ "tests/x_test.ts": "\n".repeat(LIMITS["lines of a file"]) }),
    treeOf({ "tests/x_test.ts": "\n".repeat(LIMITS["lines of a file"] + 1) }),
    "tests/x_test.ts: 301 lines of a file, more than 300",
  ],
  "lines of a function": [
    treeOf({ "types/x.ts": longFunction(70), "tests/x_test.ts": longFunction(90) }),
    treeOf({ "types/x.ts": longFunction(71) }),
    "types/x.ts: f: 71 lines of a function, more than 70",
  ],
  "files of a folder": [
    treeOf({ ...folder("types", 20), ...folder("types/_x", 20), ...folder("tests/testdata", 90) }),
    treeOf(folder("types", 21)),
    "types/: 21 files of a folder, more than 20",
  ],
};

for (const [limit, [within, over, said]] of Object.entries(EDGES)) {
  Deno.test(`excesses() names too many ${limit}, and only what is too many`, () => {
    assertEquals(excesses(within), []);
    assertEquals(excesses(over).map((line) => line.startsWith(said)), [true]);
  });
}
