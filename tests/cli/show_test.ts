import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fallbackModel } from "../../adapters/fallback_model.ts";
import { retryingModel } from "../../adapters/retrying_model.ts";
import { scriptedModel } from "../../adapters/scripted_model.ts";
import { exportColumns, exportRow } from "../../cli/_report/export_columns.ts";
import { openPlace } from "../../cli/_report/standing.ts";
import { terminalPage } from "../../cli/_report/terminal_page.ts";
import { nativeToolsInterpreter } from "../../adapters/native_tools_interpreter.ts";
import { jsonlStore } from "../../stores/jsonl.ts";
import { memoryStore } from "../../stores/memory.ts";
import {
  type AgentDefinition,
  defineTool,
  ModelCallError,
  resume,
  run,
  type RunSpec,
  ToolRegistry,
} from "../../mod.ts";
import { readLog, type RunLog } from "../../session/mod.ts";
import { agentOf, leaveOpen, makeRun, requestOf, SUMMING } from "./made_runs.ts";
import { commandLine } from "./command_line.ts";
import { runOf } from "../session/batches/batch_world.ts";
import { inTempFolder } from "../stores/drivers/temp_folder.ts";

const PLAIN = { hasColor: false, columns: 160 };
const busy = () => new ModelCallError("slow\ndown", { kind: "rate_limit", retriable: true });

async function logOf(agent: AgentDefinition): Promise<RunLog> {
  return readLog((await agent.store.readRun("r"))!);
}

Deno.test("show tells of each attempt at a model call, who served it, and which were given up", async () => {
  const patient = { maxAttempts: 3, random: () => 1, sleep: () => Promise.resolve() };
  let calls = 0;
  const down = scriptedModel(() => calls++ === 0 ? busy() : new Error("gone"));
  const model = retryingModel(
    fallbackModel([down, scriptedModel(() => calls < 2 ? busy() : "answer yes")]),
    patient,
  );
  const agent = { ...agentOf(memoryStore(), []), model };
  await run(agent, requestOf("r"));
  const page = terminalPage(await logOf(agent), PLAIN);
  assertMatch(
    page,
    /^ +0 +final_answer .* yes\n {6}asked again after 500 ms: ModelCallError: slow down\n/m,
  );
  assertStringIncludes(page, "\n      served by model 1");
});

Deno.test("show tells of the calls that a run was suspended in, also where it stands there now", async () => {
  const store = memoryStore();
  const said = [new TypeError("the line is dead"), "answer yes"];
  const agent = { ...agentOf(store, []), model: scriptedModel(() => said[0]!) };
  const options = { onModelFailure: "suspend" } as const;
  await run(agent, requestOf("r"), options).catch(() => {});
  assertMatch(
    terminalPage(await logOf(agent), PLAIN),
    /\n {6}call 1 failed, and the run was suspended: TypeError: the line is dead\n/,
  );
  said.shift();
  await resume(agent, requestOf("r"), options);
  const log = await logOf(agent);
  assertMatch(
    terminalPage(log, PLAIN),
    /^ +0 +final_answer .*\n {6}call 1 failed, and the run was suspended: TypeError: the line is dead\n/m,
  );
  const columns = exportColumns();
  const row = exportRow(log.steps[0]!, log, columns);
  assertEquals(row[columns.findIndex(({ name }) => name === "withdrawn_calls")], [{
    attempt: 1,
    reason: "failed",
    error_name: "TypeError",
    error_message: "the line is dead",
  }]);
});

Deno.test("show tells of the attempts at a call that a run was suspended in", async () => {
  const patient = { maxAttempts: 3, random: () => 1, sleep: () => Promise.resolve() };
  const said = [busy(), busy(), busy(), "answer yes"];
  let calls = 0;
  const model = retryingModel(scriptedModel(() => said[calls++]!), patient);
  const agent = { ...agentOf(memoryStore(), []), model };
  const options = { onModelFailure: "suspend" } as const;
  const expected = [
    "asked again after 500 ms: ModelCallError: slow down",
    "asked again after 1.0 s: ModelCallError: slow down",
    "call 1 failed, and the run was suspended: ModelCallError: slow down",
  ].map((line) => `      ${line}\n`).join("");
  await run(agent, requestOf("r"), options).catch(() => {});
  assertStringIncludes(terminalPage(await logOf(agent), PLAIN), expected);
  await resume(agent, requestOf("r"), options);
  assertStringIncludes(terminalPage(await logOf(agent), PLAIN), expected);
});

