import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { markup } from "../../../cli/_view/markup.ts";
import { strip, type StripStep } from "../../../cli/_view/strip_view.ts";
import { digest } from "../../../types/mod.ts";
import { jsonlStore } from "../../../stores/jsonl.ts";
import { hostileTexts } from "../../contract/_hostile_texts.ts";
import { inTempFolder } from "../../stores/drivers/temp_folder.ts";
import { DROPPING, leaveOpen, makeRun } from "../made_runs.ts";
import { commandLine } from "../command_line.ts";
import { viewed } from "./viewed.ts";

Deno.test("markup`` escapes whatever stands in a hole, and shows what nobody would see", () => {
  const text = `</pre><b a="1" c='2'>&amp;\u202e\0`;
  const inTag = "&lt;/pre&gt;&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;\\u{202e}\\u{0}";
  const between = `&lt;/pre>&lt;b a="1" c='2'>&amp;amp;\\u{202e}\\u{0}`;
  assertEquals(
    String(markup`<p title="${text}${text}" ${text}>${text}${[text]}</p>${text}`),
    `<p title="${inTag}${inTag}" ${inTag}>${between}${between}</p>${between}`,
  );
  assertEquals(String(markup`${text}<i>`), `${inTag}<i>`);
  assertEquals(String(markup`${undefined}${1}${[markup`<i>${"<"}</i>`, ">"]}`), "1<i>&lt;</i>&gt;");
});

Deno.test("view shows what a run was asked, what it did, why it stopped, and what is open or failed", async () => {
  await inTempFolder(async (dir) => {
    const head = await makeRun(jsonlStore({ dir: `${dir}/runs` }), "r");
    const { code, page } = await viewed(dir, "r");
    assertEquals(code, 0);
    for (
      const shown of [
        "<title>r</title>",
        "<pre>Go on.</pre>",
        "final_answer: the model gave its answer",
        `"yes", it said`,
        "5 of 8",
        "TypeError: the line is dead",
        head,
        "in order, as far as a log can tell",
      ]
    ) {
      assertStringIncludes(page, shown);
    }
    const steps = [...page.matchAll(/<details class="step" id="s(\d+)" (open)?>/g)];
    assertEquals(steps.map(([, index, open]) => [index, open !== undefined]), [
      ["0", false],
      ["1", true],
      ["2", true],
      ["3", true],
      ["4", false],
    ]);
    assertEquals([...page.matchAll(/href="#s(\d)"/g)].map(([, index]) => index), [..."01234"]);
  });
});

Deno.test("view holds nothing that runs or is loaded, whatever the texts of a run say", async () => {
  await inTempFolder(async (dir) => {
    const store = jsonlStore({ dir: `${dir}/runs` });
    const texts = [
      ...hostileTexts(),
      '</pre></details><script>document.title="owned"</script><img src=x onerror=alert(1)>',
      `"><a href="javascript:alert(1)">`,
    ];
    await makeRun(store, "r", [...texts.map((text) => `do ${text}`), `answer ${texts.join("")}`], {
      budget: {
        maxSteps: 99,
        maxModelCalls: 99,
        maxPromptChars: 9_000_000,
        maxConsecutiveFailures: 99,
      },
      modelBinding: Object.fromEntries(texts.map((text, i) => [`t${i}`, text])),
    });
    const { page } = await viewed(dir, "r", "--prompts");
    assertMatch(
      page,
      /<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;/,
    );
    const allowed = new Set(
      "html head meta title style body h1 h2 h3 p dl dt dd meter nav li a i details summary span div pre code ul"
        .split(" "),
    );
    const tags = [...page.matchAll(/<([a-z0-9]+)/gi)].map(([, name = ""]) => name.toLowerCase());
    assertEquals(tags.filter((tag) => !allowed.has(tag)), []);
    const attributes = page.replace(/<style>.*<\/style>/s, "").match(/<[a-z][^>]*\son\w+=/gi);
    assertEquals(attributes, null);
    assertEquals(
      [...page.matchAll(/<a [^>]*href="([^"]*)"/g)].every(([, to]) => /^#s\d+$/.test(to ?? "")),
      true,
    );
    assert(!/(?![\n\t])\p{Cc}|\u202e/u.test(page));
  });
});

Deno.test("view shows a text whole, and folds what is long", async () => {
  await inTempFolder(async (dir) => {
    const long = "🌊".repeat(5_000);
    await makeRun(jsonlStore({ dir: `${dir}/runs` }), "r", [`answer ${long}`]);
    const { page } = await viewed(dir, "r");
    assert(page.includes("<summary>3,000 more characters</summary>"));
    for (const length of [2_000, 3_000]) {
      assert(page.includes(`<pre>${"🌊".repeat(length)}</pre>`));
    }
  });
});

