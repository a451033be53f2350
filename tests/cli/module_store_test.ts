import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { jsonlStore } from "../../stores/jsonl.ts";
import { inTempFolder } from "../stores/drivers/temp_folder.ts";
import { commandLine } from "./command_line.ts";
import { makeRun } from "./made_runs.ts";

const ROOT = new URL("../../", import.meta.url).href;

const STORE =
  `{ ...jsonlStore({ dir: import.meta.dirname + "/runs" }), close: () => tell("closed") }`;

const AGENT = `
import { agentOf, requestOf } from "${ROOT}tests/cli/made_runs.ts";
import { memoryStore } from "${ROOT}stores/memory.ts";
export const agent = agentOf(memoryStore(), ["answer 42"]);
export const request = requestOf("made");
`;

/** A module whose default export is some text of code, and how a command line names it. */
async function withStoreModule(
  exported: string,
  body: (store: string, dir: string) => Promise<void>,
): Promise<void> {
  await inTempFolder(async (dir) => {
    const text = `import { jsonlStore } from "${ROOT}stores/jsonl.ts";
const tell = (what) => Deno.writeTextFile(import.meta.dirname + "/told", what + "\\n", { append: true });
${exported}`;
    await Deno.writeTextFile(`${dir}/store.ts`, text);
    await body(`module:${dir}/store.ts`, dir);
  });
}

Deno.test("each command takes the store that a module exports or gives, opened and closed once", async () => {
  const variants = [
    [`export default ${STORE};`, "closed\n"],
    [`export default async () => (await tell("opened"), ${STORE});`, "opened\nclosed\n"],
  ] as const;
  for (const [exported, told] of variants) {
    await withStoreModule(exported, async (store, dir) => {
      await makeRun(jsonlStore({ dir: `${dir}/runs` }), "r");
      for (
        const [expected, ...args] of [
          ["r", "list"],
          ["r", "show", "r"],
          ["do look", "prompt", "r", "1"],
          ["whole", "verify", "r"],
          ['"run_id":"r"', "export"],
          ["<html", "view", "r", "--out", "-"],
          ["no difference", "diff", "r", "r"],
          ["is deleted", "delete", "r", "--yes"],
        ] as const
      ) {
        const { code, out, err } = await commandLine(...args, "--store", store);
        assertEquals(code, 0, args[0]);
        assertStringIncludes(out + err, expected, args[0]);
        assertEquals(await Deno.readTextFile(`${dir}/told`), told, args[0]);
        await Deno.remove(`${dir}/told`);
      }
    });
  }
});

Deno.test("run makes a run in a module's store, and delete asks it and deletes before it is closed", async () => {
  // As a pool of connections is: closed, it is of no use.
  const exported = `
const store = jsonlStore({ dir: import.meta.dirname + "/runs" });
let isClosed = false;
const open = (method) => (...args) => {
  if (isClosed) throw new Error("the store is closed");
  return method(...args);
};
export default {
  ...Object.fromEntries(Object.entries(store).map(([name, method]) => [name, open(method)])),
  close() { isClosed = true; },
};`;
  await withStoreModule(exported, async (store, dir) => {
    await Deno.writeTextFile(`${dir}/agent.ts`, AGENT);
    assertEquals((await commandLine("run", `${dir}/agent.ts`, "--store", store)).out, "42\n");
    assertEquals(await jsonlStore({ dir: `${dir}/runs` }).listRuns(), ["made"]);
    // Another process would import the module anew.
    await Deno.rename(`${dir}/store.ts`, `${dir}/again.ts`);
    const again = `module:${dir}/again.ts`;
    const { code, err } = await commandLine("delete", "made", "--yes", "--store", again);
    assertEquals([code, err], [0, 'run "made" is deleted\n']);
    assertEquals(await jsonlStore({ dir: `${dir}/runs` }).listRuns(), []);
  });
});

Deno.test("a module that gives no store is refused, with what it lacks", async () => {
  const cases = [
    ["", "its default export is no store"],
    ["export default () => 5;", "its default export is no store"],
    [
      `const { listRuns, readRuns, ...store } = jsonlStore({ dir: "x" });\nexport default store;`,
      "the store of its default export has no listRuns, readRuns",
    ],
    [`export default () => { throw new Error("no server"); };`, "no server, at file:///"],
    [`throw new Error("no client");`, "no client, at file:///"],
  ] as const;
  for (const [exported, reason] of cases) {
    await withStoreModule(exported, async (store) => {
      const { code, out, err } = await commandLine("list", "--store", store);
      assertEquals([code, out], [1, ""], reason);
      assertStringIncludes(err, reason);
      assert(/^error: Cannot .* "\/.*\/store.ts"[^\n]*\n$/.test(err), err);
    });
  }
  const { err } = await commandLine("list", "--store", "module:/nowhere/store.ts");
  assertEquals(err, 'error: Cannot load "/nowhere/store.ts" as there is no such file\n');
});
