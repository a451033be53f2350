import { assertEquals } from "@std/assert";
import { documentation } from "../architecture/api/public_api.ts";
import { projectConfig } from "../tasks/project_config.ts";
import { docComments, docFaults, unnamedMembers } from "./doc_comments.ts";

const ROOT = new URL("../../", import.meta.url);

Deno.test("the public API's doc comments are shown as they were written", async () => {
  const { exports } = await projectConfig(ROOT);
  const docs = await documentation(ROOT, Object.values(exports));
  const names = Object.values(docs.nodes).flatMap(({ symbols }) => symbols.map(({ name }) => name));
  const faults = docComments(docs).flatMap((comment) => docFaults(comment, new Set(names)));
  assertEquals(faults, []);
});

Deno.test("the doc comment of a union names each of its members", async () => {
  const { exports } = await projectConfig(ROOT);
  const docs = await documentation(ROOT, Object.values(exports));
  assertEquals(unnamedMembers(docs), []);
});

/** The faults of a doc comment, by way of `deno doc`. */
async function faultsOf(comment: string): Promise<readonly string[]> {
  const directory = await Deno.realPath(await Deno.makeTempDir());
  const root = new URL(`file://${encodeURI(directory)}/`);
  try {
    await Deno.writeTextFile(
      new URL("mod.ts", root),
      `export interface X {\n  ${comment}\n  readonly x: 1;\n}\nexport class AnError extends Error {}`,
    );
    const comments = docComments(await documentation(root, ["mod.ts"]));
    return comments.flatMap((each) => docFaults(each, new Set(["X", "AnError"])));
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

Deno.test("docFaults() takes what deno doc shows whole", async () => {
  const good = `/**
   * A {@link X.x | thing}. By default: \`{braces}\`
   *
   * @default {"text"}
   * @throws {AnError} If it fails.
   * @throws {TypeError} If it is none.
   */`;
  assertEquals(await faultsOf(good), []);
});

for (
  const [what, comment, fault] of [
    ["a default with braces", "/**\n * A thing.\n *\n * @default {{}}\n */", "cut off"],
    ["a default with words", "/**\n * A thing.\n *\n * @default {5} in all\n */", "cut off"],
    ["a default that is no value", "/**\n * A thing.\n *\n * @default five\n */", "not understood"],
    ["a tag in a line", "/** A thing. @default {5} */", "in the middle"],
    ["an error without a name", "/**\n * A thing.\n *\n * @throws If it fails.\n */", "no error"],
    [
      "an error that is there twice",
      "/**\n * A thing.\n *\n * @throws {AnError} Now.\n * @throws {AnError} Then.\n */",
      "twice",
    ],
    ["a link to what nobody can see", "/** A {@link Y}. */", "not public"],
  ] as const
) {
  Deno.test(`docFaults() names ${what}`, async () => {
    const faults = await faultsOf(comment);
    assertEquals(faults.map((each) => each.includes(fault)), [true], faults.join("\n"));
  });
}
