import { chatCompletionsModel } from "../../adapters/chat_completions_model.ts";
import { codeFenceInterpreter } from "../../adapters/code_fence_interpreter.ts";
import { codeSandbox } from "../../adapters/code_sandbox.ts";
import { scriptedModel } from "../../adapters/scripted_model.ts";
import type { ActionExecutor, EventSink, ModelPort, RunStore } from "../../ports/mod.ts";
import {
  type AgentDefinition,
  defineAgent,
  defineRun,
  type RunRequest,
} from "../../session/mod.ts";
import { present, textMessage } from "../../types/mod.ts";
import { demoPolicy } from "./policy.ts";

/** What the demo's two driver processes are told. */
export interface DemoPlan {
  readonly runId: string;
  /** The folder that the question is about: an absolute path. */
  readonly dir: string;
  /** The store of the log, as `jsonl:DIR`. */
  readonly store: string;
  /** The address of an OpenAI-compatible server. Absent: the policy answers. */
  readonly model?: { readonly url: string; readonly name: string };
}

const RULES = `You answer questions about a folder by writing code, one block at a time.
Write one block of TypeScript marked \`\`\`ts; it runs in a Deno session that keeps its variables and may read that
folder and nothing else. You are then shown what it printed with console.log. Write nothing behind the block.
When you know the answer, write it in a block marked \`\`\`answer instead.`;

/** Puts the demo's agent and request together: in each driver process anew. */
export function demoRun(
  plan: DemoPlan,
  store: RunStore,
  events: EventSink,
): { readonly agent: AgentDefinition; readonly request: RunRequest; close(): Promise<void> } {
  const sandbox = codeSandbox({
    permissions: { read: [plan.dir] },
    timeoutMs: 20_000,
    maxOutputChars: 4_000,
  });
  const agent = defineAgent({
    model: demoModel(plan),
    interpreter: codeFenceInterpreter({ languages: ["ts"], finalAnswer: { marker: "answer" } }),
    store,
    events,
  });
  return { agent, request: demoRequest(plan, sandbox), close: () => sandbox.close() };
}

function demoModel({ dir, model }: DemoPlan): ModelPort {
  if (model === undefined) {
    return scriptedModel(({ messages }) => demoPolicy(dir, messages), { name: "demo-policy" });
  }
  const apiKey = Deno.env.get("POLYLOOP_API_KEY");
  return chatCompletionsModel(present({ baseUrl: model.url, model: model.name, apiKey }));
}

function demoRequest(plan: DemoPlan, executor: ActionExecutor): RunRequest {
  const question =
    `Which modules of ${plan.dir} have the most exported symbols, and which folder imports which?`;
  return defineRun({
    runId: plan.runId,
    budget: {
      maxSteps: 14,
      maxModelCalls: 16,
      maxPromptChars: 100_000,
      maxConsecutiveFailures: 3,
      maxIdenticalActions: 3,
    },
    executor,
    context: {
      runLevel: [textMessage("user", RULES)],
      goalLevel: [textMessage("user", question)],
    },
    observationTemplate: "Output:\n{observation}",
  });
}
