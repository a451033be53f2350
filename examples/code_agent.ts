// deno run --allow-run examples/code_agent.ts
// deno-lint-ignore-file no-console
/** An agent that acts by writing code, which runs in a process of its own that may touch nothing. */
import { defineAgent, defineRun, run, textMessage } from "@polyloop/polyloop";
import { codeFenceInterpreter } from "@polyloop/polyloop/adapters/code-fence-interpreter";
import { codeSandbox } from "@polyloop/polyloop/adapters/code-sandbox";
import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
import { memoryStore } from "@polyloop/polyloop/stores/memory";

const code = (text: string): string => "```ts\n" + text + "\n```";

await using sandbox = codeSandbox({ timeoutMs: 20_000, maxOutputChars: 2_000 });
const agent = defineAgent({
  model: scriptedModel(({ messages }, call) => {
    if (call === 0) return code("const primes = [2, 3, 5, 7, 11];\nprimes.length");
    if (call === 1) return code('await Deno.readTextFile("/etc/passwd")');
    if (call === 2) return code("primes.reduce((a, b) => a + b)");
    const [block] = messages.at(-1)!.content;
    return `The sum is ${block?.type === "text" ? block.text : "unknown"}.`;
  }),
  interpreter: codeFenceInterpreter({ languages: ["ts"], finalAnswer: "text" }),
  store: memoryStore(),
});
const request = defineRun({
  runId: "primes",
  budget: { maxSteps: 6, maxModelCalls: 6, maxPromptChars: 20_000, maxConsecutiveFailures: 2 },
  executor: sandbox,
  context: { runLevel: [], goalLevel: [textMessage("user", "Add up the first five primes.")] },
});
const { answer, steps } = await run(agent, request);
for (const { actions } of steps) {
  for (const action of actions) {
    const isDone = action.status === "executed" && !action.failed;
    console.log(`${isDone ? "done" : "failed"}: ${action.observation.split("\n")[0]}`);
  }
}
console.log(answer);
