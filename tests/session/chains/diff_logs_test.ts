import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  type ContextPolicy,
  InvalidRequestError,
  type ModelReply,
  type RunOptions,
  textMessage,
} from "../../../mod.ts";
import { contextAt, diffLogs, type RunLog } from "../../../session/mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import { drawing } from "../../types/json_values.ts";
import type { requestOf, Said } from "../world.ts";
import { made, type Protocol } from "./chain_world.ts";

const SCRIPT: readonly Said[] = [
  "do a; do b",
  { text: "use submit1 c", reasoning: "so" },
  "answer 1",
];

interface Made {
  readonly script?: readonly Said[];
  readonly spec?: Parameters<typeof requestOf>[0];
  readonly options?: RunOptions;
  readonly protocol?: Protocol;
}

async function logOf(
  { script = SCRIPT, spec, options, protocol = "native" }: Made,
): Promise<RunLog> {
  return (await made(memoryStore(), protocol, script, spec, options)).log;
}

const withStep = (step: number, said: Said): readonly Said[] =>
  SCRIPT.map((each, i) => i === step ? said : each);

const context = (text: string) => ({
  runLevel: [textMessage("system", "be good")],
  goalLevel: [textMessage("user", text)],
});

/** What is made otherwise in the second run; what differs, the step and the place. */
const PARTINGS: readonly (readonly [Made, string, number | undefined, string])[] = [
  [{ spec: { context: context("gone") } }, "prompt", 0, "messages[1].content[0].text"],
  [
    { spec: { injections: { c: [{ entryId: "e", content: "x" }] } } },
    "prompt",
    0,
    "messages[1].content[0].text",
  ],
  [{ protocol: "text", script: ["do a", "answer 1"] }, "prompt", 0, "tools"],
  [{ script: withStep(0, "do a; do c") }, "reply", 0, "text"],
  [{ script: withStep(1, { text: "use submit1 c", reasoning: "no" }) }, "reply", 1, "reasoning"],
  [{ script: withStep(1, new Error("down")) }, "reply", 1, "error"],
  [{ script: withStep(2, "answer 2") }, "reply", 2, "text"],
  [{ script: withStep(2, { text: "answer 1", usage: { inputTokens: 3 } }) }, "reply", 2, "usage"],
  [
    {
      options: {
        approveAction: {
          id: "x",
          decide: ({ actionId }) => ({ allow: !actionId.endsWith("s0_a1") }),
        },
      },
    },
    "result",
    0,
    "actions[1].completed",
  ],
  [{ spec: { budget: { maxSteps: 2 } } }, "stop", 2, "steps"],
  [{ script: SCRIPT.slice(0, 2), spec: { budget: { maxSteps: 2 } } }, "stop", 2, "steps"],
  [{ spec: { budget: { maxSteps: 50 } } }, "setting", undefined, "request.budget.max_steps"],
  [{ spec: { fingerprints: { recipe: "2" } } }, "setting", undefined, "request.fingerprint.recipe"],
];

Deno.test("diffLogs() finds the first thing in which two runs part, at each place where they can, from either side", async () => {
  const first = await logOf({});
  for (const [other, what, step, path] of PARTINGS) {
    const second = await logOf(other);
    const found = diffLogs(first, second);
    assertEquals(
      [found?.what, found?.step, found?.path],
      [what, step, path],
      JSON.stringify(other),
    );
    const back = diffLogs(second, first);
    assertEquals([back?.what, back?.step, back?.path], [what, step, path]);
    assertEquals([back?.a, back?.b], [found?.b, found?.a]);
  }
});

Deno.test("diffLogs() finds that two runs of as many steps ended for different reasons", async () => {
  const [a, b] = [{ maxSteps: 1 }, { maxModelCalls: 1 }];
  const found = diffLogs(
    await logOf({ spec: { budget: a } }),
    await logOf({ spec: { budget: b } }),
  );
  assertEquals([found?.what, found?.step, found?.path], ["stop", 1, "stopConditions[0]"]);
});

Deno.test("diffLogs() does not mind when, where and under which id a run was made, and how it got there", async () => {
  let ms = 0;
  const first = await logOf({});
  for (
    const other of [
      await logOf({ spec: { runId: "elsewhere" } }),
      await logOf({ options: { now: () => ms += 1_000, recordStacks: false } }),
      await logOf({ script: withStep(2, { text: "answer 1", servedBy: 3 }) }),
    ]
  ) assertEquals(diffLogs(first, other), undefined);
});

/** As a provider says it: with ids and data that are others each time. */
function served(text: string, time: number): ModelReply {
  return {
    text,
    responseId: `chatcmpl-${time}`,
    usage: { inputTokens: 10, cachedInputTokens: time },
    providerData: { signature: "x".repeat(time) },
  };
}

