import {
  type EditedMessage,
  readLog,
  rebuildCall,
  type RebuiltCall,
  type RunLog,
  verifyLog,
} from "../../session/mod.ts";
import {
  type ContentBlock,
  counted,
  harmless,
  harmlessJson,
  harmlessLine,
  messageSize,
  paint,
} from "../../types/mod.ts";
import { type Command, UsageError } from "../_command.ts";
import type { Screen } from "../_screen.ts";
import { STORE_OPTION } from "../_store/open_store.ts";
import { linesOf, readStore } from "../_store/read_store.ts";

/** `prompt`: what the model was shown in one call. */
export const PROMPT: Command<"run" | "call"> = {
  name: "prompt",
  summary: "Show what the model saw in a call, rebuilt from the log and checked against it",
  operands: ["run", "call"],
  options: {
    json: { help: "the messages as one JSON value" },
    store: STORE_OPTION,
  },
  details: `Calls are counted from 0, in the order in which they were made; a replay after a
crash is a call of its own, and so is a summary of steps; without those the call's
number is the step's.
The prompt's digest was recorded before the call. What is shown has that digest, or
nothing is shown. The tools that went along with it by the native protocol follow the
messages. A run that was recorded with recordInputs: false has no prompts.`,
  async run(words, screen) {
    const runId = words.operand("run");
    const call = words.operand("call");
    if (!/^\d{1,9}$/.test(call)) {
      throw new UsageError(`Cannot show call "${call}" as it must be a whole number from 0`);
    }
    const lines = await readStore(
      words,
      async (open) => (await Array.fromAsync(linesOf(open, runId))).flat(),
    );
    const { fault } = verifyLog(lines);
    if (fault !== undefined) throw new Error(fault.message);
    const log = readLog(lines);
    const calls = log.calls.length;
    if (Number(call) >= calls) {
      const has = calls === 0 ? "no calls" : `calls 0 to ${calls - 1}`;
      throw new Error(`Cannot show call ${call} as run "${runId}" has ${has}`);
    }
    const rebuilt = rebuildCall(log, Number(call));
    if (words.flags.has("json")) screen.print(harmlessJson(rebuilt.messages));
    else {printPrompt(
        rebuilt,
        { title: titleOf(Number(call), log), checked: checkedWords(log) },
        screen,
      );}
    return 0;
  },
};

function titleOf(call: number, { calls }: RunLog): string {
  const of = calls[call]?.purpose === undefined ? "" : ", a summary";
  return `call ${call}${of} (the run has ${counted(calls.length, "call")}, from 0)`;
}

/** What is known of a prompt that was laid out again: of a redacted log only that it is the log's. */
function checkedWords({ started: { redactedFrom } }: RunLog): string {
  return redactedFrom === undefined ? "as recorded" : "with texts hidden, so nothing is checked";
}

function printPrompt(
  rebuilt: RebuiltCall,
  { title, checked }: { readonly title: string; readonly checked: string },
  screen: Screen,
): void {
  const { messages, tools, promptChars, toolsChars, edited } = rebuilt;
  const ofTools = tools.length === 0 ? "" : ` (${toolsChars} of them the tools)`;
  const size = `${counted(promptChars, "character")}${ofTools}`;
  screen.print(`${title}: ${counted(messages.length, "message")}, ${size}, ${checked}`);
  const notices = new Map(edited.map((edit) => [edit.message, edit]));
  for (const [place, message] of messages.entries()) {
    const { source, version } = message.provenance ?? {};
    const from = source === undefined ? "" : `, from ${source} ${version}`;
    const notice = noticeWords(notices.get(place));
    const heading = harmlessLine(
      `${message.role}, ${counted(messageSize(message), "character")}${from}${notice}`,
    );
    screen.print(`\n${paint(screen, "strong", `── ${heading}`)}`);
    for (const block of message.content) screen.print(indented(blockText(block)));
    if (message.providerData !== undefined) {
      screen.print(indented(`[the provider's own data] ${harmlessJson(message.providerData)}`));
    }
  }
  for (const { name, description, parameters } of tools) {
    screen.print(`\n${paint(screen, "strong", `── tool ${harmlessLine(name)}`)}`);
    screen.print(indented(`${harmless(description)}\n${harmlessJson(parameters)}`));
  }
}

/** What a message stands for that an edit made. */
function noticeWords(edit: EditedMessage | undefined): string {
  if (edit === undefined) return "";
  const { stage, steps: [from, to], originalSize } = edit;
  const steps = from === to ? `step ${from}` : `steps ${from} to ${to}`;
  return `, ${stage}: a notice for ${counted(originalSize, "character")} of ${steps}`;
}

/** A text set off from the headings, so that none of its lines can pass for one. */
function indented(text: string): string {
  return text.replace(/^(?=.)/gm, "  ");
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return harmless(block.text);
    case "tool_call":
      return `[tool call ${harmlessLine(block.toolCallId)}] ${harmlessLine(block.name)} ${
        harmlessJson(block.arguments)
      }`;
    case "tool_result":
      return `[${block.isError ? "error of" : "result of"} tool call ${
        harmlessLine(block.toolCallId)
      }] ${harmless(block.text)}`;
  }
}
