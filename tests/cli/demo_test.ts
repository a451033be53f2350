import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readLog, verifyLog } from "../../session/mod.ts";
import { jsonlStore } from "../../stores/jsonl.ts";

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

async function demo(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-lock",
      "-A",
      new URL("../../cli/mod.ts", import.meta.url).href,
      "demo",
      ...args,
    ],
  }).output();
  const decoder = new TextDecoder();
  return { code, out: decoder.decode(stdout), err: decoder.decode(stderr) };
}

Deno.test("demo is killed, resumed, and answers right", async () => {
  await inFolders(async (dir, store) => {
    const { code, out, err } = await demo("--dir", dir, "--store", store);

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
  });
});

Deno.test("demo leaves a log that says what happened", async () => {
  await inFolders(async (dir, store) => {
    await demo("--dir", dir, "--store", store);
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

Deno.test("demo says what is wrong with its command line", async () => {
  assertEquals(await demo("--dir"), {
    code: 2,
    out: "",
    err: 'error: cannot understand "--dir": see demo --help\n',
  });
  assertEquals((await demo("--model", "http://127.0.0.1:1/v1")).code, 2);
  assertEquals((await demo("--dir", "/no/such/folder")).code, 1);
});
