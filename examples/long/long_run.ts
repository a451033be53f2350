// deno run --allow-read=docs examples/long/long_run.ts
// deno-lint-ignore-file no-console
/**
 * An agent reads the guides of this library one after the other, many times more than its window holds. A context policy
 * makes room; the log tells what the model no longer saw, and when.
 *
 * @module
 */
import {
  type ContextPolicy,
  defineAgent,
  defineRun,
  defineTool,
  type Message,
  run,
  textMessage,
  ToolRegistry,
} from "@polyloop/polyloop";
import { jsonActionInterpreter } from "@polyloop/polyloop/adapters/json-action-interpreter";
import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
import { readLog, rebuildCall } from "@polyloop/polyloop/session";
import { memoryStore } from "@polyloop/polyloop/stores/memory";

const docs = new URL("../../docs/", import.meta.url);
const guides = [...Deno.readDirSync(docs)].map(({ name }) => name).sort();
const tools = ToolRegistry.of([
  defineTool({
    name: "note_and_read",
    description: "Takes a note, which stays in view for long, and gives the next guide.",
    parameters: {
      type: "object",
      properties: { note: { type: "string" }, guide: { type: "integer" } },
      required: ["note", "guide"],
    } as const,
    replay: "replayable",
    async execute({ guide }) {
      const name = guides[guide];
      if (name === undefined) return "There is no further guide.";
      return `${name}\n${await Deno.readTextFile(new URL(name, docs))}`;
    },
  }),
]);

const contextPolicy: ContextPolicy = {
  triggerChars: 24_000, // act when the prompt is larger
  targetChars: 6_000, // stop as soon as it is not larger than this
  keepLastSteps: 1, // what was read last is never edited
  minReclaimChars: 1_000, // no edit for less: each one costs the provider's prompt cache
  stages: [
    {
      kind: "elide_observations",
      minChars: 200,
      notice: "({chars} characters left out: see your note, or read the guide again)",
    },
    {
      kind: "summarise",
      instruction: "Repeat every note of these steps, a line each.",
      notice: "Your notes of steps {from} to {to}:\n{summary}",
      maxSummaryChars: 4_000,
    },
  ],
};

function textOf(messages: readonly Message[]): string {
  return messages.flatMap(({ content }) =>
    content.map((block) => block.type === "text" ? block.text : "")
  ).join("\n");
}

/** Knows what is in its prompt, and nothing else. */
const model = scriptedModel(({ messages, callId }) => {
  const notes = new Set(textOf(messages).match(/\w+\.md has \d+ words/g));
  if (callId.includes("_c")) return [...notes].join("\n"); // a summary
  const [, name, text] = /^([\w]+\.md)\n(.*)$/s.exec(textOf(messages.slice(-1))) ?? [];
  const note = name === undefined ? "" : `${name} has ${text?.split(/\s+/).length} words`;
  if (note !== "") notes.add(note);
  if (textOf(messages.slice(-1)) !== "There is no further guide.") {
    return JSON.stringify({ tool: "note_and_read", arguments: { note, guide: notes.size } });
  }
  const words = [...notes].map((each) => Number(/\d+/.exec(each)));
  const sum = words.reduce((all, some) => all + some, 0);
  return JSON.stringify({ final_answer: `${notes.size} guides of ${sum} words` });
});

const store = memoryStore();
const agent = defineAgent({ model, interpreter: jsonActionInterpreter(), store });
const task = {
  tools,
  budget: { maxSteps: 99, maxModelCalls: 150, maxPromptChars: 30_000, maxConsecutiveFailures: 2 },
  context: { runLevel: [], goalLevel: [textMessage("user", "How long are the guides?")] },
};
const without = await run(agent, defineRun({ ...task, runId: "without-a-policy" }));
console.log(`without a policy: ${without.stopReason} after ${without.steps.length} steps`);
const { stopReason, answer } = await run(
  agent,
  defineRun({ ...task, runId: "long", contextPolicy }),
);
console.log(`with one: ${stopReason}, ${answer} (there are ${guides.length})`);

const log = readLog((await store.readRun("long"))!);
for (const edit of log.edits) {
  if (edit.type === "context_edit") {
    const { stepIndex, stage, steps: [from, to], beforeChars, afterChars } = edit;
    console.log(
      `before step ${stepIndex}: ${stage}, steps ${from} to ${to}, ${beforeChars} → ${afterChars}`,
    );
  } else console.log(`before step ${edit.stepIndex}: not summed up, ${edit.reason}`);
}
const { messages, edited, promptChars } = rebuildCall(log, log.calls.length - 1);
console.log(`the last prompt: ${messages.length} messages, ${promptChars} characters`);
for (const { message, steps: [from, to], originalSize } of edited) {
  console.log(`message ${message} stands for ${originalSize} characters of steps ${from} to ${to}`);
}
