import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { resume, run, RunLogCorruptError } from "../../mod.ts";
import { readLog } from "../../session/mod.ts";
import { jsonlStore } from "../../stores/jsonl.ts";
import { agentOf, now, requestOf } from "../session/world.ts";

const SCRIPT = ["do a\u2028b", "do c", "answer 1"];

/** The file of a run that stands in its second step: whole entries, the last an action's intent. */
async function withCrashedLog(
  test: (
    place: { readonly dir: string; readonly path: string; readonly text: string },
  ) => Promise<void>,
): Promise<void> {
  const dir = await Deno.makeTempDir({ prefix: "polyloop-cases-" });
  try {
    const store = jsonlStore({ dir });
    await run(agentOf(SCRIPT, { store }), requestOf(), { now });
    const path = `${dir}/r.jsonl`;
    const lines = (await Deno.readTextFile(path)).split("\n");
    const text = lines.slice(0, 6).map((line) => `${line}\n`).join("");
    await Deno.writeTextFile(path, text);
    await test({ dir, path, text });
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("a torn tail is cut off before the first append, so that nothing stands after it", async () => {
  await withCrashedLog(async ({ dir, path, text }) => {
    await Deno.writeTextFile(path, `${text}{"schema":"1.0","seq":6,"pr`);
    const store = jsonlStore({ dir });
    const result = await resume(agentOf(SCRIPT, { store }), requestOf(), { now });
    assertEquals(result.answer, "1");
    const log = await Deno.readTextFile(path);
    assert(log.startsWith(text));
    assertEquals(readLog(log.trimEnd().split("\n")).finished?.stopReason, "final_answer");
  });
});

Deno.test("NULs in the middle of a log are damage with its place, not its end", async () => {
  await withCrashedLog(async ({ dir, path, text }) => {
    const [first, ...rest] = text.split("\n");
    await Deno.writeTextFile(path, [first, "\0".repeat(64), ...rest].join("\n"));
    const error = await assertRejects(() => jsonlStore({ dir }).readRun("r"), RunLogCorruptError);
    assertEquals(error.seq, 1);
    assertStringIncludes(error.message, `byte ${first!.length + 1}`);
  });
});

Deno.test("a line separator in a text does not split a line", async () => {
  await withCrashedLog(async ({ dir, text }) => {
    assertStringIncludes(text, "\u2028");
    const { steps } = readLog((await jsonlStore({ dir }).readRun("r"))!);
    assertStringIncludes(steps[0]!.reply!.text, "a\u2028b");
  });
});

Deno.test("each entry has its checksum in itself, so that no crash can come between", async () => {
  await withCrashedLog(async ({ dir, path, text }) => {
    for (let end = text.length; end > text.length - 300; end--) {
      await Deno.writeTextFile(path, text.slice(0, end));
      const lines = (await jsonlStore({ dir }).readRun("r"))!;
      assertEquals(lines, text.trimEnd().split("\n").slice(0, lines.length));
      assert(lines.length >= 5);
    }
    assertEquals((await Array.fromAsync(Deno.readDir(dir))).length, 1);
  });
});

Deno.test("a recovery keeps the evidence", async () => {
  await withCrashedLog(async ({ dir, path, text }) => {
    const torn = '{"schema":"1.0","seq":6,"pr';
    await Deno.writeTextFile(path, text + torn);
    await resume(agentOf(SCRIPT, { store: jsonlStore({ dir }) }), requestOf(), { now });
    const evidence = `${path}.torn-${new TextEncoder().encode(text).length}`;
    assertEquals(await Deno.readTextFile(evidence), torn);
  });
});
