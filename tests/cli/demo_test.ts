import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { codeSandbox } from "../../adapters/code_sandbox.ts";
import { exportsCell, listCell } from "../../cli/_demo/cells.ts";
import { demoPolicy } from "../../cli/_demo/policy.ts";
import { readLog, verifyLog } from "../../session/mod.ts";
import { sqliteStore } from "../../stores/sqlite.ts";
import { textMessage } from "../../types/mod.ts";
import { commandLine, commandProcess } from "./command_line.ts";

const MODULES = {
  "core/shapes.ts": [
    "export interface Circle { r: number }",
    'export type Shape = Circle | "oval";',
    "export const PI = 3;",
    "/* export const hidden = 1; */",
    "const text = `\nexport const quoted = 1;\n`;",
    "export function area(c: Circle) { return PI * c.r ** 2; }",
    "export default area;",
  ],
  "core/mod.ts": ['export { area as surface, type Shape } from "./shapes.ts";'],
  "app/main.ts": [
    'import { surface } from "../core/mod.ts";',
    'import "./side.ts";',
    "export class App {}",
  ],
  "app/side.ts": ["console.log(/[/'`]/);", "export const after = 1;"],
  ".hidden/x.ts": ["export const never = 1;"],
};

async function inFolders(test: (dir: string, store: string) => Promise<void>): Promise<void> {
  const root = await Deno.makeTempDir({ prefix: "polyloop-demo-" });
  try {
    for (const [path, lines] of Object.entries(MODULES)) {
      await Deno.mkdir(`${root}/dir/${path.split("/")[0]}`, { recursive: true });
      await Deno.writeTextFile(`${root}/dir/${path}`, `${lines.join("\n")}\n`);
    }
    await test(`${root}/dir`, `${root}/store`);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

const demo = (...args: string[]) => commandLine("demo", ...args);

Deno.test("demo is killed, resumed, and answers right, and the store that it is told to has a log of what happened", async () => {
  await inFolders(async (dir, folder) => {
    await Deno.mkdir(folder);
    const names = Array.from({ length: 600 }, (_, i) => `export const number_${i} = ${i};`);
    await Deno.writeTextFile(`${dir}/core/many.ts`, names.join("\n"));
    // Each process of the demo ends once it has closed the store: nothing else ends the timer.
    const module = `import { sqliteStore } from "${new URL(
      "../../stores/sqlite.ts",
      import.meta.url,
    )}";
const alive = setInterval(() => {}, 1_000);
const runs = sqliteStore({ path: "${folder}/runs.db", leaseOwner: "demo" });
export default { ...runs, close: () => clearInterval(alive) };
`;
    await Deno.writeTextFile(`${folder}/store.ts`, module);
    const store = `module:${folder}/store.ts`;
    const { code, out, err } = await commandProcess(["demo", "--dir", dir, "--store", store]);

    assertEquals([code, err], [0, ""]);
    assertStringIncludes(out, "SIGKILL");
    assertStringIncludes(
      out,
      "5 modules export 609 symbols. The most (the first checked by name):",
    );
    assertStringIncludes(
      out,
      "  600 core/many.ts\n  5 core/shapes.ts\n  2 core/mod.ts\n  1 app/main.ts\n  1 app/side.ts\n",
    );
    for (const edge of ["1 app -> app", "1 app -> core", "1 core -> core"]) {
      assertStringIncludes(out, `  ${edge}\n`.trimEnd());
    }
    assert(!out.includes("hidden"));
    assert(!out.includes("oval"), "a type is no import");
    // A kill that comes late meets a later action, or none.
    assertMatch(out, /^unknown +(demo-\d+\/s\d_a0: nobody knows whether it took effect|nothing)$/m);
    assertMatch(
      out,
      /^verified; to see it again: deno run -A \S*cli\/mod\.ts show demo-\d+ --store module:/m,
    );

    const catalog = sqliteStore({ path: `${folder}/runs.db` });
    const [runId = ""] = await catalog.listRuns();
    const lines = await catalog.readRun(runId) ?? [];
    const { steps, finished } = readLog(lines);
    assert(verifyLog(lines).ok);
    assertEquals(finished?.stopReason, "final_answer");
    const unknown = steps.filter(({ outcome }) => outcome === "action_outcome_unknown");
    assert(unknown.length <= 1);
    assertEquals(steps[0]?.outcome, "acted");
  });
});

Deno.test("exportsCell() counts what it cannot read, and goes on with the rest", async () => {
  await inFolders(async (dir) => {
    await using sandbox = codeSandbox({
      permissions: { read: [dir] },
      timeoutMs: 20_000,
      maxOutputChars: 4_000,
    });
    const { signal } = new AbortController();
    const observe = async (code: string, attempt: number): Promise<string> =>
      (await sandbox.execute({
        action: { language: "ts", code },
        actionId: `cells/s${attempt}_a0`,
        attempt,
        signal,
      }))
        .observation;
    assertEquals(await observe(listCell(dir), 1), 'endings {"ts":4}');
    await Deno.remove(`${dir}/app/main.ts`);
    assertStringIncludes(
      await observe(exportsCell(["ts"]), 2),
      'exports {"modules":3,"unreadable":1,"total":8,',
    );
  });
});

Deno.test("demoPolicy() says how much cannot be read", () => {
  const seen = (text: string) => [textMessage("assistant", "…"), textMessage("user", text)];
  const messages = [
    'endings {"ts":2}',
    'exports {"modules":1,"unreadable":3,"total":2,"top":[["a.ts",2]]}',
    "imports []",
    'names {"count":2,"first":["a","b"]}',
  ].flatMap(seen);
  assertStringIncludes(
    demoPolicy("/dir", messages),
    "1 modules export 2 symbols (3 of its files or folders cannot be read). The most",
  );
});

Deno.test("demo says what is wrong with its command line", async () => {
  const { code, err } = await demo("--model", "http://127.0.0.1:1/v1");
  assertEquals(code, 2);
  assertEquals(err, "error: Cannot ask a model as --model and --model-name go together\n");
  const missing = await demo("--dir", "/no/such/folder");
  assertEquals(missing.code, 1);
  assertStringIncludes(
    missing.err,
    'Cannot ask about "/no/such/folder" as there is no such folder',
  );
  const file = new URL("../../LICENSE", import.meta.url).pathname;
  const noFolder = await demo("--dir", file);
  assertEquals([noFolder.code, noFolder.out], [1, ""]);
  assertEquals(noFolder.err, `error: Cannot ask about "${file}" as it is not a folder\n`);
  const noStore = await demo("--store", "kv");
  assertEquals([noStore.code, noStore.out], [2, ""]);
  assertStringIncludes(noStore.err, 'Cannot use "kv" as a store');
});

Deno.test("demo tells in one line why its driver failed", async () => {
  await inFolders(async (dir) => {
    const { code, err } = await demo("--dir", dir, "--store", `jsonl:${dir}/app/main.ts`);
    assertEquals(code, 1);
    assertMatch(err, /^error: Cannot write to run "demo-\d+" as [^\n]+\n$/);
  });
});
