import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { readLog } from "../../../session/mod.ts";
import { jsonlStore } from "../../../stores/jsonl.ts";
import { inTempFolder } from "../../stores/drivers/temp_folder.ts";
import { commandLine, PROGRAM } from "../command_line.ts";
import { conclusion, factsOf, modulesOf, noteOf } from "./folder_facts.ts";

const AGENT = new URL("folder_agent.ts", import.meta.url).href;
/** A real folder, many times larger than the agent's window. */
const FOLDER = decodeURI(new URL("../../../logic", import.meta.url).pathname);

/** The answer as it is right, from the files themselves. */
async function rightAnswer(): Promise<string> {
  const notes = (await modulesOf(FOLDER)).map(async (path) =>
    noteOf(path, await Deno.readTextFile(`${FOLDER}/${path}`))
  );
  return conclusion(factsOf((await Promise.all(notes)).join("\n")));
}

/** The path of a module of the agent, whose store is a folder beside it. */
async function moduleOf(dir: string, edited: boolean): Promise<string> {
  const path = `${dir}/${edited ? "edited" : "plain"}.ts`;
  const made = JSON.stringify({ folder: FOLDER, store: path.slice(0, -".ts".length), edited });
  await Deno.writeTextFile(
    path,
    `import { folderAgent } from "${AGENT}";\nexport const setup = () => folderAgent(${made});\n`,
  );
  return path;
}

/** Drives an agent until it says that it hangs where it was told to, and kills its process there. */
async function killedAt(verb: "run" | "resume", module: string, at: string): Promise<void> {
  const [program, ...words] = [...PROGRAM, verb, module];
  const child = new Deno.Command(program!, {
    args: words,
    env: { HANG: at },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let said = "";
  for await (const part of child.stderr.pipeThrough(new TextDecoderStream())) {
    said += part;
    if (said.includes("hanging\n")) child.kill("SIGKILL");
  }
  assertEquals((await child.status).signal, "SIGKILL", said);
}

Deno.test("an agent whose task overflows its window answers it under a policy, killed in an action and in a summary, and show and prompt say what it no longer saw", async () => {
  await inTempFolder(async (dir) => {
    const plain = await commandLine("run", await moduleOf(dir, false));
    assertEquals([plain.code, plain.out], [1, ""]);
    assertStringIncludes(plain.err, "context_overflow");

    const edited = await moduleOf(dir, true);
    await killedAt("run", edited, "/s20_a0");
    const logNow = async () =>
      readLog((await jsonlStore({ dir: `${dir}/edited` }).readRun("modules"))!);
    assert((await logNow()).edits.length > 0, "it was killed before its first edit");
    await killedAt("resume", edited, "_c0");
    assertEquals((await logNow()).openSummary?.awaits, "reply");
    const resumed = await commandLine("resume", edited);
    assertEquals([resumed.code, resumed.out.trim()], [0, await rightAnswer()]);

    const log = await logNow();
    const stages = new Set(log.edits.map(({ stage, type }) => `${type} ${stage}`));
    assertEquals(stages, new Set(["context_edit elide_observations", "context_edit summarise"]));
    const where = ["--store", `jsonl:${dir}/edited`];
    const verified = await commandLine("verify", "modules", ...where);
    assertEquals(verified.code, 0, verified.err);
    const shown = await commandLine("show", "modules", ...where);
    for (const edit of log.edits) {
      const [from, to] = edit.type === "context_edit" ? edit.steps : [];
      assertMatch(
        shown.out,
        new RegExp(`edit \\d+, ${edit.stage} .*in steps ${from} to ${to}: prompt`),
      );
    }
    assertMatch(
      shown.out,
      /elide_observations of \d+ results in steps 1 to \d+: prompt of \d+ now \d+ /,
    );
    const promptOf = async (call: number) =>
      (await commandLine("prompt", "modules", `${call}`, ...where)).out;
    const first = log.calls.findIndex(({ stepIndex }) => stepIndex === log.edits[0]?.stepIndex);
    const elided =
      / elide_observations: a notice for \d+ characters of step 1\n.*\d+ characters of step 1\)/;
    assertMatch(await promptOf(first), elided);
    const last = await promptOf(log.calls.length - 1);
    assertMatch(
      last,
      /── user, .*, summarise: a notice for \d+ characters of steps 1 to \d+\n.*Notes of/,
    );
    assertStringIncludes(last, "[result of tool call s0_a0] modules: ");
    assertMatch(last, /^call .* characters \(\d+ of them the tools\), as recorded\n/);
    assertStringIncludes(last, "\n── tool read_module\n");
    assertMatch(shown.out, /^spent .* of 40000 prompt characters \(\d+ of them the tools\)/m);
  });
});
