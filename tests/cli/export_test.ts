import { assert, assertEquals } from "@std/assert";
import { csvLine, exportColumns, exportRow } from "../../cli/_report/export_columns.ts";
import type { JsonValue } from "../../mod.ts";
import { readLog } from "../../session/mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import { jsonlStore } from "../../stores/jsonl.ts";
import { makeRun } from "./made_runs.ts";
import { commandLine } from "./command_line.ts";

const COLUMNS = exportColumns();

async function rows(): Promise<readonly Record<string, JsonValue>[]> {
  const store = memoryStore();
  await makeRun(store, "r");
  const log = readLog((await store.readRun("r"))!);
  return log.steps.map((step) => exportRow(step, log, COLUMNS)).map((row) =>
    Object.fromEntries(COLUMNS.map(({ name }, at) => [name, row[at]!]))
  );
}

Deno.test("export has a row for each step, and null where nothing happened or was reported", async () => {
  const [acted, invalid, failed, acted2, answer] = await rows();
  const run = [acted?.run_id, acted?.stop_reason, acted?.binding, acted?.fingerprints];
  assertEquals(run, ["r", "final_answer", { cell: "a,b" }, {}]);
  assertEquals({
    outcome: acted?.outcome,
    input_tokens: acted?.input_tokens,
    output_tokens: acted?.output_tokens,
  }, { outcome: "acted", input_tokens: 12, output_tokens: 0 });
  assertEquals({
    cached_input_tokens: acted?.cached_input_tokens,
    served_model: acted?.served_model,
  }, { cached_input_tokens: null, served_model: "m-1" });
  assertEquals({
    action_count: acted?.action_count,
    executed_count: acted?.executed_count,
    failed_count: acted?.failed_count,
  }, { action_count: 1, executed_count: 1, failed_count: 0 });
  assertEquals({
    observation: acted?.observation,
    answer: acted?.answer,
    decision: acted?.decision,
  }, { observation: null, answer: null, decision: "action" });
  assertEquals({ observation: invalid?.observation, reply_chars: invalid?.reply_chars }, {
    observation: 'no "hm, 🌊"',
    reply_chars: 5,
  });
  assertEquals({
    reply_text: failed?.reply_text,
    reply_chars: failed?.reply_chars,
    decision: failed?.decision,
  }, { reply_text: null, reply_chars: null, decision: null });
  assertEquals([failed?.error_name, failed?.error_message], ["TypeError", "the line is dead"]);
  assertEquals(acted2?.failed_count, 1);
  assertEquals([answer?.outcome, answer?.answer], ["final_answer", '"\\"yes\\", it said"']);
  assertEquals(answer?.actions, []);
  const [action] = acted?.actions as Record<string, unknown>[];
  assertEquals({
    action: action?.action,
    tool_name: action?.tool_name,
    denied_by: action?.denied_by,
  }, { action: '{"do":"look"}', tool_name: "do", denied_by: null });
});

Deno.test("export leaves out no column, and reads a scalar off every one", async () => {
  for (const row of await rows()) {
    assertEquals(Object.keys(row), COLUMNS.map(({ name }) => name));
    for (const value of Object.values(row)) assert(value !== undefined);
  }
  assertEquals(new Set(COLUMNS.map(({ name }) => name)).size, COLUMNS.length);
});

Deno.test("export documents each column, in order, in its doc comment", async () => {
  const source = await Deno.readTextFile(new URL("../../cli/_commands/export.ts", import.meta.url));
  const comment = /\/\*\*[^]*?\*\//.exec(source)![0];
  const list = [
    ...comment.matchAll(/- of the (?:run|step|reply|actions): ([^]*?)(?=\* -|\*\s*\n)/g),
  ];
  const named = list.flatMap(([, names]) =>
    [...names!.matchAll(/`(\w+)`/g)].map((name) => name[1])
  );
  assertEquals(named, COLUMNS.map(({ name }) => name));
  for (const { name, help } of COLUMNS) {
    assert(/^(string|number|object|array)/.test(help), `${name} has no type`);
    assert(help.includes("null"), `${name} does not say when it is null`);
  }
});

