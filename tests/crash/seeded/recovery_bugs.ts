import type { Edit, SeededBug } from "./seeded_bug.ts";
import { methodCall, recordOf } from "./selectors.ts";

/** The grammar would refuse the replay before the world sees it. */
const ALLOW_REPLAYS: Edit = {
  within: "logic/_recovery",
  find:
    'FunctionDeclaration:not(:has(Literal[value="replay_action"])) BinaryExpression[left.property.name="replayPolicy"]',
  put: () => "true",
};

const PLAN = 'FunctionDeclaration:has(Literal[value="replay_action"])';

const IGNORE_RECORDED_POLICY: Edit = {
  within: "logic/_recovery",
  find: `${PLAN} BinaryExpression[left.property.name="replayPolicy"]`,
  put: () => "true",
};

const IGNORE_CURRENT_POLICY: Edit = {
  within: "logic/_recovery",
  find:
    `${PLAN} LogicalExpression:has(> [left.property.name="replayPolicy"]) > BinaryExpression:not([left.property.name="replayPolicy"])`,
  put: () => "true",
};

/** Has `resume` read something else than the log says, by a function over its decoded entries. */
const resumeReads = (change: string): Edit => ({
  within: "session",
  find:
    'FunctionDeclaration:has(NewExpression[callee.name="ParameterDriftError"]) VariableDeclarator > CallExpression > CallExpression > CallExpression:not(:has(> MemberExpression))',
  put: (text) => `await (${change})([...${text()}])`,
});

/** Faults of the kernel in going on with a run. */
export const RECOVERY_BUGS: readonly SeededBug[] = [
  {
    name: "replay a never-replay action",
    edits: [IGNORE_RECORDED_POLICY, IGNORE_CURRENT_POLICY, ALLOW_REPLAYS],
    script: "never",
    store: "memory",
    by: "crashes",
    invariant: "once",
    alone: false,
  },
  {
    name: "use the current replay policy only",
    edits: [IGNORE_RECORDED_POLICY, ALLOW_REPLAYS],
    script: "policy_now_replayable",
    store: "memory",
    by: "crashes",
    invariant: "once",
    alone: false,
  },
  {
    name: "use the recorded replay policy only",
    edits: [IGNORE_CURRENT_POLICY],
    script: "policy_now_never",
    store: "memory",
    by: "crashes",
    invariant: "once",
    alone: true,
  },
  {
    name: "finish twice",
    edits: [resumeReads(`(entries) => entries.map((entry) => ({
      ...entry,
      records: entry.records.filter(({ type }) => type !== "run_finished"),
    }))`)],
    script: "answer",
    store: "memory",
    by: "crashes",
    invariant: "one finish",
    alone: false,
  },
  {
    name: "touch a run that has finished",
    edits: [{
      within: "session",
      find: methodCall("readRun"),
      put: (text) =>
        `${text()}.finally(() => ${text("callee.object")}.releaseRun(${text("arguments.0")}))`,
    }],
    script: "answer",
    store: "memory",
    by: "crashes",
    invariant: "one finish",
    alone: true,
  },
  {
    name: "take an open intent for not executed",
    edits: [{
      within: "session",
      find: recordOf("action_result"),
      put: (text) =>
        `((result) => result.status === "unknown" ? { ...result, status: "not_executed" } : result)(${text()})`,
    }],
    script: "never",
    store: "memory",
    by: "crashes",
    invariant: "unknown",
    alone: true,
  },
  {
    name: "change a recorded step",
    edits: [resumeReads(`(entries) => entries.map((entry) => ({
      ...entry,
      records: entry.records.map((record) =>
        record.type === "step" ? { ...record, durationMs: record.durationMs + 1 } : record
      ),
    }))`)],
    script: "never",
    store: "memory",
    by: "crashes",
    invariant: "unchanged",
    alone: true,
  },
  {
    name: "ask again for a durable decision",
    edits: [resumeReads(`async (entries) => {
      const records = entries.flatMap((entry) => entry.records);
      const open = records.slice(records.findLastIndex(({ type }) => type === "step") + 1);
      if (open.some(({ type }) => type === "decision")) {
        const { stepIndex, reply } = open.find(({ type }) => type === "model_reply");
        const { signal } = new AbortController();
        const { agent, request } = arguments[0];
        const context = { runId: request.runId, stepIndex, signal };
        await agent.interpreter.interpret(reply, context);
      }
      return entries;
    }`)],
    script: "never",
    store: "memory",
    by: "crashes",
    invariant: "not asked again",
    alone: true,
  },
  {
    name: "replay a call that the budget forbids",
    edits: [{
      within: "session",
      find: 'IfStatement:has(> ReturnStatement Literal[value="model_outcome_unknown"])',
      put: () => "",
    }],
    script: "budgets",
    store: "memory",
    by: "second crashes",
    invariant: "budget",
    alone: false,
  },
  {
    name: "send a replayed call another prompt",
    edits: [{
      within: "session",
      find: methodCall("call"),
      put: (text) =>
        `((call) => ${text("callee")}(
          call.attempt > 1 ? { ...call, messages: call.messages.slice(0, -1) } : call,
        ))(${text("arguments.0")})`,
    }],
    script: "replayable",
    store: "memory",
    by: "crashes",
    invariant: "prompts",
    alone: true,
  },
  {
    name: "send a withdrawn call another prompt when it is made again",
    edits: [{
      within: "session",
      find: methodCall("call"),
      put: (text) =>
        `((call) => ${text("callee")}(
          call.attempt > 1 ? { ...call, messages: call.messages.slice(0, -1) } : call,
        ))(${text("arguments.0")})`,
    }],
    script: "outage",
    store: "memory",
    by: "crashes",
    invariant: "prompts",
    alone: true,
  },
  {
    name: "end a run instead of making a withdrawn call again",
    edits: [{
      within: "logic/_recovery",
      find: 'ObjectExpression:has(> Property[key.name="kind"] > Literal[value="ask_again"])',
      put: () =>
        `{
          kind: "return_result",
          finished: {
            type: "run_finished",
            stopReason: "cancelled",
            stopConditions: ["cancelled"],
            counters: {},
            abandoned: [],
          },
        }`,
    }],
    script: "withdrawn",
    store: "memory",
    by: "crashes",
    invariant: "asked again",
    alone: true,
  },
  {
    name: "record something else of a replayed action",
    edits: [{
      within: "session",
      find: methodCall("execute"),
      put: (text) =>
        `((call) => ${text("callee")}(call).then((outcome) =>
          call.attempt > 1 && ${text("callee.object")}.completes?.(call.toolName)
            ? { ...outcome, observation: "again" }
            : outcome
        ))(${text("arguments.0")})`,
    }],
    script: "replayable",
    store: "memory",
    by: "crashes",
    invariant: "result",
    alone: true,
  },
  {
    name: "forget failures on a resume",
    edits: [{
      within: "session",
      find:
        'ReturnStatement > ObjectExpression:has(> Property[key.name="steps"]) > Property[key.name="position"]',
      put: (text) => {
        const position = text("value");
        return `position: { ...${position}, tally: { ...${position}.tally, consecutiveFailures: 0 } }`;
      },
    }],
    script: "failing",
    store: "memory",
    by: "crashes",
    invariant: "result",
    alone: false,
  },
];
