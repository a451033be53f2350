import type { Edit, SeededBug } from "./seeded_bug.ts";

const FLUSH_INTENT = `  journal.record(present(intent));
  await journal.flush();
`;

/** The grammar would refuse the replay before the world sees it. */
const ALLOW_REPLAYS: Edit = [
  "logic/_recovery/grammar.ts",
  `return may ? undefined : "an action is replayed that must not be";`,
  "return undefined;",
];

/** Faults of the kernel. */
export const KERNEL_BUGS: readonly SeededBug[] = [
  {
    name: "act before the intent",
    edits: [["session/_step/act.ts", FLUSH_INTENT, "  journal.record(present(intent));\n"]],
    script: "never",
    store: "memory",
    by: "crashes",
    invariant: "intent first",
    alone: false,
  },
  {
    name: "write an intent without a barrier",
    edits: [["session/_live/journal.ts", "  action_intent: intent,", "  action_intent: outcome,"]],
    script: "never",
    store: "memory",
    by: "crashes",
    invariant: "intent first",
    alone: true,
  },
  {
    name: "replay a never-replay action",
    edits: [[
      "logic/_recovery/plan_recovery.ts",
      `open.openAction.replayPolicy === "replayable" &&
      policies.openAction === "replayable";`,
      "true;",
    ], ALLOW_REPLAYS],
    script: "never",
    store: "memory",
    by: "crashes",
    invariant: "once",
    alone: false,
  },
  {
    name: "use the current replay policy only",
    edits: [[
      "logic/_recovery/plan_recovery.ts",
      `open.openAction.replayPolicy === "replayable" &&
      policies`,
      "policies",
    ], ALLOW_REPLAYS],
    script: "policy_now_replayable",
    store: "memory",
    by: "crashes",
    invariant: "once",
    alone: false,
  },
  {
    name: "use the recorded replay policy only",
    edits: [[
      "logic/_recovery/plan_recovery.ts",
      ` &&
      policies.openAction === "replayable";`,
      ";",
    ]],
    script: "policy_now_never",
    store: "memory",
    by: "crashes",
    invariant: "once",
    alone: true,
  },
  {
    name: "execute an action again that threw",
    edits: [[
      "session/_step/act.ts",
      "    return live.request.executor.execute(Object.freeze(call));\n",
      `    const { executor } = live.request;
    return executor.execute(Object.freeze(call)).catch(() => executor.execute(call));
`,
    ]],
    script: "failing",
    store: "memory",
    by: "crashes",
    invariant: "once",
    alone: true,
  },
  {
    name: "reuse a result id",
    edits: [[
      "logic/_recovery/ids.ts",
      "return `${runId}/s${stepIndex}_a${ordinal}`;",
      "return `${runId}/s${stepIndex * 0}_a${ordinal}`;",
    ]],
    script: "never",
    store: "memory",
    by: "crashes",
    invariant: "once",
    alone: false,
  },
  {
    name: "swallow the crash",
    edits: [[
      "session/_live/journal.ts",
      "() => write(this.#store, runId, entry));",
      "() => write(this.#store, runId, entry)).catch(() => {});",
    ]],
    script: "never",
    store: "jsonl",
    by: "errors",
    invariant: "intent first",
    alone: false,
  },
  {
    name: "finish twice",
    edits: [[
      "session/run.ts",
      "  const live = liveRun(agent, request, options, replayLog(runId, entries, assembly));\n",
      `  const onRecord = replayLog(runId, entries, assembly);
  const position = { ...onRecord.position, finished: undefined } as typeof onRecord.position;
  const live = liveRun(agent, request, options, { ...onRecord, position });
`,
    ]],
    script: "answer",
    store: "memory",
    by: "crashes",
    invariant: "one finish",
    alone: false,
  },
  {
    name: "touch a run that has finished",
    edits: [[
      "session/run.ts",
      "    live.interrupt.dispose();\n    return resultOf(live);",
      `    live.interrupt.dispose();
    await agent.store.releaseRun(runId);
    return resultOf(live);`,
    ]],
    script: "answer",
    store: "memory",
    by: "crashes",
    invariant: "one finish",
    alone: true,
  },
  {
    name: "take an open intent for not executed",
    edits: [[
      "session/_step/act.ts",
      `syntheticResult("unknown", actionOutcomeUnknown, present({ resolvedBy }))`,
      `syntheticResult("not_executed", actionOutcomeUnknown, present({ resolvedBy }))`,
    ]],
    script: "never",
    store: "memory",
    by: "crashes",
    invariant: "unknown",
    alone: true,
  },
  {
    name: "change a recorded step",
    edits: [[
      "session/_reading/replay.ts",
      "steps.push(after.last!);",
      "steps.push({ ...after.last!, promptChars: 0 });",
    ]],
    script: "never",
    store: "memory",
    by: "crashes",
    invariant: "unchanged",
    alone: true,
  },
  {
    name: "ask again for a durable decision",
    edits: [[
      "session/run.ts",
      "  return await conduct(live, () => {\n",
      `  const { open } = live.journal.position;
  const context = { runId, stepIndex: open?.stepIndex ?? 0, signal: new AbortController().signal };
  if (open?.decision) await agent.interpreter.interpret(open.reply!, context);
  return await conduct(live, () => {
`,
    ]],
    script: "never",
    store: "memory",
    by: "crashes",
    invariant: "not asked again",
    alone: true,
  },
  {
    name: "call a model twice behind one intent",
    edits: [[
      "session/_step/decide.ts",
      "await agent.model.call(Object.freeze(call))",
      "await agent.model.call(Object.freeze(call)).catch(() => agent.model.call(call))",
    ]],
    script: "model_fails",
    store: "memory",
    by: "crashes",
    invariant: "budget",
    alone: true,
  },
  {
    name: "replay a call that the budget forbids",
    edits: [[
      "session/_step/drive.ts",
      `  if (stopBeforeCall(live) !== undefined) return await endUnanswered(live, "model_outcome_unknown");\n`,
      "",
    ]],
    script: "budgets",
    store: "memory",
    by: "second crashes",
    invariant: "budget",
    alone: false,
  },
  {
    name: "send a replayed call another prompt",
    edits: [[
      "session/_step/decide.ts",
      "messages ??= assembly.messages(promptMessages);",
      "messages ??= assembly.messages(attempt > 1 ? promptMessages - 1 : promptMessages);",
    ]],
    script: "replayable",
    store: "memory",
    by: "crashes",
    invariant: "prompts",
    alone: true,
  },
  {
    name: "record something else of a replayed action",
    edits: [[
      "session/_step/act.ts",
      "  const result = { ...outcome, toolCompletes, durationMs };\n",
      `  const replayed = toolCompletes && (openStep(live).openAction?.attempt ?? 0) > 1;
  const change = replayed ? { observation: "again" } : {};
  const result = { ...outcome, ...change, toolCompletes, durationMs };
`,
    ]],
    script: "replayable",
    store: "memory",
    by: "crashes",
    invariant: "result",
    alone: true,
  },
  {
    name: "write a result and the end of its step apart",
    edits: [[
      "session/_step/close_step.ts",
      `  live.journal.record(present({ type: "step",`,
      `  if (openStep(live).settled.length > 0) await live.journal.flush();
  live.journal.record(present({ type: "step",`,
    ]],
    script: "never",
    store: "memory",
    by: "crashes",
    invariant: "together",
    alone: true,
  },
  {
    name: "record one stop condition of two",
    edits: [[
      "session/_step/drive.ts",
      "      stopConditions,\n      answer,\n",
      "      stopConditions: [stopReason],\n      answer,\n",
    ]],
    script: "completed",
    store: "memory",
    by: "crashes",
    invariant: "verified",
    alone: true,
  },
  {
    name: "forget failures on a resume",
    edits: [[
      "session/_reading/replay.ts",
      "    position,\n    entries: entries.length,",
      "    position: { ...position, consecutiveFailures: 0 },\n    entries: entries.length,",
    ]],
    script: "failing",
    store: "memory",
    by: "crashes",
    invariant: "result",
    alone: false,
  },
];
