/**
 * The examples of the docs, gathered into one module of tests. `deno test --doc` gives each an isolate and a load of the
 * library of its own, which costs thirty times what the examples take. `deno check --doc` still checks their types.
 *
 * @module
 */
import { filesBelow } from "./gathered_tests.ts";

/** A piece of code that stands in a page or a doc comment. */
export interface Example {
  /** The line of its first fence, counted from 1. */
  readonly line: number;
  readonly code: string;
}

const FENCED = /^(`{3,})(ts|typescript|js|javascript)\n(.*?)^\1$/gms;

const DOC_COMMENT = /^ *\/\*\*.*?\*\/$/gms;

const REGISTERS_TESTS = /\bDeno\.test\(/;

const RELATIVE_IMPORT = /\b(from|import)( |\()"(\.\.?\/[^"]+)"/g;

/**
 * Writes each example of the pages and modules below `root` as a module into the folder `into`, and beside them a module
 * of tests that runs each as a test with the name of its place; one that registers tests is none itself.
 */
export async function gatherExamples(root: URL, into: string): Promise<void> {
  const tests: string[] = [];
  for await (const path of filesBelow(root, (name) => /(?<!_test)\.(ts|md)$/.test(name))) {
    const file = new URL(path, root);
    const text = await Deno.readTextFile(file);
    for (const { line, code } of path.endsWith(".md") ? pageExamples(text) : docExamples(text)) {
      const name = `example_${tests.length}.ts`;
      await Deno.writeTextFile(`${into}/${name}`, withAbsoluteImports(code, file));
      const place = `the example in ${decodeURI(path)}, line ${line}`;
      const load = `import("./${name}")`;
      tests.push(
        REGISTERS_TESTS.test(code)
          ? `await ${load};\n`
          : `Deno.test(${JSON.stringify(place)}, async () => void await ${load});\n`,
      );
    }
  }
  await Deno.writeTextFile(`${into}/examples_test.ts`, tests.join(""));
}

/** The examples of a page of Markdown. */
export function pageExamples(page: string): readonly Example[] {
  return [...page.matchAll(FENCED)].map((match) => ({
    line: lineOf(page, match.index),
    code: match[3]!,
  }));
}

/** The examples in the doc comments of a module. */
export function docExamples(module: string): readonly Example[] {
  return [...module.matchAll(DOC_COMMENT)].flatMap((match) => {
    const page = match[0].replaceAll(/^ *\* ?/gm, "");
    return pageExamples(page)
      .map(({ line, code }) => ({ line: line + lineOf(module, match.index) - 1, code }));
  });
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}

function withAbsoluteImports(code: string, file: URL): string {
  return code.replaceAll(
    RELATIVE_IMPORT,
    (_, word, gap, path) => `${word}${gap}${JSON.stringify(new URL(path, file).href)}`,
  );
}
