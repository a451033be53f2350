import { assertEquals } from "@std/assert";
import { gatherTests } from "./gathered_tests.ts";

Deno.test("gatherTests() writes a module per folder, which imports each test file below it once", async () => {
  const root = await Deno.makeTempDir();
  try {
    const files = [
      "a_test.ts",
      "a/b 1/c_test.ts",
      "a/b 1/d_test.ts",
      "a/helper.ts",
      ".git/e_test.ts",
    ];
    await Deno.mkdir(`${root}/a/b 1`, { recursive: true });
    await Deno.mkdir(`${root}/.git`);
    await Deno.mkdir(`${root}/into`);
    for (const file of files) await Deno.writeTextFile(`${root}/${file}`, "");
    await gatherTests(new URL(`file://${root}/`), `${root}/into`);
    const written = [...Deno.readDirSync(`${root}/into`)].map(({ name }) => name).toSorted();
    assertEquals(written, ["a.b%201.test.ts", "test.ts"]);
    assertEquals(
      await Deno.readTextFile(`${root}/into/a.b%201.test.ts`),
      `import "file://${root}/a/b%201/c_test.ts";\nimport "file://${root}/a/b%201/d_test.ts";\n`,
    );
    assertEquals(
      await Deno.readTextFile(`${root}/into/test.ts`),
      `import "file://${root}/a_test.ts";\n`,
    );
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
