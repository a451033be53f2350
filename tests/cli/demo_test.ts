import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { readLog, verifyLog } from "../../session/mod.ts";
import { jsonlStore } from "../../stores/jsonl.ts";
import { commandLine } from "./command_line.ts";

const MODULES = {
  "core/shapes.ts": [
    "export interface Circle { r: number }",
    "export type Shape = Circle;",
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

const demo = (...args: string[]) => commandLine(["demo", ...args]);

Deno.test("demo is killed, resumed, and answers right", async () => {
  await inFolders(async (dir, store) => {
    const { code, out, err } = await demo("--dir", dir, "--store", `jsonl:${store}`);

    assertEquals([code, err], [0, ""]);
    assertStringIncludes(out, "SIGKILL");
    assertStringIncludes(out, "4 modules export 9 symbols. The most (the first checked by name):");
    assertStringIncludes(
      out,
      "  5 core/shapes.ts\n  2 core/mod.ts\n  1 app/main.ts\n  1 app/side.ts\n",
    );
    for (const edge of ["1 app -> app", "1 app -> core", "1 core -> core"]) {
      assertStringIncludes(out, `  ${edge}\n`.trimEnd());
    }
    assert(!out.includes("hidden"));
    assertMatch(out, /^unknown +(demo-\d+\/s1_a0: nobody knows whether it took effect|nothing)$/m);
    assertStringIncludes(out, "\nverified; ");
  });
});

Deno.test("demo leaves a log that says what happened", async () => {
  await inFolders(async (dir, store) => {
    await demo("--dir", dir, "--store", `jsonl:${store}`);
    const catalog = jsonlStore({ dir: store });
    const [runId] = await catalog.listRuns();
    const lines = (await catalog.readRun(runId!))!;
    const { steps, finished } = readLog(lines);

    assert(verifyLog(lines).ok);
    assertEquals(finished?.stopReason, "final_answer");
    assertEquals(
      steps.filter(({ outcome }) => outcome === "action_outcome_unknown").length <= 1,
      true,
    );
    assertEquals(steps[0]?.outcome, "acted");
  });
});

Deno.test("demo keeps its log in the store that it is told to", async () => {
  await inFolders(async (dir, store) => {
    await Deno.mkdir(store);
    const file = `sqlite:${store}/runs.db`;
    assertEquals((await demo("--dir", dir, "--store", file)).code, 0);
    assertMatch((await commandLine(["list", "--store", file])).out, /^demo-\d+ .* final_answer$/m);
  });
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
});
