import { assertEquals, assertStringIncludes } from "@std/assert";
import { copy } from "@std/fs";
import { parse } from "@std/jsonc";
import { filesBelow } from "./gathered_tests.ts";

const ROOT = new URL("../../", import.meta.url);

const MODULE = `/**
 * A module.
 *
 * @module
 */

/**
 * The sum of two numbers.
 *
 * @example
 * \`\`\`ts
 * import { sum } from "@polyloop/polyloop";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(sum(1, 2), 3);
 * \`\`\`
 */
export function sum(a: number, b: number): number {
  return a + b;
}
`;

/**
 * A small project with the settings, the tasks and the CI of this one, and a comment on each line of its `deno.json`.
 */
async function writeCommentedProject(dir: string): Promise<void> {
  const config = parse(await Deno.readTextFile(new URL("deno.json", ROOT))) as Record<
    string,
    Record<string, unknown>
  >;
  const { plugins: _, ...lint } = config.lint!;
  const small = {
    ...config,
    exports: { ".": "./mod.ts" },
    lint,
    // To read a browser's types is most of the work of a check; the programs of the tasks alone need them.
    compilerOptions: { ...config.compilerOptions, lib: ["esnext", "deno.ns"] },
    exclude: ["tests/tasks", "tests/closed_network"],
  };
  const lines = JSON.stringify(small, null, 2).split("\n").map((line) => `${line} // a comment`);
  await Deno.mkdir(`${dir}/tests/bench`, { recursive: true });
  await Deno.mkdir(`${dir}/bin`);
  await Promise.all([
    Deno.writeTextFile(`${dir}/deno.json`, `${lines.join("\n")}\n`),
    Deno.writeTextFile(`${dir}/mod.ts`, MODULE),
    Deno.writeTextFile(`${dir}/tests/bench/main.ts`, "export {};\n"),
    Deno.copyFile(new URL("LICENSE", ROOT), `${dir}/LICENSE`),
    copy(new URL(".ci", ROOT).pathname, `${dir}/.ci`),
    copy(new URL("tests/closed_network", ROOT).pathname, `${dir}/tests/closed_network`),
    copy(new URL("tests/tasks", ROOT).pathname, `${dir}/tests/tasks`),
  ]);
  for await (
    const file of filesBelow(new URL(`file://${dir}/`), (name) => name.endsWith("_test.ts"))
  ) {
    await Deno.remove(`${dir}/${file}`);
  }
  // `npx -y deno …` is this very Deno.
  await Deno.writeTextFile(
    `${dir}/bin/npx`,
    `#!/bin/sh\nshift 2\nexec "${Deno.execPath()}" "$@"\n`,
    {
      mode: 0o755,
    },
  );
}

Deno.test("the tasks and the CI take comments in deno.json", async () => {
  const dir = await Deno.makeTempDir();
  try {
    await writeCommentedProject(dir);
    const { code, stdout, stderr } = await new Deno.Command("bash", {
      args: [".ci/run"],
      cwd: dir,
      env: { PATH: `${dir}/bin:${Deno.env.get("PATH")}` },
    }).output();
    const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    assertEquals(code, 0, `${out}\n${err}`);
    const programs = ["run tests/tasks/check_elsewhere.ts", "run tests/tasks/doc_lint.ts"];
    for (const done of ["test", "fmt", "lint", "check", ...programs, "publish"]) {
      assertStringIncludes(`${out}`, `ok: deno ${done}\n`);
    }
    assertStringIncludes(`${out}`, "\n8 passed, 0 failed\n");
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
