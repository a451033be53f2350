import { assert, assertEquals } from "@std/assert";
import { exists } from "@std/fs";
import { jsonActionInterpreter } from "../../adapters/json_action_interpreter.ts";
import { scriptedModel } from "../../adapters/scripted_model.ts";
import { exportColumns } from "../../cli/_report/export_columns.ts";
import { defineAgent, defineRun, defineTool, run, textMessage, ToolRegistry } from "../../mod.ts";
import { RUN_EVENT_TYPES } from "../../ports/mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import { STOP_REASONS } from "../../types/mod.ts";
import { projectConfig } from "../tasks/project_config.ts";
import { codeWords, type Page, readPage, readPages, tableRows } from "./pages.ts";

const ROOT = new URL("../../", import.meta.url);
const PAGES = await readPages();
const GUIDES = PAGES.filter(({ path }) => path.startsWith("docs/"));

function page(path: string): Page {
  const found = PAGES.find((each) => each.path === path);
  assert(found !== undefined, `there is no ${path}`);
  return found;
}

Deno.test("README.md is short, and its twenty lines are twenty and print what they say", async () => {
  const { lines, prose, blocks } = page("README.md");
  assert(lines.length < 180, `it has ${lines.length} lines`);
  assert(prose.includes("## A run in twenty lines\n"));
  const program = blocks.find(({ language }) => language === "ts")?.text ?? "";
  assertEquals(program.split("\n").length - 1, 20);
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-prompt", "--no-lock", "-"],
    cwd: ROOT,
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  await new Blob([program]).stream().pipeTo(process.stdin);
  const { stdout } = await process.output();
  assertEquals(new TextDecoder().decode(stdout).trim(), /\/\/ (.*)\n$/.exec(program)?.[1]);
});

Deno.test("README.md lists every guide, and each has a block that is run", () => {
  const listed = tableRows(page("README.md"), "Guides").map(([guide]) => guide!);
  assertEquals(
    listed.map((guide) => /\((.*)\)/.exec(guide)?.[1]).sort(),
    GUIDES.map(({ path }) => path),
  );
  for (const { path, blocks } of GUIDES) {
    assert(blocks.some(({ language }) => ["ts", "sh"].includes(language)), path);
  }
});

Deno.test("every link of a page leads somewhere", async () => {
  for (const { path, links } of PAGES) {
    for (const link of links.filter((link) => !link.startsWith("https://"))) {
      const [target = "", anchor] = link.split("#");
      const url = target === "" ? new URL(path, ROOT) : new URL(target, new URL(path, ROOT));
      const text = await Deno.readTextFile(url).catch(() => undefined);
      assert(text !== undefined, `${path}: ${link} is not there`);
      if (anchor === undefined) continue;
      assert(readPage(path, text).anchors.includes(anchor), `${path}: ${link} has no such heading`);
    }
  }
});

Deno.test("every path of the repository that a page names is there", async () => {
  for (const { path, prose } of PAGES) {
    for (const word of codeWords(prose).filter((word) => PATH.test(word))) {
      const there = await exists(decodeURI(new URL(word, ROOT).pathname));
      assert(there, `${path}: ${word} is not there`);
    }
  }
});

/** What can only be a path: it begins with a folder at the top. */
const PATH = /^(?:types|ports|logic|session|stores|adapters|cli|docs|examples|tests)\/[\w./]*$/;

Deno.test("every block is of a language that the tests know, and JSON is JSON", () => {
  for (const { path, blocks } of PAGES) {
    for (const { language, text } of blocks) {
      assert(
        ["ts", "sh", "json", "sql", "python", "text"].includes(language),
        `${path}: ${language}`,
      );
      if (language === "json") JSON.parse(text);
    }
  }
});

Deno.test("every task that a page names is there, and contributing.md lists them", async () => {
  const { tasks } = await projectConfig(ROOT);
  for (const { path, blocks, prose } of PAGES) {
    const text = [prose, ...blocks.map((block) => block.text)].join("\n");
    for (const [, task] of text.matchAll(/deno task ([a-z-]+)/g)) {
      assert(Object.hasOwn(tasks, task!), `${path}: there is no task ${task}`);
    }
  }
  const listed = tableRows(page("docs/contributing.md"), "Working on it")
    .map(([task]) => /deno task ([a-z-]+)/.exec(task!)![1]!);
  assertEquals(listed.sort(), Object.keys(tasks).filter((task) => task !== "demo").sort());
});

