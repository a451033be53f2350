import { assert, assertEquals, assertFalse } from "@std/assert";
import { ASKS_AGAIN, CALLED_IN_ONE_PLACE, FOLDERS, LOGIC, PORTS, STRANGERS } from "./layers.ts";
import { layersPlugin } from "./layers_plugin.ts";
import { PAIRS } from "./rule_pairs.ts";

const ROOT = new URL("../../", import.meta.url);
const PLUGIN = layersPlugin(ROOT);

function refuses(rule: string, [path, source]: readonly [string, string]): boolean {
  const filename = decodeURI(new URL(path, ROOT).pathname);
  return Deno.lint.runPlugin(PLUGIN, filename, source).some(({ id }) => id === `layers/${rule}`);
}

for (const rule of Object.keys(PLUGIN.rules)) {
  Deno.test(`layers/${rule} takes the good and refuses the bad`, () => {
    const pairs = PAIRS.filter((entry) => entry.rule === rule);
    assert(pairs.length > 0, "a rule without a pair is not known to bite");
    for (const { good, bad } of pairs) {
      assertFalse(refuses(rule, good), `refused, but good: ${good.join("\n")}`);
      assert(refuses(rule, bad), `taken, but bad: ${bad.join("\n")}`);
      const silenced = `// deno-lint-ignore-file\n// deno-lint-ignore\n${bad[1]}`;
      assert(refuses(rule, [bad[0], silenced]), `silenced by a comment: ${bad.join("\n")}`);
    }
  });
}

Deno.test("ASKS_AGAIN names only files that ask in a loop", async () => {
  for (const path of Object.keys(ASKS_AGAIN)) {
    const source = await Deno.readTextFile(new URL(path, ROOT));
    assert(refuses("asks-again", ["adapters/fx_model.ts", source]), path);
  }
});

Deno.test("FOLDERS points down only", () => {
  for (const [name, { layer, reaches }] of Object.entries(FOLDERS)) {
    for (const other of reaches) {
      assert(FOLDERS[other]!.layer < layer || name === "tests", `"${name}" reaches "${other}"`);
    }
  }
});

Deno.test("FOLDERS keeps strangers apart", () => {
  for (const group of STRANGERS) {
    for (const name of group) {
      assertEquals(FOLDERS[name]!.reaches.filter((other) => group.includes(other)), [], name);
    }
  }
  assertEquals(LOGIC.length, 6);
});

Deno.test("FOLDERS says what the nine rules say", () => {
  const reaches = (name: string) => FOLDERS[name]!.reaches;
  assertEquals(reaches("types"), []);
  assertEquals(reaches("ports"), ["types"]);
  for (const name of LOGIC) assertEquals(reaches(name), ["types", "ports"]);
  assertEquals(reaches("stores"), ["types", "ports"]);
  assertEquals(reaches("adapters"), ["types", "ports", "logic/tools"]);
  assertEquals(reaches("."), ["types", "ports", "logic/tools", "session"]);
  const node = Object.values(FOLDERS).flatMap((folder) => Object.entries(folder.node ?? {}));
  assertEquals(node, [
    ["types/digest.ts", ["node:crypto"]],
    ["stores/sqlite.ts", ["node:sqlite"]],
    ["stores/_lease/leases.ts", ["node:timers"]],
    ["stores/_sqlite/database.ts", ["node:fs"]],
    ["stores/_sqlite/file_header.ts", ["node:fs"]],
    ["adapters/_sandbox/import_map.ts", ["node:module"]],
    ["adapters/_terminal/standard_error.ts", ["node:fs", "node:process"]],
    ["adapters/jsonl_events.ts", ["node:fs"]],
    ["cli/_store/database_copy.ts", ["node:sqlite"]],
  ]);
  const pure = Object.keys(FOLDERS).filter((name) => FOLDERS[name]!.pure);
  assertEquals(pure, ["logic/_assembly", "logic/_stopping", "logic/_recovery"]);
  assertEquals(PORTS.length, 5);
  assertEquals(Object.keys(CALLED_IN_ONE_PLACE).length, 12);
});