/** A reader of CSV, as RFC 4180 has it. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  const field = /(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n|$)/y;
  while (field.lastIndex < text.length) {
    const [, quoted, plain, end] = field.exec(text)!;
    rows.at(-1)!.push(quoted?.replaceAll('""', '"') ?? plain!);
    if (end === "\n") rows.push([]);
  }
  return rows.slice(0, -1);
}

Deno.test("csvLine() carries any text, tells an empty one from null, and writes objects as JSON", () => {
  const texts = ["a", 'say "hi"', "a,b", "two\nlines", "cr\r", " ", "漢🌊", "\x1b", "null"];
  assertEquals(parseCsv(`${csvLine(texts, true)}\n`), [texts]);
  assertEquals(csvLine([null, "", 0, -1.5, true], false), ',"",0,-1.5,true');
  assertEquals(csvLine([{ b: 1, a: ["x"] }, []], false), '"{""a"":[""x""],""b"":1}",[]');
});

Deno.test("csvLine() marks a text that a spreadsheet takes for a formula, unless it must be raw", () => {
  const formulas = [
    ...["=1+1", "+1", "-2", "@SUM(A1)", "\tx", "\rx", "\nx", "=", " =1", "\0=1", "\u200b+1"],
    ...["\ufeff-1", "\u00a0@x", '\r\n="a"', "＝1", "＋1", "－1", "＠x", "=a,b", '="x"', "\u2028=1"],
  ];
  for (const text of formulas) {
    const marked = parseCsv(`${csvLine(["x", text], false)}\n`);
    assertEquals(marked, [["x", `'${text}`]], JSON.stringify(text));
    assertEquals(parseCsv(`${csvLine([text], true)}\n`), [[text]]);
  }
  for (const value of ["a=1", "'=1", "", " ", "1-1", "漢", -1, 0, ["=1"], { "=1": "=2" }, true]) {
    assertEquals(csvLine([value], false), csvLine([value], true));
  }
});

Deno.test("csvLine() puts into quotes what any spreadsheet takes for the end of a cell", () => {
  for (const text of ["a;=1+1", "a\t=1+1", "a,=1+1", "a\n=1+1", 'a";=1+1', "a\u2028=1"]) {
    assertEquals(csvLine([text], false), `"${text.replaceAll('"', '""')}"`);
  }
});

Deno.test("export gives the same cells as CSV and as objects", async () => {
  const made = await rows();
  const csv = made.map((row) => `${csvLine(COLUMNS.map(({ name }) => row[name]!), true)}\n`).join(
    "",
  );
  const read = parseCsv(csv);
  assertEquals(read.length, made.length);
  for (const [at, row] of made.entries()) {
    for (const [column, { name }] of COLUMNS.entries()) {
      const value = row[name]!;
      const text = read[at]![column]!;
      if (typeof value === "object" && value !== null) assertEquals(JSON.parse(text), value);
      else assertEquals(text, value === null ? "" : String(value));
    }
  }
});

Deno.test("export gives a trace a line for each run, and what it is asked for alone", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const store = jsonlStore({ dir });
    for (const runId of ["a", "b"]) await makeRun(store, runId);
    const exported = (...more: readonly string[]) =>
      commandLine("export", "--store", `jsonl:${dir}`, ...more);
    const { code, out, err } = await exported(
      "--format",
      "otlp",
      "--provider",
      "ollama",
      "--model",
      "m",
    );
    assertEquals([code, err], [0, ""]);
    const traces = out.trimEnd().split("\n").map((line) => JSON.parse(line));
    const names = traces.map(({ resourceSpans: [{ scopeSpans: [{ spans }] }] }) =>
      spans.map(({ name }: { readonly name: string }) => name.split(" ")[0])
    );
    const run = [
      "invoke_agent",
      "chat",
      "execute_tool",
      "chat",
      "chat",
      "chat",
      "execute_tool",
      "chat",
    ];
    assertEquals(names, [run, run]);
    assert(!out.includes("look"));
    const told = await exported("a", "--format", "otlp", "--provider", "p", "--content");
    assert(told.out.includes("look"));
    for (
      const [words, wrong] of [
        [["--format", "otlp"], "--provider NAME is missing"],
        [["--provider", "ollama"], "--provider: it is for otlp"],
        [["--format", "csv", "--content"], "--content: it is for otlp"],
        [["--format", "otlp", "--provider", "p", "--raw"], "--raw is for csv"],
      ] as const
    ) {
      const refused = await exported(...words);
      assertEquals([refused.code, refused.err.includes(wrong)], [2, true], refused.err);
    }
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