Deno.test("diffLogs() finds where runs part that a provider served, whose ids and data are others in each call", async () => {
  const servedLog = (texts: readonly string[], time: number, spec: Made["spec"] = {}) =>
    logOf({ script: texts.map((text) => served(text, time)), spec, protocol: "text" });
  const texts = ["do a", "do c", "answer 1"];
  const first = await servedLog(texts, 1);
  const partings = [
    [["do a", "do c", "answer 2"], {}, "reply", 2, "text"],
    [["do a", "do d", "answer 1"], {}, "reply", 1, "text"],
    [texts, { observationTemplate: "<{observation}>" }, "prompt", 1, "messages[3].content"],
    [texts, { budget: { maxSteps: 50 } }, "setting", undefined, "request.budget.max_steps"],
    [texts, {}, "reply", 0, "providerData.signature"],
  ] as const;
  for (const [others, spec, what, step, path] of partings) {
    const found = diffLogs(first, await servedLog(others, 2, spec));
    assertEquals([found?.what, found?.step], [what, step], path);
    assert(found?.path.startsWith(path), `${found?.path} and not ${path}`);
  }
});

Deno.test("diffLogs() finds a prompt that was edited in one of two runs that a provider served", async () => {
  const long = "w".repeat(300);
  const contextPolicy: ContextPolicy = {
    triggerChars: 500,
    targetChars: 450,
    keepLastSteps: 1,
    stages: [{ kind: "elide_observations", minChars: 100, notice: "(left out)" }],
  };
  const made = (time: number, spec: Made["spec"]) =>
    logOf({
      script: [`do ${long}`, "do b", "do c", "answer 1"].map((text) => served(text, time)),
      spec,
      protocol: "text",
    });
  const [plain, edited] = [await made(1, {}), await made(2, { contextPolicy })];
  const { stepIndex } = edited.edits[0]!;
  const found = diffLogs(plain, edited);
  assertEquals([found?.what, found?.step], ["prompt", stepIndex]);
  assertEquals(found?.b, "[(left out)]");
  const again = diffLogs(edited, await made(3, { contextPolicy }));
  assertEquals(again?.path, "providerData.signature");
});

Deno.test("diffLogs() tells where a fork and its parent part, by the steps of each", async () => {
  const store = memoryStore();
  const { log } = await made(store, "native", SCRIPT);
  const spec = { runId: "b", ...contextAt(log, 2) };
  const fork = await made(store, "native", ["answer 7"], spec);
  const found = diffLogs(log, fork.log);
  assertEquals([found?.what, found?.step, found?.otherStep, found?.path], ["reply", 2, 0, "text"]);
  const back = diffLogs(fork.log, log);
  assertEquals([back?.what, back?.step, back?.otherStep, back?.path], ["reply", 0, 2, "text"]);
  const same = await made(store, "native", ["answer 1"], { ...spec, runId: "c" });
  assertEquals(diffLogs(log, same.log), undefined);
  const longer = await made(store, "native", ["do d", "answer 1"], { ...spec, runId: "d" });
  const end = diffLogs(same.log, longer.log);
  assertEquals([end?.what, end?.step, end?.otherStep], ["reply", 0, undefined]);
});

Deno.test("diffLogs() names the message that has another character, whichever of 200", async () => {
  const draw = drawing(11);
  const texts = ["Be brief.", "Say what you see. 🌊", "Go on."];
  const contextOf = (texts: readonly string[]) => ({
    runLevel: [textMessage("system", texts[0]!)],
    goalLevel: texts.slice(1).map((text) => textMessage("user", text)),
  });
  const first = await logOf({ spec: { context: contextOf(texts) } });
  for (let mutation = 0; mutation < 200; mutation++) {
    const message = draw(texts.length);
    const changed = texts.map((text, i) => {
      const points = [...text];
      const at = draw(points.length);
      points[at] = points[at] === "x" ? "y" : "x";
      return i === message ? points.join("") : text;
    });
    const found = diffLogs(first, await logOf({ spec: { context: contextOf(changed) } }));
    assertEquals(found?.path, `messages[${message}].content[0].text`);
    assertEquals([found?.a, found?.b], [texts[message], changed[message]]);
  }
});

Deno.test("diffLogs() says what it can of logs without inputs, and refuses what is no log, by its name", async () => {
  const bare = await logOf({ options: { recordInputs: false }, spec: { context: context("x") } });
  const log = await logOf({ options: { recordInputs: false } });
  const found = diffLogs(log, bare);
  assertEquals([found?.what, found?.path], ["prompt", "promptDigest"]);
  for (const [a, b, field] of [[{}, log, "a"], [log, {}, "b"]] as const) {
    const error = assertThrows(() => diffLogs(a as RunLog, b as RunLog), InvalidRequestError);
    assertEquals(error.field, field);
  }
  assert(Object.isFrozen(found));
});