Deno.test("how_it_works.md has every stop reason in its order, and every kind of event", () => {
  const guide = page("docs/how_it_works.md");
  const rows = tableRows(guide, "Why a run stops");
  assertEquals(rows.flatMap(([reason]) => codeWords(reason!)), [...STOP_REASONS]);
  const order = guide.blocks.find(({ text }) => text.startsWith("run_started"))?.text ?? "";
  assertEquals(new Set(order.match(/\b[a-z]+(?:_[a-z]+)+\b/g)), new Set<string>(RUN_EVENT_TYPES));
});

Deno.test("logs_as_data.md shows an entry with the fields that entries have", async () => {
  const store = memoryStore();
  const agent = defineAgent({
    model: scriptedModel([
      '{"tool": "note", "arguments": {"text": "rain"}}',
      '{"final_answer": "noted"}',
    ]),
    interpreter: jsonActionInterpreter(),
    store,
  });
  const note = defineTool({
    name: "note",
    description: "Notes a text",
    parameters: { type: "object" },
    execute: () => "noted",
  });
  const request = defineRun({
    runId: "diary-1",
    budget: { maxSteps: 3, maxModelCalls: 3, maxPromptChars: 9_000, maxConsecutiveFailures: 1 },
    executor: ToolRegistry.of([note]).executor(),
    context: { runLevel: [], goalLevel: [textMessage("user", "Note the weather.")] },
  });
  await run(agent, request);
  const lines = await store.readRun("diary-1") ?? [];
  const shown = page("docs/logs_as_data.md").blocks.find(({ language }) => language === "json");
  const entry = JSON.parse(shown?.text ?? "");
  assertEquals(fieldsOf(entry), fieldsOf(JSON.parse(lines[entry.seq] ?? "")));
});

/** The paths of all fields of a value, but for what an action holds. */
function fieldsOf(value: unknown, path = "$"): readonly string[] {
  if (typeof value !== "object" || value === null || path.endsWith(".action")) return [path];
  return Object.entries(value).flatMap(([key, member]) => fieldsOf(member, `${path}.${key}`));
}

Deno.test("logs_as_data.md has every column of the export", () => {
  const rows = tableRows(page("docs/logs_as_data.md"), "Analyse many");
  assertEquals(
    rows.flatMap(([, columns]) => codeWords(columns!)).sort(),
    exportColumns().map(({ name }) => name).sort(),
  );
});

Deno.test("command_line.md has every command, as --help lists them", async () => {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-lock", "cli/mod.ts", "--help"],
    cwd: ROOT,
  }).output();
  const commands = [...new TextDecoder().decode(stdout).matchAll(/^ {2}([a-z]+) {2,}/gm)]
    .map(([, name]) => name!);
  assert(commands.length > 0);
  const rows = tableRows(page("docs/command_line.md"), "Command line")
    .flatMap(([command]) => /^`([a-z]+)(?: [<[].*)?`$/.exec(command!)?.[1] ?? []);
  assertEquals(rows, commands);
});

Deno.test("entry_points.md names every entry point once", async () => {
  const { exports } = await projectConfig(ROOT);
  const rows = tableRows(page("docs/entry_points.md"), "Entry points and permissions");
  const patterns = rows.flatMap(([entries]) => {
    const [first = "", ...others] = codeWords(entries!);
    const folder = first.slice(0, first.lastIndexOf("/") + 1);
    return [first, ...others.map((other) => other.startsWith(".") ? other : `${folder}${other}`)];
  }).map((entry) => new RegExp(`^${RegExp.escape(entry).replace("…", "[a-z-]+")}$`));
  for (const entry of Object.keys(exports)) {
    assertEquals(patterns.filter((pattern) => pattern.test(entry)).length, 1, entry);
  }
});

Deno.test("examples/README.md lists every example", async () => {
  const names: string[] = [];
  for (const folder of ["", "long/"]) {
    for await (const { name } of Deno.readDir(new URL(`examples/${folder}`, ROOT))) {
      if (name.endsWith(".ts")) names.push(`${folder}${name}`);
    }
  }
  const rows = tableRows(page("examples/README.md"), "Examples");
  assertEquals(rows.flatMap(([example]) => codeWords(example!)).sort(), names.sort());
  for (const [example, shows] of rows) assert(shows !== "", `${example} shows nothing`);
});
