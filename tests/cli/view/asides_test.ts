import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { newMessagesOf } from "../../../cli/_view/new_messages.ts";
import { resume, run } from "../../../mod.ts";
import { readLog, rebuildPrompt } from "../../../session/mod.ts";
import { jsonlStore } from "../../../stores/jsonl.ts";
import { memoryStore } from "../../../stores/memory.ts";
import { runOf } from "../../session/batches/batch_world.ts";
import { inTempFolder } from "../../stores/drivers/temp_folder.ts";
import { agentOf, makeRun, requestOf } from "../made_runs.ts";
import { viewed } from "./viewed.ts";

const REPLIES = [..."abcdefghi"].map((name) => `do ${name.repeat(30)}`);

/** Sums up steps; a model that says too much is not heard. */
function summing(maxSummaryChars: number): object {
  const notice = "[{from} to {to}: {summary}]";
  return {
    contextPolicy: {
      triggerChars: 200,
      targetChars: 120,
      keepLastSteps: 1,
      stages: [{ kind: "summarise", instruction: "Sum up.", notice, maxSummaryChars }, {
        kind: "drop_steps",
        notice: "[gone: {from} to {to}, {chars}]",
      }],
    },
  };
}

Deno.test("view shows the calls that sum steps up, and why there is no summary", async () => {
  await inTempFolder(async (dir) => {
    const store = jsonlStore({ dir: `${dir}/runs` });
    await makeRun(store, "r", REPLIES, summing(40));
    const { page } = await viewed(dir, "r");
    assertMatch(page, /steps summed up by a call of its own: r\/s\d_c\d · /);
    assertMatch(page, /<pre>\[0 to \d: answer no\]<\/pre>/);
    await makeRun(store, "long", REPLIES, summing(5));
    assertMatch((await viewed(dir, "long")).page, /steps not summed up, too_long/);
  });
});

Deno.test("view shows calls that were given up, with what they failed of unless texts are left out", async () => {
  await inTempFolder(async (dir) => {
    const store = jsonlStore({ dir: `${dir}/runs` });
    const failing = ["do look", new TypeError("the s3cret line is dead")];
    const options = { onModelFailure: "suspend" } as const;
    await run(agentOf(store, failing), requestOf("r"), options).catch(() => {});
    const { page } = await viewed(dir, "r");
    assertMatch(
      page,
      /<h2>Step 1, open<\/h2>\n<div class="step inside"><p class="note odd">call 1 /,
    );
    await resume(agentOf(store, ["", "answer yes"]), requestOf("r"), options);
    const after = await viewed(dir, "r");
    assertStringIncludes(
      after.page,
      "call 1 failed, and the run was suspended: TypeError: the s3cret line is dead",
    );
    assert(!/s3cret/.test((await viewed(dir, "r", "--no-text")).page));
  });
});

Deno.test("view leaves out what a summary failed of where texts are left out", async () => {
  await inTempFolder(async (dir) => {
    const store = jsonlStore({ dir: `${dir}/runs` });
    const { model, ...agent } = agentOf(store, REPLIES);
    const call: typeof model.call = (asked) =>
      asked.callId.includes("_c") ? Promise.reject(new Error("s3cret")) : model.call(asked);
    await run({ ...agent, model: { ...model, call } }, requestOf("r", summing(40)));
    assertStringIncludes(
      (await viewed(dir, "r")).page,
      "steps not summed up, call_failed: Error: s3cret",
    );
    assert(!/s3cret/.test((await viewed(dir, "r", "--no-text")).page));
  });
});

Deno.test("view tells actions that were executed at the same time", async () => {
  await inTempFolder(async (dir) => {
    const store = jsonlStore({ dir: `${dir}/runs` });
    await runOf("do a; do b", {}, {}, store);
    const { page } = await viewed(dir, "r");
    assertEquals(page.match(/ms · at the same time as others/g)?.length, 2);
  });
});

Deno.test("newMessagesOf() gives what the prompt of a step has that the one before did not begin with", async () => {
  for (const spec of [{}, summing(40), summing(5)]) {
    const store = memoryStore();
    await makeRun(store, "r", REPLIES, spec);
    const log = readLog((await store.readRun("r"))!);
    const promptAt = (step: number) =>
      step < 0 ? [] : rebuildPrompt(
        log,
        log.calls.findLastIndex((call) => call.stepIndex === step && call.purpose === undefined),
      );
    for (const from of [0, 3, 7]) {
      const newMessages = newMessagesOf(log);
      for (const step of log.steps.slice(from)) {
        const [before, prompt] = [promptAt(step.stepIndex - 1), promptAt(step.stepIndex)];
        const same = prompt.findIndex((message, i) =>
          JSON.stringify(message) !== JSON.stringify(before[i])
        );
        assertEquals(newMessages(step), prompt.slice(same), `step ${step.stepIndex}`);
      }
    }
  }
});
