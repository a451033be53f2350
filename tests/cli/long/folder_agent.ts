/**
 * A module for the command line: an agent that is asked which modules of a folder export how much and which folder imports
 * which, by the native protocol. It reads one module after the other, notes what it found, and answers from its notes: so it
 * finds out only what its prompts show it. From the environment: `HANG`, the end of the id of a call or an action that never
 * ends, which is said on standard error once it has begun.
 *
 * @module
 */
import { nativeToolsInterpreter } from "../../../adapters/native_tools_interpreter.ts";
import type { RunModule } from "../../../cli/mod.ts";
import {
  type ContextPolicy,
  defineAgent,
  defineRun,
  defineTool,
  type Message,
  type ModelReply,
  textMessage,
  ToolRegistry,
} from "../../../mod.ts";
import { jsonlStore } from "../../../stores/jsonl.ts";
import { conclusion, factsOf, modulesOf, noteOf } from "./folder_facts.ts";

/** Longer than any two modules of the folder, and much shorter than all of them. */
const MAX_PROMPT_CHARS = 40_000;

const POLICY: ContextPolicy = {
  triggerChars: 30_000,
  targetChars: 15_000,
  keepLastSteps: 1,
  pinnedTools: ["list_modules"],
  stages: [
    { kind: "elide_observations", minChars: 200, notice: "({chars} characters of step {step})" },
    {
      kind: "summarise",
      instruction: "Repeat every note, a line each, and nothing else.",
      notice: "Notes of steps {from} to {to}:\n{summary}",
      maxSummaryChars: 12_000,
    },
  ],
};

/** Never settles where the environment asks for that at this id. */
async function hangAt(id: string): Promise<void> {
  const end = Deno.env.get("HANG");
  if (end === undefined || !id.endsWith(end)) return;
  Deno.stderr.writeSync(new TextEncoder().encode("hanging\n"));
  await new Promise(() => setInterval(() => {}, 60_000));
}

function textsOf(messages: readonly Message[]): string {
  return messages.flatMap(({ content }) =>
    content.map((block) => block.type === "tool_call" ? "" : block.text)
  ).join("\n");
}

/** What the model says next: a note on the module that it was shown last, and a call for one without a note. */
function next(messages: readonly Message[]): ModelReply {
  const shown = textsOf(messages);
  const listed = /^modules: (.*)$/m.exec(shown)?.[1]?.split(" ");
  if (listed === undefined) return calling("I look at what there is.", "list_modules", {});
  const [last] = messages.at(-1)?.content ?? [];
  const result = last?.type === "tool_result" ? last.text : "";
  const read = /^text of (\S+)\n/.exec(result)?.[1];
  const note = read === undefined ? "" : noteOf(read, result);
  const facts = factsOf(`${shown}\n${note}`);
  const path = listed.find((path) => !facts.has(path));
  if (path === undefined) return { text: conclusion(facts), finishReason: "stop" };
  return calling(note, "read_module", { path });
}

function calling(text: string, name: string, args: Readonly<Record<string, string>>): ModelReply {
  const call = { id: "c", name, arguments: args, rawArguments: JSON.stringify(args) };
  return { text, finishReason: "tool_calls", toolCalls: [call] };
}

/** What an agent is made of. */
interface FolderAgent {
  /** What it is asked about. */
  readonly folder: string;
  /** The folder for its run. */
  readonly store: string;
  /** Whether the run has a policy. */
  readonly edited: boolean;
}

/** What the command line drives. */
export function folderAgent({ folder, store, edited }: FolderAgent): RunModule {
  const tools = ToolRegistry.of([
    defineTool({
      name: "list_modules",
      description: "Lists the modules of the folder",
      parameters: { type: "object", properties: {} },
      execute: async () => `modules: ${(await modulesOf(folder)).join(" ")}`,
      replay: "replayable",
    }),
    defineTool({
      name: "read_module",
      description: "Gives the text of a module",
      parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
      execute: async ({ path }, { actionId }) => {
        await hangAt(actionId);
        return `text of ${path}\n${await Deno.readTextFile(`${folder}/${path}`)}`;
      },
      replay: "replayable",
    }),
  ]);
  const agent = defineAgent({
    model: {
      async call({ callId, messages }) {
        await hangAt(callId);
        if (!callId.includes("_c")) return next(messages);
        const notes = factsOf(textsOf(messages)).values();
        return { text: [...notes].map(({ note }) => note).join("\n"), finishReason: "stop" };
      },
      parameters: () => ({ name: "note-taker" }),
    },
    interpreter: nativeToolsInterpreter(),
    store: jsonlStore({ dir: store }),
  });
  const request = defineRun({
    runId: "modules",
    budget: {
      maxSteps: 300,
      maxModelCalls: 400,
      maxPromptChars: MAX_PROMPT_CHARS,
      maxConsecutiveFailures: 2,
    },
    tools,
    modelReplayPolicy: "replayable",
    ...(edited && { contextPolicy: POLICY }),
    context: {
      runLevel: [textMessage("system", "Answer questions about a folder of modules.")],
      goalLevel: [
        textMessage("user", "How much does each export, and which folder imports which?"),
      ],
    },
  });
  return { agent, request };
}
