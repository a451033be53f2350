/**
 * The test files of the project, gathered into a few modules. Deno gives each module of tests an isolate and a load of
 * the library of its own, which costs more than most of the files take: gathered, loading takes a fifth of the time.
 *
 * @module
 */

/** The folders that hold neither tests nor docs of the project. */
const PASSED_OVER = new Set([".git", "node_modules", "testdata", "coverage"]);

/** Few enough for the loads to cost little, and enough for the modules that run beside each other to end together. */
const MODULES = 10;

/** Writes modules into the folder `into`, which together import each test file below `root` once, in their order. */
export async function gatherTests(root: URL, into: string): Promise<void> {
  const files = await Array.fromAsync(filesBelow(root, (name) => name.endsWith("_test.ts")));
  const size = Math.ceil(files.length / MODULES);
  for (let start = 0; start < files.length; start += size) {
    const imports = files.slice(start, start + size)
      .map((file) => `import ${JSON.stringify(new URL(file, root).href)};\n`);
    const name = `${start}`.padStart(4, "0");
    await Deno.writeTextFile(`${into}/${name}_test.ts`, imports.join(""));
  }
}

/** The files below a folder whose names are wanted, in the order of their paths, each relative to it as in an URL. */
export async function* filesBelow(
  folder: URL,
  wanted: (name: string) => boolean,
): AsyncGenerator<string> {
  const entries = await Array.fromAsync(Deno.readDir(folder));
  for (const { name, isDirectory } of entries.toSorted((a, b) => a.name < b.name ? -1 : 1)) {
    const path = encodeURIComponent(name);
    if (!isDirectory) {
      if (wanted(name)) yield path;
    } else if (!PASSED_OVER.has(name)) {
      for await (const below of filesBelow(new URL(`${path}/`, folder), wanted)) {
        yield `${path}/${below}`;
      }
    }
  }
}
