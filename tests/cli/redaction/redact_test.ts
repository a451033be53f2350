import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { jsonlStore } from "../../../stores/jsonl.ts";
import { inTempFolder } from "../../stores/drivers/temp_folder.ts";
import { makeRun } from "../made_runs.ts";
import { commandLine } from "../command_line.ts";

const REPLIES = ["do open hunter2 with xyzzy", "answer it was hunter2"];

/** What a command says of a run with a secret in it, and the folder that it is in. */
async function withRun(test: (dir: string, store: string, head: string) => Promise<void>) {
  await inTempFolder(async (dir) => {
    const head = await makeRun(jsonlStore({ dir: `${dir}/runs` }), "r", REPLIES);
    await test(dir, `jsonl:${dir}/runs`, head);
  });
}

Deno.test("redact writes a log that every reader takes, without what it hides", async () => {
  await withRun(async (dir, store, head) => {
    const out = `${dir}/out/r.jsonl`;
    const rules = ["--pattern", "hunter\\d", "--pattern", "\\bxyzzy\\b"];
    const { code, err } = await commandLine(
      "redact",
      "r",
      ...rules,
      "--out",
      out,
      "--store",
      store,
    );
    assertEquals([code, err], [0, `wrote ${out}\n`]);
    const text = await Deno.readTextFile(out);
    assert(!/hunter2|xyzzy/.test(text));
    assertMatch(text, /open \[redacted: 7 code points, sha256:[0-9a-f]{64}\] with \[redacted: 5 /);
    const shown = await commandLine("redact", "r", ...rules, "--out", "-", "--store", store);
    assertEquals([shown.code, shown.err, /hunter2|xyzzy/.test(shown.out)], [0, "", false]);
    assertEquals(shown.out.split("\n").length, text.split("\n").length);

    const copy = `jsonl:${dir}/out`;
    const verified = await commandLine("verify", "r", "--store", copy);
    assertEquals(verified.code, 0);
    assertStringIncludes(verified.out, `the log that it was made from has the head ${head}`);
    assertStringIncludes(verified.out, "? digest and size of every prompt");
    assert(!verified.out.includes("recorded without its inputs"));
    const readings = [
      [["show", "r"], `hidden   texts of it; the log that it was made from has the head ${head}`],
      [["prompt", "r", "0"], "with texts hidden, so nothing is checked"],
      [["export"], "[redacted: 7 code points"],
      [["list"], "final_answer (texts hidden)"],
    ] as const;
    for (const [words, told] of readings) {
      const reading = await commandLine(...words, "--store", copy);
      assertEquals(reading.code, 0, words.join(" "));
      assertStringIncludes(reading.out, told);
    }
  });
});

Deno.test("redact hides what is at a pointer, and overwrites no file", async () => {
  await withRun(async (dir, store) => {
    const out = ["--out", `${dir}/out/r.jsonl`, "--store", store];
    const pointer = ["redact", "r", "--pointer", "/do", ...out];
    assertEquals((await commandLine(...pointer)).code, 0);
    assert(!(await Deno.readTextFile(`${dir}/out/r.jsonl`)).includes("open hunter2 with"));
    const again = await commandLine(...pointer);
    assertEquals(again.code, 1);
    assertMatch(again.err, /as there is a file of that name/);
    const behind = `${dir}/out/r.jsonl/r.jsonl`; // its folder is a file
    const unmade = await commandLine(
      "redact",
      "r",
      "--pattern",
      "x",
      "--out",
      behind,
      ...out.slice(2),
    );
    assertEquals(unmade.code, 1);
    assertMatch(unmade.err, /^error: Cannot write ".*r\.jsonl\/r\.jsonl" as /);
  });
});

Deno.test("redact refuses a line without a rule, without a file, or with another run's name for it", async () => {
  await withRun(async (dir, store) => {
    const wrong = [
      ["--out", "-"],
      ["--pattern", "x"],
      ["--pattern", "(", "--out", "-"],
      ["--pattern", "x", "--out", `${dir}/other.jsonl`],
    ];
    for (const words of wrong) {
      assertEquals((await commandLine("redact", "r", ...words, "--store", store)).code, 2);
    }
  });
});

Deno.test("view and export hide what --redact finds", async () => {
  await withRun(async (dir, store) => {
    const out = `${dir}/page.html`;
    const redact = ["--redact", "hunter2", "--redact=xyzzy", "--store", store];
    assertEquals((await commandLine("view", "r", "--prompts", "--out", out, ...redact)).code, 0);
    const page = await Deno.readTextFile(out);
    assert(!/hunter2|xyzzy/.test(page));
    assertStringIncludes(page, "[redacted: 7 code points");
    assertStringIncludes(page, "texts of it; the log that it was made from has the head");
    for (const format of ["jsonl", "csv"]) {
      const exported = await commandLine("export", "r", "--format", format, ...redact);
      assertEquals(exported.code, 0);
      assert(!/hunter2|xyzzy/.test(exported.out));
      assertStringIncludes(exported.out, "[redacted: 7 code points");
    }
    assertEquals((await commandLine("view", ...redact)).code, 2);
  });
});
