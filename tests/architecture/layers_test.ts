import { assert, assertEquals } from "@std/assert";
import { FOLDERS } from "./layers.ts";
import { codeMapFaults } from "./code_map.ts";
import { fileFacts } from "./file_facts.ts";
import { assertionTable, excesses } from "./limits.ts";
import { readTree, type Tree } from "./tree.ts";
import { violations } from "./violations.ts";

const TREE = await readTree(new URL("../../", import.meta.url));
const FAULTS = violations(TREE);

/** What the rules say of the tree with some files put in, beyond what they say of it as it is. */
function added(sources: Readonly<Record<string, string>>, change: Partial<Tree> = {}): string[] {
  const files = new Map(TREE.files);
  for (const [path, source] of Object.entries(sources)) files.set(path, fileFacts(path, source));
  const paths = [...new Set([...TREE.paths, ...Object.keys(sources)])];
  return violations({ ...TREE, paths, files, ...change }).filter((line) => !FAULTS.includes(line));
}

function bites(lines: readonly string[], expected: string): void {
  assert(
    lines.some((line) => line.includes(expected)),
    `${expected}\n\nis not in\n${lines.join("\n")}`,
  );
}

Deno.test("the tree keeps the rules of the house", () => {
  assertEquals(FAULTS, []);
});

Deno.test("the tree keeps within its limits", () => {
  assertEquals(excesses(TREE), [], assertionTable(TREE));
});

Deno.test("violations() takes a file that keeps the rules", () => {
  assertEquals(added({ "session/_x.ts": `export * from "../types/mod.ts";` }), []);
});

Deno.test("violations() names what stands where nothing may", () => {
  bites(added({ "logic/x.ts": "" }), "logic/x.ts: the table of layers has no such place");
  bites(added({ "plugins/x.ts": "" }), "plugins/x.ts: the table of layers has no such place");
  bites(added({}, { paths: [...TREE.paths, "Makefile"] }), "Makefile: the table of layers");
  bites(added({}, { paths: [...TREE.paths, "tests/utils/a.json"] }), `"utils" says nothing`);
  bites(added({}, { paths: [...TREE.paths, "docs/a.html"] }), "docs/a.html: a guide is Markdown");
  assertEquals(added({}, { paths: [...TREE.paths, "docs/a.md", "SECURITY.md"] }), []);
});

Deno.test("violations() names a cycle, between types too", () => {
  const lines = added({
    "session/_x.ts": `import type { Y } from "./_y.ts";\nexport type X = Y;`,
    "session/_y.ts": `import type { X } from "./_x.ts";\nexport type Y = X;`,
  });
  bites(lines, "cycle session/_x.ts → session/_y.ts → session/_x.ts");
});

Deno.test("violations() names an import of nothing", () => {
  const data = { "tests/types/x_test.ts": `import "../testdata/x.json";` };
  assertEquals(added(data), []);
  bites(
    added({ "types/x.ts": `export * from "./y.ts";` }),
    "imports types/y.ts, which is not there",
  );
});

Deno.test("violations() names what mod.ts would load by way of others", () => {
  for (const path of ["stores/memory.ts", "adapters/scripted_model.ts", "logic/context/mod.ts"]) {
    const lines = added({
      "mod.ts": `export * from "./session/mod.ts";`,
      "session/mod.ts": `export * from "./_x.ts";`,
      "session/_x.ts": `export * from "../${path}";`,
    });
    bites(lines, `mod.ts: loads ${path}`);
  }
});

Deno.test("violations() names a second call of a port in session", () => {
  for (const call of ["agent.model.call(x)", "store?.writeIntent(x)", "sink.emit(x)"]) {
    const method = /\w+(?=\()/.exec(call)![0];
    bites(
      added({ "session/_x.ts": `export const x = () => ${call};` }),
      `takes "${method}" of a port`,
    );
  }
  const brackets = `export const x = () => store["writeIntent"](x);`;
  bites(added({ "session/_x.ts": brackets }), `takes "writeIntent" of a port`);
  const taken = `export const x = ({ execute }) => execute();`;
  bites(added({ "session/_x.ts": taken }), `takes "execute" of a port`);
  const moved = `export const x = (agent) => { const call = agent.model.call; call(); };`;
  bites(added({ "session/_x.ts": moved }), `takes "call" of a port`);
  assertEquals(added({ "session/_x.ts": `export const x = () => events.emit(x);` }), []);
});

Deno.test("violations() names a second fetch that an adapter has by way of another file", () => {
  const lines = added({
    "adapters/x.ts": `export { y } from "./_y.ts";\nexport const x = () => fetch("");`,
    "adapters/_y.ts": `export const y = () => fetch("");`,
  });
  bites(lines, "adapters/x.ts: fetches in 2 places, not one");
});

Deno.test("violations() names a sixth port", () => {
  bites(added({ "ports/x.ts": `export interface SixthPort { call(): void }` }), "SixthPort");
});

Deno.test("violations() names what exports and publishing lack or have too much", () => {
  bites(
    added({ "stores/new_store.ts": "" }),
    `lacks "./stores/new-store": "./stores/new_store.ts"`,
  );
  const exports = { ...TREE.exports, "./secret": "./session/secret.ts" };
  bites(added({}, { exports }), `exports has "./secret", which is not public`);
  bites(added({}, { exports }), `exports "./secret" is not there: ./session/secret.ts`);
  bites(
    added({}, { published: [...TREE.published, "tests"] }),
    "publish.include is wrong about tests",
  );
  const published = TREE.published.filter((path) => path !== "types");
  bites(added({}, { published }), "publish.include is wrong about types");
});

Deno.test("docs/contributing.md maps the tree row by row", async () => {
  const guide = await Deno.readTextFile(new URL("docs/contributing.md", TREE.root));
  assertEquals(codeMapFaults(guide, TREE.paths), []);
});

Deno.test("codeMapFaults() names a row too many, one too few and one that is there twice", () => {
  const rows = Object.keys(FOLDERS).filter((name) => name !== ".").map((name) => `${name}/`);
  const map = (each: readonly string[]) =>
    [
      "# Title",
      "",
      "## Code map",
      "",
      "| where | what |",
      "| --- | --- |",
      ...each.map((row) => `| \`${row}\` | words |`),
      "",
      "## Next",
      "",
      "| `nowhere/` | words |",
    ]
      .join("\n");
  const paths = rows.map((row) => `${row}a.ts`);
  assertEquals(codeMapFaults(map(rows), paths), []);
  assertEquals(codeMapFaults(map([...rows, "nowhere/"]), paths).length, 1);
  assertEquals(codeMapFaults(map([...rows, "types/"]), paths).length, 1);
  assertEquals(codeMapFaults(map(rows.slice(1)), paths).length, 1);
  assertEquals(codeMapFaults("# Title", paths).length, rows.length);
});
