import { assert, assertEquals } from "@std/assert";
import { jsonlStore } from "../../../stores/jsonl.ts";
import { hostileTexts } from "../../contract/_hostile_texts.ts";
import { inTempFolder } from "../../stores/drivers/temp_folder.ts";
import { makeRun } from "../made_runs.ts";
import { commandLine } from "../command_line.ts";
import { writeHostileLogs } from "../view/hostile_logs.ts";
import { viewed } from "../view/viewed.ts";
import { say } from "../../tasks/say.ts";
import { type BrowserPage, CHROMIUM, inBrowser } from "./chromium.ts";

if (CHROMIUM === undefined) say("skipped: no Chromium to look at pages of runs with");

const ATTACK =
  '</pre></details></style><script>document.title="owned"</script><img src="http://127.0.0.1:1/x" onerror="document.title=1">';

Deno.test({
  name: "a browser runs nothing of a page, and loads nothing for it",
  ignore: CHROMIUM === undefined,
  async fn(test) {
    await inBrowser(async (page) => {
      await test.step("of a run with hostile texts, which it shows", () => showHostileTexts(page));
      await test.step("whatever stands in any field of a log", () => showHostileLogs(page));
    });
  },
});

async function showHostileTexts({ open, evaluate }: BrowserPage): Promise<void> {
  await inTempFolder(async (dir) => {
    const texts = [ATTACK, ...hostileTexts()];
    const replies = [...texts.map((text) => `do ${text}`), "answer \n\nlines"];
    await makeRun(jsonlStore({ dir: `${dir}/runs` }), "r", replies, {
      budget: {
        maxSteps: 99,
        maxModelCalls: 99,
        maxPromptChars: 9_000_000,
        maxConsecutiveFailures: 99,
      },
    });
    const out = `${dir}/r.html`;
    const { code } = await commandLine(
      "view",
      "r",
      "--prompts",
      "--out",
      out,
      "--store",
      `jsonl:${dir}/runs`,
    );
    assertEquals(code, 0);
    const { requests, said } = await open(`file://${out}`);
    assertEquals([requests, said], [[`file://${out}`], []]);
    assertEquals(await evaluate("document.title"), "r");
    assertEquals(await evaluate("document.scripts.length + document.images.length"), 0);
    const steps = "document.querySelectorAll('details.step')";
    assertEquals(await evaluate(`${steps}.length`), replies.length);
    assertEquals(
      await evaluate("document.querySelectorAll('.strip a').length"),
      replies.length,
    );
    assertEquals(
      await evaluate("document.querySelector('h2 ~ .prose ~ .prose pre').textContent"),
      "\n\nlines",
    );
    const shown = await evaluate(`${steps}[0].textContent`);
    assert(String(shown).includes(`do ${ATTACK}`));
    assertEquals(await evaluate("getComputedStyle(document.body).maxWidth !== 'none'"), true);
  });
}

async function showHostileLogs({ open, evaluate }: BrowserPage): Promise<void> {
  await inTempFolder(async (dir) => {
    const runIds = await writeHostileLogs(`${dir}/runs`);
    for (const runId of runIds) {
      for (const [i, words] of [["--prompts"], ["--against", "plain"]].entries()) {
        const { page } = await viewed(dir, runId, ...words);
        const path = `${dir}/${runId}-${i}.html`;
        await Deno.writeTextFile(path, page);
        const { requests, said } = await open(`file://${path}`);
        assertEquals([requests, said], [[`file://${path}`], []]);
        const title = words.length === 1 ? runId : `${runId} and plain`;
        assertEquals(await evaluate("document.title"), title);
        const others =
          "document.querySelectorAll('script, img, iframe, object, link, form').length";
        assertEquals(await evaluate(others), 0);
      }
    }
  });
}
