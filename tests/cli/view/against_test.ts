import { assert, assertEquals, assertMatch } from "@std/assert";
import { contextAt, readLog } from "../../../session/mod.ts";
import { jsonlStore } from "../../../stores/jsonl.ts";
import { inTempFolder } from "../../stores/drivers/temp_folder.ts";
import { makeRun, requestOf } from "../made_runs.ts";
import { commandLine } from "../command_line.ts";
import { viewed } from "./viewed.ts";

/** What stands in the two columns of each row that has steps, by the index of the step. */
function pairsOf(page: string): readonly string[] {
  return page.split('<div class="two">').slice(1).map((row) =>
    [...row.matchAll(/id="([ab]s\d+)"/g)].map(([, id]) => id).join(" ")
  ).filter((ids) => ids !== "");
}

Deno.test("view --against shows two runs side by side, and marks the step at which they part", async () => {
  await inTempFolder(async (dir) => {
    const store = jsonlStore({ dir: `${dir}/runs` });
    await makeRun(store, "r", ["do look", "do <b>", "answer yes"]);
    await makeRun(store, "other", ["do look", "answer no"]);
    const { code, page, err } = await viewed(dir, "r", "--against", "other", "--prompts");
    assertEquals(code, 0, err);
    assertEquals(pairsOf(page), ["as0 bs0", "as1 bs1", "as2"]);
    assertMatch(page, /<title>r and other<\/title>/);
    assertMatch(page, /step 1: another reply, at text · <a href="#parting">/);
    assertMatch(page, /<pre>"do &lt;b>"<\/pre>[^]*<pre>"answer no"<\/pre>/);
    assert(page.indexOf('id="bs0"') < page.indexOf('id="parting"'));
    assert(page.indexOf('id="parting"') < page.indexOf('id="as1"'));
    const same = await viewed(dir, "r", "--against", "r");
    assertMatch(same.page, /They do not differ/);
    const bare = await viewed(dir, "r", "--against", "other", "--no-text");
    assert(!/do look|answer no/.test(bare.page));
  });
});

Deno.test("view --against puts a fork beside the steps of the run that it goes on from", async () => {
  await inTempFolder(async (dir) => {
    const store = jsonlStore({ dir: `${dir}/runs` });
    await makeRun(store, "r", ["do look", "do this", "answer yes"]);
    const log = readLog((await store.readRun("r"))!);
    const { budget } = requestOf("r");
    await makeRun(store, "fork", ["do that", "answer no"], { ...contextAt(log, 1), budget });
    const { page } = await viewed(dir, "r", "--against", "fork");
    assertEquals(pairsOf(page), ["as0", "as1 bs0", "as2 bs1"]);
    assertMatch(page, /step 1 of r, step 0 of fork: another reply, at text/);
    assertEquals(pairsOf((await viewed(dir, "fork", "--against", "r")).page), [
      "bs0",
      "as0 bs1",
      "as1 bs2",
    ]);
  });
});

Deno.test("view --against refuses what it cannot use, and names the run that is not there", async () => {
  await inTempFolder(async (dir) => {
    await makeRun(jsonlStore({ dir: `${dir}/runs` }), "r");
    for (
      const [exit, words, wrong] of [
        [2, ["--against", "r"], "--against but for one run"],
        [2, ["r", "--against", "r", "--steps", "0..1"], "all of its steps"],
        [2, ["r", "--against", "r", "--follow"], "with --follow"],
        [1, ["r", "--against", "absent", "--out", "-"], 'run "absent"'],
      ] as const
    ) {
      const { code, err } = await commandLine("view", ...words, "--store", `jsonl:${dir}/runs`);
      assertEquals([code, err.includes(wrong)], [exit, true], err);
    }
  });
});
