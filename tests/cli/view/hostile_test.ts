import { assert, assertEquals } from "@std/assert";
import { inTempFolder } from "../../stores/drivers/temp_folder.ts";
import { viewed } from "./viewed.ts";
import { writeHostileLogs } from "./hostile_logs.ts";

const TAGS = new Set(
  "html head meta title style body h1 h2 h3 p dl dt dd meter nav li a i details summary span div pre code ul table thead tbody tr th td"
    .split(" "),
);

/** What of a page is not as this program writes pages. */
function faultsOf(page: string): readonly string[] {
  const body = page.replace(/<style>[^]*?<\/style>/, "");
  const tags = [...body.matchAll(/<\/?([^\s>]*)[^>]*>/g)];
  return [
    ...tags.filter(([, name = ""]) => !TAGS.has(name) && name !== "!doctype").map(([tag]) => tag),
    ...tags.filter(([tag]) => /\son|javascript:|http:/.test(tag.replace(/"[^"]*"/g, '""')))
      .map(([tag]) => tag),
    ...[...body.matchAll(/<a [^>]*href="(?!#|[\w%.-]+\.html")[^"]*"/g)].map(([tag]) => tag),
    ...body.match(/(?![\n\t])\p{Cc}|[\u202e\u2066\u200b]|\u{e0041}/gu) ?? [],
  ];
}

Deno.test("a page holds nothing of a log but text, whatever stands in any of its fields", async () => {
  await inTempFolder(async (dir) => {
    for (const runId of await writeHostileLogs(`${dir}/runs`)) {
      for (const words of [["--prompts"], ["--no-text"], ["--against", "plain", "--prompts"]]) {
        const { code, page, err } = await viewed(dir, runId, ...words);
        assertEquals([code, faultsOf(page)], [0, []], `${runId} ${words}: ${err}`);
      }
    }
    const { page } = await viewed(dir);
    assertEquals(faultsOf(page), []);
    assert(page.includes("plain.html"));
  });
});
