import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { makeGuideProject } from "./guide_project.ts";
import { type Page, readPages } from "./pages.ts";

const PAGES = await readPages();
const OWN_AGENT = PAGES.find(({ path }) => path === "docs/own_agent.md")!;

/** The blocks for a shell, without those that run the project's own tasks or examples: others test these. */
function shellBlocks({ blocks }: Page): readonly string[] {
  return blocks.filter(({ language, text }) =>
    language === "sh" && !/deno task|^deno run examples\//m.test(text)
  ).map(({ text }) => text);
}

const OTHERS = PAGES.filter((page) => page !== OWN_AGENT && shellBlocks(page).length > 0);

/** The words of each command of a page, which all are of the command line; a shell's redirection is left out. */
function commandsOf(page: Page): readonly (readonly string[])[] {
  return shellBlocks(page).flatMap((block) => block.trimEnd().split("\n")).map((line) => {
    const [, words = ""] =
      /^deno run -A @polyloop\/polyloop\/cli ((?:'[^']*'|[\w:.\/-]| )+)(?: > [\w.]+)?$/
        .exec(line) ?? [];
    assert(words !== "", `${page.path} has a line that is not of the command line: ${line}`);
    return Array.from(words.matchAll(/'([^']*)'|\S+/g), ([word, quoted]) => quoted ?? word);
  });
}

Deno.test("own_agent.md can be followed word by word, and the commands of other pages work after it", async () => {
  await using project = await makeGuideProject(OWN_AGENT);
  const outputs: string[] = [];
  for (const block of shellBlocks(OWN_AGENT)) {
    const { code, out, err } = await project.shell(block);
    assertEquals(code, 0, `${block}\n${out}\n${err}`);
    outputs.push(out);
  }
  const [first = "", second, look = "", again, narrow] = outputs;
  const answer = "It imports @polyloop/polyloop.";
  for (const output of [first, second, again, narrow]) assertStringIncludes(output ?? "", answer);
  for (
    const shown of [
      "imports-1-2",
      'read_file {"name":"deno.json"} → executed',
      '"links": ["../polyloop"]',
    ]
  ) {
    assertStringIncludes(look, shown);
  }
  assertEquals(outputs.length, 5);

  assert(OTHERS.length > 2);
  const { code, err } = await project.commands(OTHERS.flatMap(commandsOf));
  assertEquals(code, 0, err);
});

/** Whether Python has what the guide imports. */
async function hasPython(): Promise<boolean> {
  try {
    const args = ["-c", "import duckdb, pandas"];
    return (await new Deno.Command("python3", { args, stderr: "null" }).output()).success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

Deno.test({
  name: "logs_as_data.md has Python that reads the export",
  ignore: !await hasPython(),
  async fn() {
    const page = PAGES.find(({ path }) => path === "docs/logs_as_data.md")!;
    const python = page.blocks.find(({ language }) => language === "python")!.text;
    await using project = await makeGuideProject(OWN_AGENT);
    for (const block of [shellBlocks(OWN_AGENT)[0]!, ...shellBlocks(page)]) {
      assertEquals((await project.shell(block)).code, 0);
    }
    const { code, err } = await project.shell(`python3 - <<'PYTHON'\n${python}PYTHON\n`);
    assert(code === 0, err);
  },
});
