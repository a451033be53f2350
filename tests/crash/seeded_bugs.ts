import type { StoreName } from "./media/make_medium.ts";

/** One change of a source: a text that is there once, and what is put in its place. */
export type Edit = readonly [path: string, before: string, after: string];

/** A deliberate fault, and where it must be found. */
export interface SeededBug {
  readonly name: string;
  readonly edits: readonly Edit[];
  readonly script: string;
  readonly store: StoreName;
  readonly by: "crashes" | "second crashes" | "errors" | "drivers" | "mutations";
  /** The invariant that must catch it. */
  readonly invariant: string;
  /** Whether no other invariant does. */
  readonly alone: boolean;
}

const FLUSH_INTENT = `  journal.record(present(intent));
  await journal.flush("intent");
`;

/** The grammar would refuse the replay before the world sees it. */
const ALLOW_REPLAYS: Edit = [
  "logic/_recovery/grammar.ts",
  `return may ? undefined : "an action is replayed that must not be";`,
  "return undefined;",
];

/** Faults of the stores. */
const STORE_BUGS: readonly SeededBug[] = [
  {
    name: "skip a sync",
    edits: [["stores/_jsonl_writer.ts", "    await file.syncData();\n", ""]],
    script: "answer",
    store: "jsonl",
    by: "crashes",
    invariant: "acknowledged",
    alone: true,
  },
  {
    name: "skip the directory sync",
    edits: [[
      "stores/_jsonl_writer.ts",
      "    if (log.unsyncedName) await syncFolder(files, place.folder);\n",
      "",
    ]],
    script: "answer",
    store: "jsonl",
    by: "crashes",
    invariant: "acknowledged",
    alone: true,
  },
  {
    name: "append after a torn tail",
    edits: [[
      "stores/_jsonl_writer.ts",
      "  if (tornSize > size) setTornTailAside(files, place, file, size, tornSize);\n",
      "",
    ]],
    script: "answer",
    store: "jsonl",
    by: "crashes",
    invariant: "goes on",
    alone: true,
  },
  {
    name: "retry a sync",
    edits: [[
      "stores/_jsonl_writer.ts",
      "    await file.syncData();\n",
      "    await file.syncData().catch(() => file.syncData());\n",
    ]],
    script: "answer",
    store: "jsonl",
    by: "errors",
    invariant: "acknowledged",
    alone: true,
  },
  {
    name: "drop the short-write loop",
    edits: [[
      "stores/_jsonl_files.ts",
      "  for (let written = 0; written < bytes.length;) {\n",
      "  for (let written = 0; written < 1;) {\n",
    ]],
    script: "answer",
    store: "jsonl",
    by: "errors",
    invariant: "acknowledged",
    alone: false,
  },
  {
    name: "leave a failed write in place",
    edits: [[
      "stores/_jsonl_writer.ts",
      "    log.file.truncateSync(log.size);\n    log.file.syncDataSync();\n",
      "",
    ]],
    script: "answer",
    store: "jsonl",
    by: "errors",
    invariant: "prefix",
    alone: true,
  },
  {
    name: "take back a failed write without a sync",
    edits: [["stores/_jsonl_writer.ts", "    log.file.syncDataSync();\n", ""]],
    script: "answer",
    store: "jsonl",
    by: "errors",
    invariant: "prefix",
    alone: true,
  },
  {
    name: "take NULs behind a whole entry for a part of it",
    edits: [[
      "stores/_jsonl_log.ts",
      "  while (end > start && bytes[end - 1] === 0) end--;\n",
      "",
    ]],
    script: "answer",
    store: "jsonl",
    by: "second crashes",
    invariant: "acknowledged",
    alone: false,
  },
  {
    name: "ignore a fence",
    edits: [[
      "stores/_fence.ts",
      `  if (seq < tail.length) {
    throw new RunConflictError(runId, seq, "another driver has written that entry");
  }
`,
      "  if (seq < tail.length) return;\n",
    ]],
    script: "never",
    store: "memory",
    by: "drivers",
    invariant: "acknowledged",
    alone: false,
  },
  {
    name: "take an equal entry for one's own",
    edits: [[
      "stores/memory.ts",
      "    checkNext(runId, log.tail, entry);\n",
      "    if (entry.hash === log.tail.hash) return;\n    checkNext(runId, log.tail, entry);\n",
    ]],
    script: "never",
    store: "memory",
    by: "drivers",
    invariant: "once",
    alone: false,
  },
  {
    name: "take another driver's entry for one's own",
    edits: [[
      "stores/_kv_commit.ts",
      `    if (finding === "taken" || failure === undefined) return { kind: "refused" };\n`,
      `    if (finding === "taken") return { kind: "committed", versionstamp: "" };\n`,
    ]],
    script: "never",
    store: "kv",
    by: "drivers",
    invariant: "once",
    alone: false,
  },
  {
    name: "commit an intent as an outcome is",
    edits: [[
      "stores/_sqlite_commit.ts",
      `  return kind !== "outcome";`,
      `  return kind !== "outcome" && kind !== "intent";`,
    ]],
    script: "answer",
    store: "sqlite",
    by: "crashes",
    invariant: "acknowledged",
    alone: true,
  },
  {
    name: "do not check a line's hash",
    edits: [[
      "types/log_line.ts",
      "  const hash = digest(line.slice(0, -TAIL_LENGTH));\n",
      "  const hash = line.slice(-TAIL_LENGTH).slice(HASH_KEY.length + 1, -2);\n",
    ]],
    script: "answer",
    store: "jsonl",
    by: "mutations",
    invariant: "goes on",
    alone: true,
  },
];

/** Faults of the kernel. */
const KERNEL_BUGS: readonly SeededBug[] = [
  {
    name: "act before the intent",
    edits: [["session/_act.ts", FLUSH_INTENT, "  journal.record(present(intent));\n"]],
    script: "never",
    store: "memory",
    by: "crashes",
    invariant: "intent first",
    alone: false,
  },
  {
    name: "write an intent without a barrier",
    edits: [["session/_act.ts", FLUSH_INTENT, FLUSH_INTENT.replace('"intent"', '"outcome"')]],
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
      "session/_act.ts",
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
      "session/_journal.ts",
      "() => WRITES[kind](this.#store, runId, entry));",
      "() => WRITES[kind](this.#store, runId, entry)).catch(() => {});",
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
      "session/_act.ts",
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
      "session/_replay.ts",
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
      "session/_decide.ts",
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
      "session/_drive.ts",
      `  if (exhausted.length > 0) return await endUnanswered(live, "model_outcome_unknown");\n`,
      `  if (exhausted.length > 9) return await endUnanswered(live, "model_outcome_unknown");\n`,
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
      "session/_decide.ts",
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
      "session/_act.ts",
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
      "session/_close_step.ts",
      `  live.journal.record(present({ type: "step",`,
      `  if (openStep(live).settled.length > 0) await live.journal.flush("outcome");
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
      "session/_drive.ts",
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
      "session/_replay.ts",
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

/** Every seeded bug. */
export const SEEDED_BUGS: readonly SeededBug[] = [...STORE_BUGS, ...KERNEL_BUGS];
