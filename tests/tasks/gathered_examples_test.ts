import { assertEquals, assertStringIncludes } from "@std/assert";
import { docExamples, gatherExamples, pageExamples } from "./gathered_examples.ts";

const PAGE = [
  "# A page",
  "```ts",
  "first();",
  "",
  "```",
  "```sh",
  "deno",
  "```",
  "````ts",
  "const page = `",
  "```ts",
  "`;",
  "````",
  "```typescript",
  "third();",
  "```",
].join("\n");

const MODULE = [
  "const text = `",
  "/** none in a text that goes on",
  "`;",
  "/**",
  " * @example",
  " * ```ts",
  ' * import { a } from "../a.ts";',
  " *",
  " *   indented(`* `);",
  " * ```",
  " *",
  " * @param a And another.",
  " * ```ts",
  " * last();",
  " * ```",
  " */",
  "interface A {",
  "  /**",
  "   * ```js",
  "   * member();",
  "   * ```",
  "   */",
  "  a: string;",
  "}",
  "// ```ts",
  "// none();",
  "// ```",
].join("\n");

Deno.test("pageExamples() gives each block of code that runs, with its line", () => {
  assertEquals(pageExamples(PAGE), [
    { line: 2, code: "first();\n\n" },
    { line: 9, code: "const page = `\n```ts\n`;\n" },
    { line: 14, code: "third();\n" },
  ]);
});

Deno.test("docExamples() gives each block of code in a doc comment, with its line", () => {
  assertEquals(docExamples(MODULE), [
    { line: 6, code: 'import { a } from "../a.ts";\n\n  indented(`* `);\n' },
    { line: 13, code: "last();\n" },
    { line: 19, code: "member();\n" },
  ]);
});

Deno.test("gatherExamples() makes each example a test of its place, which fails where the example does", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const [root, into] = [`${folder}/the root`, `${folder}/into`];
    await Deno.mkdir(`${root}/b`, { recursive: true });
    await Deno.mkdir(into);
    await Deno.writeTextFile(`${root}/a.ts`, "export const a = 1;\n");
    const module = `/**
 * \`\`\`ts
 * import { a } from "../a.ts";
 *
 * if (a !== 1) throw new Error("no a");
 * \`\`\`
 */
export const c = 1;
`;
    await Deno.writeTextFile(`${root}/b/c.ts`, module);
    await Deno.writeTextFile(`${root}/b/c_test.ts`, module);
    await Deno.writeTextFile(
      `${root}/page.md`,
      '```ts\nDeno.test("of its own", () => {});\n```\n\n```js\nthrow new Error("broken");\n```\n',
    );
    await gatherExamples(new URL(`file://${folder}/the%20root/`), into);
    const { success, stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["test", "--no-config", "--no-lock", "--no-check", `${into}/examples_test.ts`],
      env: { NO_COLOR: "1" },
    }).output();
    const out = new TextDecoder().decode(stdout);
    assertEquals(success, false);
    assertStringIncludes(out, "\nthe example in b/c.ts, line 2 ... ok");
    assertStringIncludes(out, "\nof its own ... ok");
    assertStringIncludes(out, "\nthe example in page.md, line 5 ... FAILED");
    assertStringIncludes(out, "| 2 passed | 1 failed");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
