import { assert, assertEquals } from "@std/assert";
import { run } from "../../../mod.ts";
import { PortContractError } from "../../../types/mod.ts";
import { verifyLog } from "../../../session/mod.ts";
import { agentOf, hearing, now, requestOf, tellingStore, wordExecutor } from "../world.ts";
import { forged, rewritten } from "../logs/forged.ts";
import { actionsOf, endingAs, NATIVE, runOf } from "./batch_world.ts";

Deno.test("actions that may run at once do, behind one barrier; each result is written as it comes", async () => {
  const store = tellingStore();
  const executor = endingAs(["d", "b", "a", "c"]);
  const { log, lines } = await runOf("do a; do b; do c; do d", { executor }, {}, store);
  assertEquals(executor.most(), 4);
  assertEquals(actionsOf(lines), ["i0 i1 i2 i3", "r3", "r1", "r0", "r2 S", "S"]);
  const methods = store.asked.filter((method) => method.startsWith("write"));
  assertEquals(methods.slice(1, 6), [
    "writeIntent",
    "writeOutcome",
    "writeOutcome",
    "writeOutcome",
    "writeOutcome",
  ]);
  const [step] = log.steps;
  assertEquals(step?.actions.map(({ observation }) => observation), [
    "did a",
    "did b",
    "did c",
    "did d",
  ]);
});

Deno.test("no more run at once than the run may, and only what stands side by side", async () => {
  const cases: readonly (readonly [number, string, readonly string[]])[] = [
    [1, "do a; do b", ["i0", "r0 i1", "r1 S"]],
    [2, "do a; do b; do c", ["i0 i1", "r0", "r1 i2", "r2 S"]],
    [3, "do a; do alone; do b; do c", ["i0", "r0 i1", "r1 i2 i3", "r2", "r3 S"]],
    [3, "do alone; do a; do b", ["i0", "r0 i1 i2", "r1", "r2 S"]],
  ];
  for (const [maxConcurrentActions, decision, expected] of cases) {
    const { lines } = await runOf(decision, { maxConcurrentActions, executor: wordExecutor() });
    assertEquals(actionsOf(lines).slice(0, -1), expected, decision);
  }
});

Deno.test("by default nothing runs at once, nobody is asked, and the snapshot does not say so", async () => {
  const asked: unknown[] = [];
  const concurrent = (action: unknown) => (asked.push(action), true);
  const executor = { ...wordExecutor(), concurrent };
  const { log, lines } = await runOf("do a; do b", { executor, maxConcurrentActions: 1 });
  assertEquals(actionsOf(lines), ["i0", "r0 i1", "r1 S", "S"]);
  assertEquals(asked, []);
  assertEquals(log.started.parameters["request.max_concurrent_actions"], undefined);
  const { log: several } = await runOf("do a", { executor });
  assertEquals(several.started.parameters["request.max_concurrent_actions"], "4");
});

Deno.test("all are approved before any runs, in order; what is denied has its result first", async () => {
  const order: string[] = [];
  const approveAction = {
    id: "me",
    decide({ actionId }: { actionId: string }) {
      order.push(`ask ${actionId.at(-1)}`);
      return actionId.endsWith("1") ? { allow: false } as const : { allow: true } as const;
    },
  };
  const executor = wordExecutor((word) => void order.push(word));
  const { lines, log } = await runOf("do a; do b; do c", { executor }, { approveAction });
  assertEquals(order, ["ask 0", "ask 1", "ask 2", "a", "c"]);
  assertEquals(actionsOf(lines), ["r1", "i0 i2", "r0", "r2 S", "S"]);
  const { actions } = log.steps[0]!;
  assertEquals(actions.map(({ status }) => status), [
    "executed",
    "not_executed",
    "executed",
  ]);
  const all = { id: "me", decide: () => ({ allow: false }) as const };
  const denied = await runOf("do a; do b", { executor: wordExecutor() }, { approveAction: all });
  assertEquals(actionsOf(denied.lines), ["r0", "r1 S", "S"]);
});

Deno.test("the whole of what runs at once settles although one breaks or completes; the rest is skipped", async () => {
  const cases = [
    ["break", "environment_failed", "final_answer"],
    ["complete", "executed", "environment_completed"],
  ] as const;
  for (const [word, status, stopReason] of cases) {
    const executor = endingAs([word, "a"]);
    const spec = { executor, maxConcurrentActions: 2 };
    const { log, lines } = await runOf(`do a; do ${word}; do c`, spec);
    assertEquals(actionsOf(lines).slice(0, 3), ["i0 i1", "r1", "r0 r2 S"]);
    const { actions } = log.steps[0]!;
    assertEquals(actions.map(({ status }) => status), [
      "executed",
      status,
      "not_executed",
    ]);
    assertEquals(log.finished?.stopReason, stopReason);
  }
});

Deno.test("each action that runs beside others has its events", async () => {
  const events = hearing();
  const agent = agentOf(["do a; do b", "answer 1"], { events, protocol: "native" });
  const request = requestOf({ ...NATIVE, executor: endingAs(["b", "a"]), maxConcurrentActions: 2 });
  await run(agent, request, { now });
  const heard = events.heard
    .filter((event) => event.type === "action_started" || event.type === "action_finished")
    .map(({ type, ordinal }) => `${type} ${ordinal}`);
  assertEquals(heard, [
    "action_started 0",
    "action_started 1",
    "action_finished 1",
    "action_finished 0",
  ]);
});

Deno.test("an executor that does not say, or says junk, of what runs at once", async () => {
  const { concurrent: _, ...silent } = wordExecutor();
  const { lines } = await runOf("do a; do b", { executor: silent });
  assertEquals(actionsOf(lines).slice(0, -1), ["i0", "r0 i1", "r1 S"]);
  const junk = { ...wordExecutor(), concurrent: () => "yes" as never };
  const { outcome } = await runOf("do a; do b", { executor: junk });
  assert(outcome instanceof PortContractError);
  assertEquals(outcome.message.includes("executor.concurrent"), true);
});

Deno.test("verifyLog() finds intents of one entry that did not run at once", async () => {
  const { lines } = await runOf("do a; do b; do c", { executor: wordExecutor() });
  const at = lines.findIndex((line) => line.includes('"action_intent"'));
  const turned = rewritten(lines, (json, seq) => {
    if (seq !== at) return json;
    const records: { type: string }[] = JSON.parse(`[${json}]`);
    const intents = records.filter(({ type }) => type === "action_intent").toReversed();
    const others = records.filter(({ type }) => type !== "action_intent");
    return [...others, ...intents].map((record) => JSON.stringify(record)).join(",");
  });
  assertEquals(verifyLog(turned).fault?.seq, at);
  const fewer = forged(lines, (record) =>
    record.type === "run_started"
      ? {
        ...record,
        parameters: { ...record.parameters, "request.max_concurrent_actions": "2" },
      }
      : record);
  const { fault } = verifyLog(fewer);
  assertEquals([fault?.seq, fault?.code], [at, "grammar"]);
});