Deno.test("show gives the beginning of an action's arguments", async () => {
  const store = memoryStore();
  await makeRun(store, "r", [`do ${"🌊".repeat(200)}`, "answer yes"]);
  const page = terminalPage(readLog((await store.readRun("r"))!), PLAIN);
  assertStringIncludes(page, `      s0_a0 do {"do":"${"🌊".repeat(113)}… → executed: did 🌊`);
});

Deno.test("show says which action a run waits for, and who is asked before; so does the place in a list", async () => {
  const decide = () => Promise.reject(new Error("ask me tomorrow"));
  const store = memoryStore();
  const options = { approveAction: { id: "the\x1b[2J boss", decide } };
  await makeRun(store, "r", ["do look", "answer yes"], {}, options).catch(() => {});
  const log = readLog((await store.readRun("r"))!);
  const place =
    '0 steps recorded; step 0 is open and waits for its next action, once "the\\u{1b}[2J boss" has approved it';
  assertEquals(openPlace(log), place);
  assertStringIncludes(terminalPage(log, PLAIN), `not finished: ${place}: do {"do":"look"}\n`);
});

async function withRuns(
  spec: Partial<RunSpec>,
  body: (cli: (...args: string[]) => ReturnType<typeof commandLine>, dir: string) => Promise<void>,
): Promise<void> {
  const dir = await Deno.makeTempDir();
  try {
    await leaveOpen(jsonlStore({ dir }), "r", spec);
    await body((...args) => commandLine(...args, "--store", `jsonl:${dir}`), dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("show --parameters gives the settings of a run, a line each", async () => {
  await withRuns({ modelBinding: { cell: "a\x1bb" } }, async (cli) => {
    const { code, out } = await cli("show", "r", "--parameters");
    assertEquals(code, 0);
    assertMatch(out, /^request\.budget\.max_steps +8$/m);
    assertMatch(out, /^request\.binding\.cell +a\\u\{1b\}b$/m);
    assertMatch((await cli("show", "r", "--parameters", "--json")).err, /Cannot show --json and/);
  });
});

Deno.test("prompt prints the tools that went along", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const tools = ToolRegistry.of([defineTool({
      name: "read_file",
      description: "Reads\na file",
      parameters: { type: "object", properties: { name: { type: "string" } } },
      execute: () => "text",
    })]);
    const agent = {
      ...agentOf(jsonlStore({ dir }), []),
      model: scriptedModel([{ text: "done" }]),
      interpreter: nativeToolsInterpreter(),
    };
    await run(agent, requestOf("r", { tools, executor: tools.executor() }));
    const { out } = await commandLine("prompt", "r", "0", "--store", `jsonl:${dir}`);
    assertMatch(
      out,
      /\n── tool read_file\n {2}Reads\n {2}a file\n {2}\{"type":"object","properties":.*\}\n$/,
    );
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("show tells of summaries and of actions that were executed at once", async () => {
  await inTempFolder(async (dir) => {
    const store = jsonlStore({ dir });
    const replies = [..."abcdefghi"].map((name) => `do ${name.repeat(30)}`);
    await makeRun(store, "long", replies, SUMMING);
    const long = await commandLine("show", "long", "--store", `jsonl:${dir}`);
    assertMatch(long.out, /\n {6}summary s\d_c0: answer no\n {6}edit 0, summarise/);
    await runOf("do a; do b", {}, {}, store);
    const { out } = await commandLine("show", "r", "--store", `jsonl:${dir}`);
    assertMatch(out, /s0_a0 \(at once\) .*\n {6}s0_a1 \(at once\) /);
  });
});

Deno.test("show and list say that a prompt is being shortened where a log ends there", async () => {
  await inTempFolder(async (dir) => {
    const store = jsonlStore({ dir });
    const replies = [..."abcdefghi"].map((name) => `do ${name.repeat(30)}`);
    const { model, ...agent } = agentOf(store, replies);
    const call: typeof model.call = (asked) =>
      asked.callId.includes("_c") ? Promise.reject(new Error("down")) : model.call(asked);
    await run({ ...agent, model: { ...model, call } }, requestOf("r", SUMMING), {
      onModelFailure: "suspend",
    }).catch(() => {});
    const { out } = await commandLine("show", "r", "--store", `jsonl:${dir}`);
    assertMatch(
      out,
      /the prompt of step \d is being shortened, and the call for its summary is made again/,
    );
    assertMatch(
      (await commandLine("list", "--store", `jsonl:${dir}`)).out,
      /the prompt of step \d is being shortened/,
    );
  });
});
