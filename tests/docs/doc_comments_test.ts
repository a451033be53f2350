import { assertEquals } from "@std/assert";
import { documentation } from "../architecture/api/public_api.ts";
import { projectConfig } from "../tasks/project_config.ts";
import { docComments, docFaults, unnamedMembers } from "./doc_comments.ts";

const ROOT = new URL("../../", import.meta.url);

Deno.test("the public API's doc comments are shown as they were written, and that of a union names each of its members", async () => {
  const { exports } = await projectConfig(ROOT);
  const docs = await documentation(ROOT, Object.values(exports));
  const names = Object.values(docs.nodes).flatMap(({ symbols }) => symbols.map(({ name }) => name));
  const faults = docComments(docs).flatMap((comment) => docFaults(comment, new Set(names)));
  assertEquals(faults, []);
  assertEquals(unnamedMembers(docs), []);
});

/** The faults of each of some doc comments, by way of `deno doc`. */
async function faultsOf(comments: readonly string[]): Promise<readonly (readonly string[])[]> {
  const directory = await Deno.realPath(await Deno.makeTempDir());
  const root = new URL(`file://${encodeURI(directory)}/`);
  try {
    const names = comments.map((_, index) => `${index}.ts`);
    for (const [index, comment] of comments.entries()) {
      await Deno.writeTextFile(
        new URL(`${index}.ts`, root),
        `export interface X {\n  ${comment}\n  readonly x: 1;\n}\nexport class AnError extends Error {}`,
      );
    }
    const { nodes } = await documentation(root, names);
    return names.map((name) => {
      const { href } = new URL(name, root);
      return docComments({ nodes: { [href]: nodes[href]! } })
        .flatMap((each) => docFaults(each, new Set(["X", "AnError"])));
    });
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

/** A doc comment that `deno doc` shows whole. */
const GOOD = `/**
   * A {@link X.x | thing}. By default: \`{braces}\`
   *
   * @default {"text"}
   * @throws {AnError} If it fails.
   * @throws {TypeError} If it is none.
   */`;

/** A word of the fault of each. */
const FAULTY: Readonly<Record<string, string>> = {
  "/**\n * A thing.\n *\n * @default {{}}\n */": "cut off",
  "/**\n * A thing.\n *\n * @default {5} in all\n */": "cut off",
  "/**\n * A thing.\n *\n * @default five\n */": "not understood",
  "/** A thing. @default {5} */": "in the middle",
  "/**\n * A thing.\n *\n * @throws If it fails.\n */": "no error",
  "/**\n * A thing.\n *\n * @throws {AnError} Now.\n * @throws {AnError} Then.\n */": "twice",
  "/** A {@link Y}. */": "not public",
};

Deno.test("docFaults() takes what deno doc shows whole, and names what it does not", async () => {
  const [good, ...faulty] = await faultsOf([GOOD, ...Object.keys(FAULTY)]);
  assertEquals(good, []);
  for (const [index, [comment, fault]] of Object.entries(FAULTY).entries()) {
    const faults = faulty[index] ?? [];
    assertEquals(faults.map((each) => each.includes(fault)), [true], `${comment}\n${faults}`);
  }
});
