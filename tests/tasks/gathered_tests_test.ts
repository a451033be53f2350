import { assertEquals } from "@std/assert";
import { filesBelow, gatherTests } from "./gathered_tests.ts";

async function inTree(
  files: readonly string[],
  use: (root: URL, into: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    const root = new URL(`file://${folder}/project/`);
    const into = `${folder}/into`;
    await Deno.mkdir(into);
    for (const file of files) {
      await Deno.mkdir(new URL(".", new URL(file, root)), { recursive: true });
      await Deno.writeTextFile(new URL(file, root), "");
    }
    await use(root, into);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("gatherTests() writes a few modules, which import each test file once, in order", async () => {
  const files = Array.from(
    { length: 25 },
    (_, index) => `a/b 1/${"c".repeat(index + 1)}_test.ts`,
  );
  await inTree(["z_test.ts", ...files], async (root, into) => {
    await gatherTests(root, into);
    const modules = [...Deno.readDirSync(into)].map(({ name }) => name).toSorted();
    assertEquals(modules.length, 9);
    assertEquals(modules.every((name) => name.endsWith("_test.ts")), true);
    const texts = modules.map((name) => Deno.readTextFileSync(`${into}/${name}`));
    const wanted = [...files, "z_test.ts"].map((file) => `import "${new URL(file, root)}";\n`);
    assertEquals(texts.join(""), wanted.join(""));
    assertEquals(texts[0], wanted.slice(0, 3).join(""));
  });
});

Deno.test("filesBelow() gives the files that are wanted in their order, and none of others", async () => {
  const files = [
    ...["b/c_test.ts", "b/a.ts", "a_test.ts", "c d/é_test.ts"],
    ...[".git/e_test.ts", "node_modules/f_test.ts", "b/testdata/g_test.ts", "coverage/h_test.ts"],
  ];
  await inTree(files, async (root) => {
    const found = await Array.fromAsync(filesBelow(root, (name) => name.endsWith("_test.ts")));
    assertEquals(found, ["a_test.ts", "b/c_test.ts", "c%20d/%C3%A9_test.ts"]);
  });
});
