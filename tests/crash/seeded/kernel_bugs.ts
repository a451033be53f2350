import type { SeededBug, TextOf } from "./seeded_bug.ts";
import { methodCall, recordOf } from "./selectors.ts";

/** Whether the entry that a call writes has the intents of several actions. */
const isBatch = (text: TextOf): string =>
  `${text("arguments.1")}.line.split('"type":"action_intent"').length > 2`;

/** Faults of the kernel in driving a run. */
export const KERNEL_BUGS: readonly SeededBug[] = [
  {
    name: "act before the intent",
    edits: [{
      within: "session",
      find: `FunctionDeclaration:has(Literal[value="action_intent"]) AwaitExpression:has(> ${
        methodCall("flush")
      })`,
      put: () => "undefined",
    }],
    script: "never",
    store: "memory",
    by: "crashes",
    invariant: "intent first",
    alone: false,
  },
  {
    name: "write an intent without a barrier",
    edits: [{
      within: "session",
      find: 'MemberExpression[property.name="writeIntent"]',
      put: (text) => `${text("object")}.writeOutcome`,
    }],
    script: "never",
    store: "memory",
    by: "crashes",
    invariant: "intent first",
    alone: true,
  },
  {
    name: "write the intents of a batch without a barrier",
    edits: [{
      within: "session",
      find: methodCall("writeIntent"),
      put: (text) =>
        `${text("callee.object")}[${isBatch(text)} ? "writeOutcome" : "writeIntent"](
          ${text("arguments.0")}, ${text("arguments.1")},
        )`,
    }],
    script: "at_once",
    store: "memory",
    by: "crashes",
    invariant: "intent first",
    alone: true,
  },
  {
    name: "begin a batch before it is on the disk",
    edits: [
      {
        within: "session",
        find: methodCall("writeIntent"),
        put: (text) =>
          `(${isBatch(text)}
            ? void (${text("callee.object")}.batch = new Promise((resolve) => setTimeout(resolve))
              .then(() => ${text()}))
            : Promise.resolve(${text("callee.object")}.batch).then(() => ${text()}))`,
      },
      {
        within: "session",
        find: methodCall("writeOutcome"),
        put: (text) => `Promise.resolve(${text("callee.object")}.batch).then(() => ${text()})`,
      },
    ],
    script: "at_once",
    store: "memory",
    by: "crashes",
    invariant: "intent first",
    alone: true,
  },
  {
    name: "execute an action again that threw",
    edits: [{
      within: "session",
      find: methodCall("execute"),
      put: (text) => `${text()}.catch(() => ${text()})`,
    }],
    script: "failing",
    store: "memory",
    by: "crashes",
    invariant: "once",
    alone: true,
  },
  {
    name: "reuse a result id",
    edits: [{
      within: "types",
      find: 'TemplateLiteral:has(> TemplateElement[raw="_a"])',
      put: (text) => `\`s0_a\${${text("expressions.1")}}\``,
    }],
    script: "never",
    store: "memory",
    by: "crashes",
    invariant: "once",
    alone: false,
  },
  {
    name: "swallow the crash",
    edits: [{
      within: "session",
      find: methodCall("writeIntent"),
      put: (text) => `${text()}.catch(() => {})`,
    }],
    script: "never",
    store: "jsonl",
    by: "errors",
    invariant: "intent first",
    alone: false,
  },
  {
    name: "call a model twice behind one intent",
    edits: [{
      within: "session",
      find: methodCall("call"),
      put: (text) => `${text()}.catch(() => ${text()})`,
    }],
    script: "model_fails",
    store: "memory",
    by: "crashes",
    invariant: "budget",
    alone: true,
  },
  {
    name: "run a hidden tool, as nobody remembers which one an action named",
    edits: [{
      within: "session",
      find: `${recordOf("decision")} > Property[key.name="decision"]`,
      put: (text) =>
        `decision: "actions" in ${text("value")}
          ? {
            ...${text("value")},
            actions: ${text("value")}.actions.map(({ toolName: _, ...action }) => action),
          }
          : ${text("value")}`,
    }],
    script: "hidden",
    store: "memory",
    by: "crashes",
    invariant: "visible",
    alone: true,
  },
  {
    name: "write a result and the end of its step apart",
    edits: [{
      within: "session",
      find:
        `FunctionDeclaration:has(Literal[value="step_recorded"]) ExpressionStatement:has(> CallExpression Literal[value="step"])`,
      put: (text) => `await ${text("expression.callee.object")}.flush();\n${text()}`,
    }],
    script: "never",
    store: "memory",
    by: "crashes",
    invariant: "together",
    alone: true,
  },
  {
    name: "record one stop condition of two",
    edits: [{
      within: "session",
      find: `${
        recordOf("run_finished")
      }:has(> Property[key.name="at"]) > Property[key.name="stopConditions"]`,
      put: (text) => `stopConditions: ${text("value")}.slice(0, 1)`,
    }],
    script: "completed",
    store: "memory",
    by: "crashes",
    invariant: "verified",
    alone: true,
  },
];
