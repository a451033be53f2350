import {
  assert,
  assertEquals,
  assertRejects,
  assertStrictEquals,
  assertStringIncludes,
} from "@std/assert";
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  resume,
  run,
  type RunOptions,
} from "../../mod.ts";
import { PortContractError } from "../../types/mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import {
  agentOf,
  denialOf,
  hearing,
  now,
  rejection,
  requestOf,
  scriptModel,
  shapeOf,
  wordExecutor,
} from "./world.ts";

function approving(
  decide: (request: ApprovalRequest) => unknown,
): Required<Pick<RunOptions, "approveAction">> {
  return { approveAction: { id: "me", decide: (request) => decide(request) as ApprovalAnswer } };
}

Deno.test("run() asks before each intent, with what it is asked about, frozen", async () => {
  const asked: unknown[] = [];
  const executor = wordExecutor();
  const options = approving((request) => {
    const { signal, ...rest } = request;
    assert(Object.isFrozen(request) && Object.isFrozen(rest.action) && !signal.aborted);
    asked.push([{ ...rest }, executor.calls.length]);
    return { allow: true };
  });
  const agent = agentOf(["do a; use submit b"], { protocol: "native" });
  await run(agent, requestOf({ executor, toolProtocol: "native" }), { now, ...options });
  const which = { runId: "r", stepIndex: 0 };
  assertEquals(asked, [
    [{ ...which, actionId: "r/s0_a0", action: { do: "a" } }, 0],
    [{ ...which, actionId: "r/s0_a1", action: { tool: "submit", do: "b" }, toolName: "submit" }, 1],
  ]);
});

/** Denials, with the observation that the model is shown. */
const DENIALS: readonly (readonly [object, string])[] = [
  [{ allow: false }, "The action was rejected and not executed."],
  [{ allow: false, reason: "too risky" }, "too risky"],
  [{ allow: false, reason: "" }, ""],
];

Deno.test("run() records a denial without an intent, shows its reason, and goes on", async () => {
  for (const [answer, observation] of DENIALS) {
    const store = memoryStore();
    const executor = wordExecutor();
    const model = scriptModel(["do a", "answer 1"]);
    const { steps, stopReason } = await run(agentOf(model, { store }), requestOf({ executor }), {
      now,
      ...approving(() => answer),
    });
    const [action] = steps[0]!.actions;
    assertEquals([steps[0]!.outcome, stopReason], ["acted", "final_answer"]);
    assertEquals([action?.status, action?.attempts, action?.observation], [
      "not_executed",
      0,
      observation,
    ]);
    const { reason } = answer as { reason?: string };
    assertEquals(denialOf(action), { by: "me", ...(reason !== undefined && { reason }) });
    assertEquals({
      observationSynthetic: action?.observationSynthetic,
      executions: executor.calls.length,
    }, { observationSynthetic: true, executions: 0 });
    assertEquals(action?.toolCompletes, false);
    const shown = model.calls[1]!.messages.at(-1)!.content[0]!;
    assertEquals(shown.type === "text" && shown.text, `[${observation}]`);
    assertEquals(shapeOf(await store.readRun("r"))[3], "action_result step");
  }
});

Deno.test("run() denies one of several actions and tries the others", async () => {
  const agent = agentOf(["do a; do b; do c", "answer 1"], { protocol: "native" });
  const { steps } = await run(agent, requestOf({ toolProtocol: "native" }), {
    now,
    ...approving(({ actionId }) => actionId.endsWith("a1") ? { allow: false } : { allow: true }),
  });
  assertEquals(steps[0]?.actions.map(({ status }) => status), [
    "executed",
    "not_executed",
    "executed",
  ]);
});

const JUNK: readonly (readonly [unknown, string])[] = [
  [undefined, "$"],
  [true, "$"],
  [{}, "$.allow"],
  [{ allow: "yes" }, "$.allow"],
  [{ allow: false, reason: 5 }, "$.reason"],
  [{ allow: true, reason: "fine" }, "$.reason"],
  [{ allow: true, more: 1 }, "$.more"],
];

Deno.test("run() throws an approval that is none, and the run stays where it was", async () => {
  for (const [answer, path] of JUNK) {
    const store = memoryStore();
    const executor = wordExecutor();
    const running = run(agentOf(["do a"], { store }), requestOf({ executor }), {
      now,
      ...approving(() => answer),
    });
    const error = await assertRejects(() => running, PortContractError);
    assertEquals([error.port, error.path], ["approveAction.decide", path]);
    assertStringIncludes(error.message, "(it must be {allow: true}, {allow: false} or ");
    assertEquals(executor.calls.length, 0);
    assertEquals(shapeOf(await store.readRun("r")).at(-1), "model_reply decision");
  }
});

