import { assert, assertEquals, assertMatch } from "@std/assert";
import { freeRunId } from "../../cli/_driving/free_run_id.ts";
import { memoryStore } from "../../stores/memory.ts";
import { inTempFolder, namesIn } from "../stores/drivers/temp_folder.ts";
import { commandLine, PROGRAM } from "./command_line.ts";
import { makeRun } from "./made_runs.ts";

const ROOT = new URL("../../", import.meta.url).href;

/** A module of a run whose parts can be changed. */
function moduleText({ script = `["answer"]`, agent = "", options = "{}", request = "" }): string {
  return `
import { defineAgent, defineRun, ModelCallError, StoreFailedError, textMessage } from "${ROOT}mod.ts";
import { scriptedModel } from "${ROOT}adapters/scripted_model.ts";
import { jsonlStore } from "${ROOT}stores/jsonl.ts";
const interpreter = {
  interpret: ({ text }) => ({
    decision: text.startsWith("do ")
      ? { kind: "action", actions: [{ action: text.slice(3) }] }
      : text === "?" ? { kind: "invalid", explanation: "what is\\n\\"?\\"" } : { kind: "final_answer", answer: text },
    historyText: text,
  }),
  parameters: () => ({}),
};
const executor = { execute: () => Promise.reject(new Error("broken\\n" + "x".repeat(900))), parameters: () => ({}) };
const calls = ${script};
export const agent = defineAgent({
  model: scriptedModel(({ callId }) => calls[Number(callId.split("/s")[1])]),
  interpreter,
  store: jsonlStore({ dir: import.meta.dirname + "/.polyloop" }),
  ${agent}
});
export const request = defineRun({
  runId: "r",
  budget: { maxSteps: 3, maxModelCalls: 6, maxPromptChars: 9999, maxConsecutiveFailures: 1 },
  executor,
  context: { runLevel: [], goalLevel: [textMessage("user", "Go on.")] },
  ${request}
});
export const options = ${options};
`;
}

async function withModule(
  parts: Parameters<typeof moduleText>[0],
  body: (module: string, dir: string) => Promise<void>,
): Promise<void> {
  await inTempFolder(async (dir) => {
    const module = `${dir}/agent.ts`;
    await Deno.writeTextFile(module, moduleText(parts));
    await body(module, dir);
  });
}

Deno.test("freeRunId() gives the first of an id's numbers that a store has no run of", async () => {
  const store = memoryStore();
  assertEquals(await freeRunId(store, "r"), "r");
  await makeRun(store, "r");
  assertEquals(await freeRunId(store, "r"), "r-2");
  await makeRun(store, "r-2");
  await makeRun(store, "r-4");
  assertEquals(await freeRunId(store, "r"), "r-3");
});

Deno.test("run --new makes another run where there is one, also beside --run-id", async () => {
  await withModule({}, async (module) => {
    for (const expected of ["r", "r-2", "r-3"]) {
      const { code, out, err } = await commandLine("run", module, "--new");
      assertEquals([code, out], [0, "answer\n"]);
      assertMatch(err, new RegExp(`^${expected}: final_answer, head`, "m"));
    }
    const { err } = await commandLine("run", module, "--new", "--run-id", "r-2");
    assertMatch(err, /^r-2-2: final_answer, head/m);
  });
});

Deno.test("run tells the last error whole, last", async () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    [`["do it"]`, /\nr: environment_failed, head \S+\nfailed: Error: broken\nx{900}\n$/],
    [`["?"]`, /\nr: invalid_decisions, head \S+\nfailed: what is\n"\?"\n$/],
  ];
  for (const [script, expected] of cases) {
    await withModule({ script }, async (module) => {
      const { code, out, err } = await commandLine("run", module);
      assertEquals([code, out], [1, ""]);
      assertMatch(err, expected);
    });
  }
});

Deno.test("run suspends where a model call fails, says what to mend and which command goes on", async () => {
  const script =
    `[new ModelCallError("no\\nkey " + "x".repeat(900), { kind: "auth", retriable: false })]`;
  await withModule({ script }, async (module, dir) => {
    for (const verb of ["run", "resume"]) {
      const { code, out, err } = await commandLine(verb, module, "--run-id", "a.b");
      assertEquals([code, out], [1, ""]);
      assertMatch(
        err,
        /\nsuspended as its model call failed: give the right key, .*, and go on with: resume \S+agent\.ts --run-id a\.b\nfailed: ModelCallError: no\nkey x{900}\n$/,
      );
    }
    await Deno.writeTextFile(`${dir}/up.ts`, moduleText({}));
    const up = await commandLine("resume", `${dir}/up.ts`, "--run-id", "a.b");
    assertEquals([up.code, up.out], [0, "answer\n"]);
  });
  await withModule({ script, options: `{ onModelFailure: "record" }` }, async (module) => {
    assertMatch((await commandLine("run", module)).err, /^r: model_call_failed, head/m);
  });
});

Deno.test("run says that a run can go on which a callback left", async () => {
  const options = `{
    approveAction: { id: "me", decide: () => { throw new Error("ask me tomorrow"); } },
  }`;
  await withModule({ script: `["do it"]`, options }, async (module) => {
    const { code, err } = await commandLine("run", module);
    assertEquals(code, 1);
    assertMatch(err, /\nthe run can go on: resume \S+agent\.ts\nerror: ask me tomorrow\n$/);
  });
});

Deno.test("run says that a run can go on whose store failed, if that can be read", async () => {
  const failing = (method: string) =>
    `store: {
      ...jsonlStore({ dir: import.meta.dirname + "/.polyloop" }),
      ${method}() {
        throw new StoreFailedError({ action: "write", runId: "r", durability: "none" }, "the disk is full");
      },
    },`;
  await withModule({ agent: failing("finishRun") }, async (module) => {
    const { code, out, err } = await commandLine("run", module);
    assertEquals([code, out], [1, ""]);
    assertMatch(
      err,
      /\nthe run can go on: resume \S+agent\.ts\nerror: Cannot .* the disk is full\n$/,
    );
  });
  for (const method of ["startRun", "readRun"]) {
    await withModule({ agent: failing(method) }, async (module) => {
      assertEquals((await commandLine("resume", module)).err.includes("can go on"), false);
      assertEquals((await commandLine("run", module)).err.includes("can go on"), false);
    });
  }
});

Deno.test("run reports a sink that failed, and exits as if it had not", async () => {
  const agent =
    `events: { emit({ type }) { if (type !== "run_started") throw new Error("full disk"); }, parameters: () => ({}) },`;
  const options =
    `{ onEventError: (_, { type }) => Deno.writeTextFileSync(import.meta.dirname + "/missed " + type, "") }`;
  await withModule({ agent, options }, async (module, dir) => {
    const { code, out, err } = await commandLine("run", module);
    assertEquals([code, out], [0, "answer\n"]);
    assertMatch(err, /^note: the events' sink did not get \d+ events: full disk$/m);
    assert(namesIn(dir).includes("missed step_recorded"));
  });
});

Deno.test("run says that a module may not be read", async () => {
  await withModule({}, async (module) => {
    const [program = "", ...words] = PROGRAM;
    const args = [
      ...words.map((word) => word === "-A" ? "--no-prompt" : word),
      "run",
      module,
    ];
    const { stderr } = await new Deno.Command(program, { args, stdin: "null" }).output();
    assertMatch(
      new TextDecoder().decode(stderr),
      /^error: Cannot load ".*agent\.ts" as this process may not read it: start it with --allow-read/m,
    );
  });
});
