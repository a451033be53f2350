// deno run examples/custom_event_sink.ts
// deno-lint-ignore-file no-console
/** A sink of one's own: how much of the budget each step left, and a failure that does not hurt the run. */
import { defineAgent, defineRun, type EventSink, run, textMessage } from "@polyloop/polyloop";
import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
import { memoryStore } from "@polyloop/polyloop/stores/memory";

const meter: EventSink = {
  emit(event) {
    switch (event.type) {
      case "prompt_assembled": {
        const { stepIndex, promptChars, limit, newMessages } = event;
        const added = newMessages.map(({ source, size }) => `${source} ${size}`).join(", ");
        return console.log(`step ${stepIndex}: ${promptChars} of ${limit} (new: ${added})`);
      }
      case "step_recorded":
        throw new Error("this sink is broken");
      case "run_finished":
        return console.log(`finished: ${event.stopConditions.join(", ")}`);
    }
  },
  parameters: () => ({}),
};
const agent = defineAgent({
  model: scriptedModel(["hm", "hm?", "yes"]),
  interpreter: {
    interpret: ({ text }) => ({
      decision: text === "yes"
        ? { kind: "final_answer", answer: text }
        : { kind: "invalid", explanation: "Say yes." },
      historyText: text,
    }),
    parameters: () => ({}),
  },
  store: memoryStore(),
  events: meter,
});
const request = defineRun({
  runId: "metered",
  budget: { maxSteps: 5, maxModelCalls: 5, maxPromptChars: 500, maxConsecutiveFailures: 3 },
  executor: { execute: () => Promise.reject(new Error("no actions")), parameters: () => ({}) },
  context: { runLevel: [], goalLevel: [textMessage("user", "Say yes.")] },
});
const { answer, eventDeliveryFailures } = await run(agent, request, {
  onEventError: (error, { type }) => console.log(`${type}: ${error}`),
});
console.log(`answer ${answer}, ${eventDeliveryFailures} events were not taken`);
