import { assert, assertEquals } from "@std/assert";
import { copy, ensureDir } from "@std/fs";
import { PAIRS } from "./rule_pairs.ts";
import { readTree } from "./tree.ts";
import { violations } from "./violations.ts";

const ROOT = new URL("../../", import.meta.url);

/** Files that each hold one forbidden import, named by where they would stand. */
const PLANTED: ReadonlyMap<string, string> = new Map(
  PAIRS.filter(({ rule }) => rule === "imports").map(({ bad: [path, source] }, index) => [
    path.includes("/") ? path.replace(/[^/]+$/, `planted_${index}.ts`) : path,
    source,
  ]),
);

/** Gives a tree that holds nothing but the rules, the settings that name them, and the planted files. */
async function withPlanted(
  prefix: string,
  check: (root: URL, planted: readonly string[]) => Promise<void>,
): Promise<void> {
  const directory = await Deno.realPath(await Deno.makeTempDir());
  try {
    for (const name of ["deno.json", "tests/architecture"]) {
      await ensureDir(`${directory}/${name.replace(/[^/]+$/, "")}`);
      await copy(decodeURI(new URL(name, ROOT).pathname), `${directory}/${name}`);
    }
    for (const [path, source] of PLANTED) {
      await ensureDir(`${directory}/${path.replace(/[^/]+$/, "")}`);
      await Deno.writeTextFile(`${directory}/${path}`, `${prefix}${source}\n`);
    }
    await check(new URL(`file://${encodeURI(directory)}/`), [...PLANTED.keys()]);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

/** The planted files of which `deno lint`, run in a tree, says something. */
async function linted(root: URL): Promise<{ code: number; files: ReadonlySet<string> }> {
  const { code, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["lint", "--json"],
    cwd: root,
    stderr: "null",
  }).output();
  const { diagnostics } = JSON.parse(new TextDecoder().decode(stdout)) as {
    diagnostics: { code: string; filename: string }[];
  };
  const files = diagnostics.filter((each) => each.code.startsWith("layers/"))
    .map((each) => decodeURI(each.filename.slice(root.href.length)));
  return { code, files: new Set(files) };
}

async function found(root: URL): Promise<ReadonlySet<string>> {
  const lines = violations(await readTree(root)).filter((line) =>
    line.endsWith("(layers/imports)")
  );
  return new Set(lines.map((line) => line.split(":")[0]!));
}

const without = (planted: readonly string[], seen: ReadonlySet<string>): readonly string[] =>
  planted.filter((path) => !seen.has(path));

Deno.test("deno lint and the layers test see every forbidden import", async () => {
  await withPlanted("", async (root, planted) => {
    assert(planted.length > 300);
    const { code, files } = await linted(root);
    assertEquals(code, 1);
    assertEquals(without(planted, files), []);
    assertEquals(without(planted, await found(root)), []);
  });
});

Deno.test("deno lint and the layers test see them under a comment that silences the rule", async () => {
  await withPlanted("// deno-lint-ignore-file layers/imports\n", async (root, planted) => {
    const { code, files } = await linted(root);
    assertEquals(code, 1);
    assertEquals(without(planted, files), []);
    assertEquals(without(planted, await found(root)), []);
  });
});

Deno.test("the layers test sees them under a comment that silences all that deno lint says", async () => {
  await withPlanted("// deno-lint-ignore-file\n", async (root, planted) => {
    assertEquals(without(planted, await found(root)), []);
  });
});