Deno.test("run() lets a callback's throw out, and resume() asks again", async () => {
  const store = memoryStore();
  const bug = new Error("own bug");
  const throwing = approving(() => {
    throw bug;
  });
  const request = requestOf({ toolProtocol: "native" });
  const agent = agentOf(["do a; do b", "answer 1"], { store, protocol: "native" });
  assertStrictEquals(await rejection(run(agent, request, { now, ...throwing })), bug);
  let asked = 0;
  const second = approving(() => {
    if (++asked === 2) throw bug;
    return { allow: true };
  });
  assertStrictEquals(await rejection(resume(agent, request, { now, ...second })), bug);
  assertEquals(shapeOf(await store.readRun("r")).slice(2), [
    "model_reply decision",
    "action_intent",
    "action_result",
  ]);
  const { stopReason } = await resume(agent, request, {
    now,
    ...approving(() => ({ allow: true })),
  });
  assertEquals(stopReason, "final_answer");
});

Deno.test("run() leaves the wait for an approval out of a step's time, but not the work", async () => {
  let ms = 0;
  const events = hearing();
  const executor = wordExecutor(() => void (ms += 30));
  const model = scriptModel([() => {
    ms += 7;
    return Promise.resolve({ text: "do a" });
  }, "answer 1"]);
  const { steps, stopReason } = await run(
    agentOf(model, { events }),
    requestOf({ executor, budget: { maxActiveMs: 100 } }),
    {
      now: () => ms,
      ...approving(() => {
        ms += 1_000_000;
        return { allow: true };
      }),
    },
  );
  assertEquals({ stepMs: steps[0]?.durationMs, actionMs: steps[0]?.actions[0]?.durationMs }, {
    stepMs: 37,
    actionMs: 30,
  });
  assertEquals(stopReason, "final_answer");
  const finished = events.heard.find(({ type }) => type === "model_call_finished");
  assertEquals(finished?.type === "model_call_finished" && finished.durationMs, 7);
});

Deno.test("run() tells the sink of each question for approval, and of its answer", async () => {
  const clock = { at: 0 };
  const events = hearing();
  const script = ["use the a; do deny; do c", "answer 1"];
  const agent = agentOf(script, { events, protocol: "native" });
  const decide = ({ action }: ApprovalRequest) => {
    clock.at += 500;
    return Object(action).do === "deny" ? { allow: false, reason: "no" } : { allow: true };
  };
  const options = { now: () => clock.at, ...approving(decide) };
  await run(agent, requestOf({ toolProtocol: "native" }), options);
  const told = events.heard.filter(({ type }) => /^(approval|action)_/.test(type));
  const asked = (ordinal: number) => ({
    stepIndex: 0,
    ordinal,
    actionId: `r/s0_a${ordinal}`,
    by: "me",
  });
  const requested = { type: "approval_requested" };
  const answered = { type: "approval_answered", durationMs: 500 };
  assertEquals<unknown>(
    told.filter(({ type }) => type.startsWith("approval_"))
      .map(({ sequence: _, at: __, runId: ___, ...event }) => event),
    [
      { ...requested, ...asked(0), toolName: "the", action: { tool: "the", do: "a" } },
      { ...answered, ...asked(0), toolName: "the", allow: true },
      { ...requested, ...asked(1), action: { do: "deny" } },
      { ...answered, ...asked(1), allow: false, reason: "no" },
      { ...requested, ...asked(2), action: { do: "c" } },
      { ...answered, ...asked(2), allow: true },
    ],
  );
  const question = ["approval_requested", "approval_answered"];
  const execution = ["action_started", "action_finished"];
  assertEquals(told.map(({ type }) => type), [
    ...[...question, ...execution],
    ...[...question, "action_finished"],
    ...[...question, ...execution],
  ]);
  const finished = told.flatMap((event) =>
    event.type === "action_finished" ? [event.toolName] : []
  );
  assertEquals(finished, ["the", undefined, undefined]);
});

Deno.test("run() tells of no answer where an abort came first", async () => {
  const controller = new AbortController();
  const events = hearing();
  const agent = agentOf(["do a"], { events });
  const { signal } = controller;
  const options = approving(() => (controller.abort(), { allow: true }));
  await rejection(run(agent, requestOf(), { now, signal, ...options }));
  const told = events.heard.filter(({ type }) => type.startsWith("approval_"));
  assertEquals(told.map(({ type }) => type), ["approval_requested"]);
});
