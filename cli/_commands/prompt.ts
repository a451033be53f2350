import { readLog, rebuildPrompt, type RunLog, verifyLog } from "../../session/mod.ts";
import {
  type ContentBlock,
  counted,
  harmless,
  harmlessJson,
  harmlessLine,
  type Message,
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
crash is a call of its own, so without one the call's number is the step's.
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
    const calls = log.callEntries.length;
    if (Number(call) >= calls) {
      const has = calls === 0 ? "no calls" : `calls 0 to ${calls - 1}`;
      throw new Error(`Cannot show call ${call} as run "${runId}" has ${has}`);
    }
    const messages = rebuildPrompt(log, Number(call));
    if (words.flags.has("json")) screen.print(harmlessJson(messages));
    else {
      printPrompt(messages, titleOf(Number(call), log), screen);
      printTools(log, screen);
    }
    return 0;
  },
};

function titleOf(call: number, { callEntries }: RunLog): string {
  return `call ${call} (the run has ${counted(callEntries.length, "call")}, from 0)`;
}

function printPrompt(messages: readonly Message[], title: string, screen: Screen): void {
  const size = messages.reduce((sum, message) => sum + messageSize(message), 0);
  screen.print(
    `${title}: ${counted(messages.length, "message")}, ${counted(size, "character")}, as recorded`,
  );
  for (const message of messages) {
    const { source, version } = message.provenance ?? {};
    const from = source === undefined ? "" : `, from ${source} ${version}`;
    const heading = harmlessLine(
      `${message.role}, ${counted(messageSize(message), "character")}${from}`,
    );
    screen.print(`\n${paint(screen, "strong", `── ${heading}`)}`);
    for (const block of message.content) screen.print(indented(blockText(block)));
    if (message.providerData !== undefined) {
      screen.print(indented(`[the provider's own data] ${harmlessJson(message.providerData)}`));
    }
  }
}

/** The tools that went along with the messages: by the native protocol, and where the log has them. */
function printTools(
  { started: { inputs }, settings: { toolProtocol } }: RunLog,
  screen: Screen,
): void {
  const tools = toolProtocol === "native" ? inputs?.tools ?? [] : [];
  for (const { name, description, parameters } of tools) {
    screen.print(`\n${paint(screen, "strong", `── tool ${harmlessLine(name)}`)}`);
    screen.print(indented(`${harmless(description)}\n${harmlessJson(parameters)}`));
  }
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