Deno.test("view leaves out all texts of a run where it is told to, and the steps that it is not asked for", async () => {
  await inTempFolder(async (dir) => {
    const store = jsonlStore({ dir: `${dir}/runs` });
    await makeRun(store, "r", ["do s3cret", new Error("s3cret"), "answer s3cret"]);
    const { page } = await viewed(dir, "r", "--no-text", "--prompts");
    assert(!page.includes("s3cret"));
    assertMatch(page, /\d+ characters, sha256:[0-9a-f]{64}/);
    const some = await viewed(dir, "r", "--steps", "1..2");
    assertEquals([...some.page.matchAll(/id="s(\d)"/g)].map(([, index]) => index), ["1", "2"]);
    assertStringIncludes(some.page, "<h2>3 steps, of which 1 to 2 are here</h2>");
    const beyond = await viewed(dir, "r", "--steps", "7..9");
    assertStringIncludes(beyond.page, "<h2>3 steps, none of which is here</h2>");
  });
});

Deno.test("view shows a log with a fault as far as it can be read, with the fault on top", async () => {
  await inTempFolder(async (dir) => {
    await makeRun(jsonlStore({ dir: `${dir}/runs` }), "r");
    const path = `${dir}/runs/r.jsonl`;
    const lines = (await Deno.readTextFile(path)).split("\n");
    lines[5] = lines[5]!.replace("did look", "did lock").replace("hm", "mh");
    await Deno.writeTextFile(path, lines.join("\n"));
    const { code, page, err } = await viewed(dir, "r");
    assertEquals(code, 1);
    assertMatch(err, /error: Cannot read entry 5 of run "r"/);
    assertStringIncludes(page, '<div class="fault"');
    assertStringIncludes(page, 'id="s0"');
    assert(page.endsWith("</html>\n"));
  });
});

Deno.test("view shows where a run stands that is not finished", async () => {
  await inTempFolder(async (dir) => {
    await leaveOpen(jsonlStore({ dir: `${dir}/runs` }), "r");
    const { page } = await viewed(dir, "r");
    for (
      const shown of [
        "not finished",
        "Step 1, open",
        "do look again",
        "no result yet, or it is lost",
      ]
    ) {
      assertStringIncludes(page, shown);
    }
  });
});

Deno.test("view without a run lists the runs of the store, those that cannot be read last", async () => {
  await inTempFolder(async (dir) => {
    const store = jsonlStore({ dir: `${dir}/runs` });
    for (const runId of ["a", "b"]) await makeRun(store, runId);
    await Deno.writeTextFile(`${dir}/runs/broken.jsonl`, "{}\n{}\n");
    const { code, page } = await viewed(dir);
    assertEquals(code, 0);
    const links = [...page.matchAll(/<a href="([^"]+)">/g)].map(([, to]) => to);
    assertEquals(links.toSorted(), ["a.html", "b.html", "broken.html"]);
    assertEquals(links.at(-1), "broken.html");
  });
});

Deno.test("view refuses words that it cannot use", async () => {
  await inTempFolder(async (dir) => {
    await makeRun(jsonlStore({ dir: `${dir}/runs` }), "r");
    for (
      const [words, wrong] of [
        [["r", "s"], "more than one run"],
        [["r", "--steps", "3..1"], 'the steps "3..1"'],
        [["r", "--steps", "x"], 'the steps "x"'],
        [["--steps", "0..1"], "--steps but for one run"],
        [["--prompts"], "--prompts but for one run"],
        [["--no-text"], "--no-text but for one run"],
        [["r", "--port", "80"], "--port without --follow"],
        [["r", "--follow", "--prompts"], "with --follow"],
        [["r", "--follow", "--port", "99999"], 'port "99999"'],
      ] as const
    ) {
      const { code, err } = await commandLine("view", ...words, "--store", `jsonl:${dir}/runs`);
      assertEquals([code, err.includes(wrong)], [2, true], err);
    }
  });
});

