import { FOLDERS, TEST_DATA } from "./layers.ts";
import { placeOf } from "./place.ts";
import type { Tree } from "./tree.ts";

/** How large things may grow. A test's file has the same limit as any, and a test's function has none. */
export const LIMITS = {
  /** Of the product. */
  "non-null assertions": 60,
  /** Of the product; `as const` is none. */
  "casts": 50,
  "exports of mod.ts": 130,
  "lines of a file": 300,
  /** In the product. */
  "lines of a function": 70,
  "files of a folder": 20,
} as const;

/** What is over a limit, one line each. */
export function excesses(tree: Tree): readonly string[] {
  const found: string[] = [];
  const check = (limit: keyof typeof LIMITS, where: string, count: number) => {
    const most = LIMITS[limit];
    if (count > most) found.push(`${where}: ${count} ${limit}, more than ${most}`);
  };
  const product = [...tree.files].filter(([path]) => isProduct(path));
  const sum = (count: "nonNullAssertions" | "casts") =>
    product.reduce((total, [, facts]) => total + facts[count], 0);
  check("non-null assertions", "the product (by x!)", sum("nonNullAssertions"));
  check("casts", "the product (by as)", sum("casts"));
  for (const [path, { lines }] of tree.files) check("lines of a file", path, lines);
  for (const [path, { functions }] of product) {
    for (const { name, lines } of functions) {
      check("lines of a function", `${path}: ${name}`, lines);
    }
  }
  for (const [folder, paths] of Map.groupBy(tree.paths, folderOf)) {
    if (!folder.startsWith(TEST_DATA)) check("files of a folder", folder, paths.length);
  }
  return found;
}

/** How often each folder of the product says `x!` and `as`: a table for whoever wants to write fewer. */
export function assertionTable(tree: Tree): string {
  const product = [...tree.files].filter(([path]) => isProduct(path));
  const rows = [...Map.groupBy(product, ([path]) => folderOf(path))].map(([folder, files]) => {
    const sum = (count: "nonNullAssertions" | "casts") =>
      files.reduce((total, [, facts]) => total + facts[count], 0);
    return `${String(sum("nonNullAssertions")).padStart(4)} ! ${
      String(sum("casts")).padStart(4)
    } as  ${folder}`;
  });
  return rows.filter((row) => /[1-9]/.test(row)).join("\n");
}

/** What users run, by its place in the table: all that is published but for the contract suites. */
function isProduct(path: string): boolean {
  const place = placeOf(path);
  return place !== undefined && place.name !== "tests/contract" && FOLDERS[place.name]!.published;
}

function folderOf(path: string): string {
  return path.replace(/[^/]*$/, "");
}
