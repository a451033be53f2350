import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { ReadStore } from "../../../cli/_store/read_store.ts";
import { refuseLarge, smallPartsOf } from "../../../cli/_view/log_size.ts";
import { jsonText } from "../../../cli/_view/shown_text.ts";
import type { JsonValue } from "../../../mod.ts";
import { jsonlStore } from "../../../stores/jsonl.ts";
import { memoryStore } from "../../../stores/memory.ts";
import { inTempFolder } from "../../stores/drivers/temp_folder.ts";
import { makeRun, requestOf } from "../made_runs.ts";
import { viewed } from "./viewed.ts";

/** A store whose run has parts of 30,000,000 characters, and how many of them were read. */
function largeStore(parts: number): ReadStore & { readonly read: () => number } {
  const part = ["x".repeat(30_000_000)];
  let read = 0;
  const store = {
    ...memoryStore(),
    async *readLines() {
      for (read = 0; read < parts;) {
        read++;
        yield part;
      }
    },
  };
  const closed = { told: String, redaction: undefined, advice: "", close() {} };
  return { store, kind: "jsonl", path: "p", ...closed, read: () => read };
}

Deno.test("a log that is too large for a page is read no further than need be, and it is said what to do", async () => {
  const reading = [
    (open: ReadStore) => refuseLarge(open, "r", "show all of", "choose some"),
    (open: ReadStore) => smallPartsOf(open, "r", "choose some"),
  ];
  for (const read of reading) {
    await read(largeStore(3));
    const large = largeStore(9);
    const error = await assertRejects(async () => await read(large));
    assertEquals(large.read(), 4);
    assertMatch(
      String(error),
      /Cannot show all of run "r" as its log has more than 100,000,000 characters: choose some/,
    );
  }
});

Deno.test("a page is at most 1.3 times as large as the texts that it shows", async () => {
  await inTempFolder(async (dir) => {
    const steps = 100;
    const text = 'The test "parses a list" fails: expected [1, 2] but got [1], see src/list.ts.\n';
    const { budget } = requestOf("r");
    await makeRun(
      jsonlStore({ dir: `${dir}/runs` }),
      "r",
      [...Array.from({ length: steps - 1 }, (_, i) => `do ${i} ${text.repeat(16)}`), "answer yes"],
      { budget: { ...budget, maxSteps: steps, maxModelCalls: steps, maxPromptChars: 9e8 } },
    );
    for (const words of [[], ["--prompts"]]) {
      const { page } = await viewed(dir, "r", ...words);
      const texts = page.replace(/<style>[^]*?<\/style>/, "").replace(/<[^>]*>/g, "")
        .replace(/&\w+;/g, "x");
      assert(page.length <= 1.3 * texts.length, `${page.length / texts.length}`);
    }
  });
});

Deno.test("a value that is deep or large takes no more of a page than a few times its size", () => {
  let deep: JsonValue = [1, 2];
  for (let depth = 0; depth < 900; depth++) deep = [deep, depth];
  const wide = Array.from({ length: 9_000 }, (_, i) => [i]);
  for (const value of [deep, wide, { deep, wide }]) {
    const shown = jsonText(value);
    assertEquals(JSON.parse(shown), value);
    assert(shown.length <= 4 * JSON.stringify(value).length);
  }
  assertEquals(jsonText({ a: [1, "b"] }), '{\n  "a": [\n    1,\n    "b"\n  ]\n}');
});