Deno.test("view shows how the prompt of a step was edited, and what the model saw instead", async () => {
  await inTempFolder(async (dir) => {
    const replies = [..."abcdefghi"].map((name) => `do ${name.repeat(20)}`);
    await makeRun(jsonlStore({ dir: `${dir}/runs` }), "r", replies, DROPPING);
    const { code, page, err } = await viewed(dir, "r", "--prompts");
    assertEquals(code, 0, err);
    assertMatch(page, /edit 0, drop_steps in steps? 0.*: prompt of \d+ now \d+ characters/);
    assertMatch(page, /<pre>\[gone: 0 to \d, \d+\]<\/pre>/);
    assertMatch(page, /<h3>user<\/h3><pre>\[gone: /);
  });
});

Deno.test("view shows what a run failed of in the end, and where a run comes from", async () => {
  await inTempFolder(async (dir) => {
    const store = jsonlStore({ dir: `${dir}/runs` });
    const dead = new TypeError("the line is dead");
    await makeRun(store, "failed", ["do look", dead, dead, new TypeError("it is cut")]);
    const { page } = await viewed(dir, "failed");
    assertMatch(
      page,
      /<p class="bad">model_call_failed: [^<]*<\/p><div class="fault"><pre>TypeError: it is cut<\/pre>/,
    );
    const origin = {
      runId: "before",
      logHead: digest("x"),
      steps: 2,
      historySteps: 2,
      root: "first",
    };
    await makeRun(store, "after", ["answer yes"], { derivedFrom: origin });
    assertMatch(
      (await viewed(dir, "after")).page,
      /before after 2 steps \(sha256:[0-9a-f]{64}\), in the conversation that first began/,
    );
  });
});

Deno.test("view shows the lines of an error's message, and folds one that is long", async () => {
  await inTempFolder(async (dir) => {
    const store = jsonlStore({ dir: `${dir}/runs` });
    const long = "x".repeat(5_000);
    await makeRun(store, "r", [new Error("one\ntwo"), new Error(long), "answer yes"], {
      modelBinding: { note: long },
    });
    const { page } = await viewed(dir, "r");
    assertMatch(page, /<p class="bad">Error<\/p><pre>one\ntwo<\/pre>/);
    assertMatch(page, /<p class="bad">Error<\/p><pre>x{2000}<\/pre><details><summary>3,000 more/);
    assertMatch(page, / · note x{115}…<\/p>/);
  });
});

Deno.test("view writes the same page to standard output", async () => {
  await inTempFolder(async (dir) => {
    await makeRun(jsonlStore({ dir: `${dir}/runs` }), "r");
    const { page } = await viewed(dir, "r");
    const words = ["view", "r", "--out", "-", "--store", `jsonl:${dir}/runs`];
    assertEquals(await commandLine(...words), { code: 0, out: page, err: "" });
  });
});

Deno.test("view leaves a page that is there alone where it can make none", async () => {
  await inTempFolder(async (dir) => {
    await makeRun(jsonlStore({ dir: `${dir}/runs` }), "r");
    const { page } = await viewed(dir, "r");
    const absent = await viewed(dir, "absent");
    assertEquals([absent.code, absent.page], [1, page]);
  });
});

Deno.test("view has a bar for each step, and in a long run one for several", () => {
  const stepAt = (stepIndex: number, style = "good"): StripStep => ({
    stepIndex,
    outcome: "acted",
    promptChars: 100 + stepIndex,
    durationMs: 1,
    style,
  });
  const barsOf = (steps: readonly StripStep[]) =>
    [...String(strip(steps)).matchAll(/<a href="#s(\d+)" title="([^"]*)"><i style="([^"]*)"/g)]
      .map(([, to, title, style]) => [to, title, style]);
  assertEquals(strip([]), undefined);
  assertEquals(barsOf([stepAt(0), stepAt(300, "bad")]), [
    ["0", "step 0: acted, 100 characters, 1 ms", "height:25%;background:var(--good)"],
    ["300", "step 300: acted, 400 characters, 1 ms", "height:100%;background:var(--bad)"],
  ]);
  const bars = barsOf(Array.from({ length: 640 }, (_, i) => stepAt(i, i === 6 ? "bad" : "good")));
  assertEquals(bars.length, 160);
  assertEquals(bars[1], [
    "6",
    "steps 4 to 7, 107 characters, 4 ms",
    "height:14%;background:linear-gradient(to top,var(--bad) 0% 25%,var(--good) 25% 100%)",
  ]);
});

Deno.test("view says which file cannot be written, and why", async () => {
  await inTempFolder(async (dir) => {
    await makeRun(jsonlStore({ dir: `${dir}/runs` }), "r");
    const paths = [
      [`${dir}/none/r.html`, "there is no such folder"],
      [dir, "it is a folder"],
    ] as const;
    for (const [path, why] of paths) {
      const { code, err } = await commandLine(
        ...["view", "r", "--out", path, "--store", `jsonl:${dir}/runs`],
      );
      assertEquals([code, err], [1, `error: Cannot write "${path}" as ${why}\n`]);
    }
  });
});
